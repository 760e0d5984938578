// Problems as verl's data has them, in Parquet: a conversation is a list of structures in one column.
import type { SchemaElement } from "hyparquet-writer";
import type { ModelFile } from "../../../protocol/messages.ts";
import type { Example } from "../../../rl/types.ts";

const required = { repetition_type: "REQUIRED" } as const;
const text = (name: string): SchemaElement => ({ name, type: "BYTE_ARRAY", converted_type: "UTF8", ...required });
const group = (name: string, fields: readonly SchemaElement[]): readonly SchemaElement[] => [
  { name, num_children: fields.length, ...required },
  ...fields,
];

const SCHEMA: readonly SchemaElement[] = [
  { name: "root", num_children: 5 },
  text("data_source"),
  // A list of three levels, as Parquet's format lays it down.
  { name: "prompt", converted_type: "LIST", num_children: 1, ...required },
  { name: "list", num_children: 1, repetition_type: "REPEATED" },
  ...group("element", [text("role"), text("content")]),
  text("ability"),
  ...group("reward_model", [text("style"), text("ground_truth")]),
  ...group("extra_info", [text("split"), { name: "index", type: "INT64", ...required }, text("id")]),
];

/** train.parquet or eval.parquet. The writer is loaded here alone. */
export async function problemsFile(task: string, split: "train" | "eval", examples: readonly Example[]): Promise<ModelFile> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const column = (name: string, value: (example: Example, index: number) => unknown) => ({ name, data: examples.map(value) });
  const buffer = parquetWriteBuffer({
    columnData: [
      column("data_source", () => `rollout-lab/${task}`),
      column("prompt", ({ messages }) => messages.map(({ role, content }) => ({ role, content }))),
      column("ability", () => task),
      column("reward_model", ({ answer }) => ({ style: "rule", ground_truth: answer })),
      column("extra_info", ({ id }, index) => ({ split, index: BigInt(index), id })),
    ],
    schema: [...SCHEMA],
    createdBy: "rollout-lab",
  });
  return { name: `${split}.parquet`, bytes: new Uint8Array(buffer) };
}
