// Problems for verl as Parquet, read back by the reader that the lab has for such files.
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { expect, it } from "vitest";
import { problemsFile } from "../../src/cli/exports/verl/problems.ts";
import type { Example } from "../../src/rl/types.ts";

const examples: readonly Example[] = [
  { id: "sums/1", messages: [{ role: "user", content: "1 + 1 = ?" }], answer: "2" },
  {
    id: "sums/naïve 東京",
    messages: [
      { role: "system", content: "Answer." },
      { role: "user", content: 'say "🙂"\n' },
    ],
    answer: "",
  },
];

it("a problem is a row with its conversation, its answer and where it comes from", async () => {
  const { name, bytes } = await problemsFile("sums", "eval", examples);
  expect(name).toBe("eval.parquet");
  const file = bytes.buffer as ArrayBuffer;
  expect(await parquetReadObjects({ file })).toEqual(
    examples.map(({ id, messages, answer }, index) => ({
      ...{ data_source: "rollout-lab/sums", prompt: messages, ability: "sums" },
      reward_model: { style: "rule", ground_truth: answer },
      extra_info: { split: "eval", index: BigInt(index), id },
    })),
  );
});

it("the file has a column of lists for conversations, and can have no rows", async () => {
  const { bytes } = await problemsFile("sums", "train", []);
  const schema = parquetSchema(parquetMetadata(bytes.buffer as ArrayBuffer));
  expect(schema.children.map(({ element }) => element.name)).toEqual(["data_source", "prompt", "ability", "reward_model", "extra_info"]);
  expect(schema.children[1]?.element.converted_type).toBe("LIST");
});
