// Files of rollouts that are damaged, made of the samples by a seed: cut, with bytes flipped, and pieces of two mixed. And files that
// somebody might make to harm a page: each a sentence of what it does.
import { Random } from "../../src/rl/random.ts";
import type { TraceFile } from "../../src/traces/traceSet.ts";
import { traceFile } from "./traceFiles.ts";

export interface DamagedFile {
  readonly does: string;
  readonly file: TraceFile;
}

/** A sample with its bytes. */
export interface Sample {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** So many files, each a sample that was cut, changed in a few bytes, or grown together with another. */
export function damagedFiles(samples: readonly Sample[], count: number, seed: number): readonly DamagedFile[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, i) => {
    const { path, bytes } = random.pick(samples);
    const kind = i % 3;
    if (kind === 0) return { does: `${i}: ${path} cut`, file: traceFile(path, bytes.slice(0, random.below(bytes.length))) };
    if (kind === 1) {
      const flipped = bytes.slice();
      for (let k = 0; k <= random.below(12); k++) flipped[random.below(flipped.length)] = random.below(256);
      return { does: `${i}: ${path} flipped`, file: traceFile(path, flipped) };
    }
    const other = random.pick(samples);
    const [head, tail] = [bytes.slice(0, random.below(bytes.length)), other.bytes.slice(random.below(other.bytes.length))];
    const mixed = new Uint8Array(head.length + tail.length);
    mixed.set(head);
    mixed.set(tail, head.length);
    return { does: `${i}: ${path} mixed with ${other.path}`, file: traceFile(path, mixed) };
  });
}

const deep = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;

/** Values that no column expects. */
const VALUES: readonly (readonly [string, string])[] = [
  ["a number without end", "1e999"],
  ["a number below all", "-1e308"],
  ["nothing", "null"],
  ["a list in lists", deep("[", "]", 20_000)],
  ["an object in objects", deep('{"a":', "}", 20_000)],
  ["a long text without a blank", `"${"x".repeat(200_000)}"`],
  ["nothing but blanks", `"${" ".repeat(200_000)}"`],
  ["marks without an end", `"${"<|im_start|>user\\n<tool_response>".repeat(5000)}"`],
  ["calls without an end", `"${"<tool_call>{".repeat(5000)}"`],
  ["half a pair of surrogates", '"\\ud800"'],
  ["messages of nobody", '[{"role": "king", "content": {"a": 1}}]'],
  ["messages with parts that are none", '[{"role": "user", "content": [null, 1, {"type": {}}]}]'],
  ["calls that are none", '[{"role": "assistant", "content": null, "tool_calls": [1, null, {"function": {"name": 1}}, "x"]}]'],
];

const COLUMNS = ["completion", "prompt", "reward", "step", "rewards", "__proto__", "constructor"];

const rows = VALUES.flatMap(([name, value]) =>
  COLUMNS.map((column) => ({
    does: `${column} is ${name}`,
    file: traceFile("a.jsonl", `{"prompt": "p", "completion": "c", "reward": 1, ${JSON.stringify(column)}: ${value}}\n`),
  })),
);

const ids = (count: number, first: string) => `[${Array.from({ length: count }, (_, i) => (i === 0 ? first : "1")).join(",")}]`;

const shapes: readonly DamagedFile[] = (
  [
    ["ids that are none", "a.jsonl", `{"token_ids": ${ids(3, '"x"')}, "loss_mask": [true, true, true]}`],
    ["ids beyond all", "a.jsonl", `{"token_ids": ${ids(3, "1e300")}, "loss_mask": [true, true, true]}`],
    ["a mask of another length", "a.jsonl", '{"token_ids": [1, 2, 3], "loss_mask": [true]}'],
    ["losses that are none", "a.jsonl", '{"token_ids": [1], "loss_mask": [true], "losses": [{"__proto__": {"advantage": 1}}]}'],
    ["a node that is its own parent", "a.jsonl", '{"nodes": [{"parent": 0, "message": {"role": "user", "content": "a"}}]}'],
    ["nodes in a circle", "a.jsonl", '{"nodes": [{"parent": 1, "message": {}}, {"parent": 0, "message": {}}]}'],
    ["a node whose parent is far", "a.jsonl", '{"nodes": [{"parent": 1e9, "message": {"role": "user", "content": "a"}}]}'],
    ["a comb of branches", "a.jsonl", JSON.stringify({ nodes: comb(1200) })],
    ["no nodes", "a.jsonl", '{"nodes": [], "version": 1}'],
    ["lengths beyond all", "a.jsonl", '{"group_idx": 0, "traj_idx": 0, "steps": [{"ob_len": 1e15, "ac_len": 1e15}]}'],
    [
      "many lengths",
      "a.jsonl",
      JSON.stringify({ group_idx: 0, traj_idx: 0, steps: Array.from({ length: 100 }, () => ({ ob_len: 0, ac_len: 3_999_999 })) }),
    ],
    ["lengths below 0", "a.jsonl", '{"group_idx": 0, "traj_idx": 0, "steps": [{"ob_len": -1, "ac_len": 1}]}'],
    ["a list that never ends", "a.json", '[{"prompt": "p", "completion": "c"},'],
    ["a list of lists", "a.json", "[[1],[2]]"],
    ["nothing but commas", "a.json", `[${",".repeat(100_000)}]`],
    ["nothing but line breaks", "a.jsonl", "\n".repeat(100_000)],
    ["nothing", "a.jsonl", ""],
    ["a zero byte", "a.jsonl", "\u0000"],
    ["ten thousand keys", "a.jsonl", `{"completion": "c", ${Array.from({ length: 10_000 }, (_, i) => `"k${i}": 1`).join(",")}}`],
    ["a tokenizer alone", "tokenizer.json", "{}"],
    ["a frame of Parquet around nothing", "a.parquet", "PAR1PAR1PAR1"],
  ] as const
).map(([does, path, content]) => ({ does, file: traceFile(path, content) }));

/** A trace of which each node has a leaf of its own: paths add up to the square of its nodes. */
function comb(length: number) {
  const message = { role: "assistant", content: "a" };
  const spine = Array.from({ length }, (_, i) => ({ ...(i > 0 ? { parent: i - 1 } : {}), message }));
  return [...spine, ...spine.map((_, i) => ({ parent: i, message }))];
}

export const hostileTraces = (): readonly DamagedFile[] => [...rows, ...shapes];
