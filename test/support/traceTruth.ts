// What files of rollouts say, read off the samples of every form by the plainest means: rows in the order of the files, put into groups by a
// loop. Tests hold what is told on the command line and what stands on the page to it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { trajectoryLines } from "../../src/export/trajectoryLines.ts";
import { labGroup } from "./labGroup.ts";
import { lines, SAMPLES, sampleFiles } from "./traceFiles.ts";

/** Numbers of a token; what the file does not have is left out. */
export interface TrueToken {
  readonly logprob?: number;
  readonly trainEntropy?: number;
  readonly advantage?: number;
}

export interface TrueRollout {
  readonly step: number;
  readonly group: string;
  readonly reward: number | null;
  readonly advantage: number | null;
  readonly parts: Readonly<Record<string, number | null>>;
  readonly isCutOff: boolean;
  /** A text that stands in the conversation; null where the file has none. */
  readonly says: string | null;
  /** Those that the policy sampled, where the file has numbers of them. */
  readonly tokens: readonly TrueToken[] | null;
}

export interface TrueForm {
  readonly id: string;
  readonly title: string;
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[];
  readonly rollouts: readonly TrueRollout[];
}

type Texts = readonly { readonly content: string }[];
type Node = { readonly parent: number | null; readonly message: Texts[number] };
type Lists = Readonly<Record<string, readonly number[] | null>>;

/** What rows have, each form some of it. */
type Row = {
  readonly [name in "step" | "iteration" | "example_id" | "group_idx" | "prompt" | "score" | "reward" | "total_reward"]: number;
} & {
  readonly [name in "right" | "exact" | "format" | "advantage"]: number;
} & { readonly [name in "short" | "format_reward"]: number | null } & {
  readonly [name in "input" | "output" | "prompt_id" | "finish_reason" | "response"]: string;
} & {
  readonly completion: Texts;
  readonly loss_mask: readonly boolean[];
  readonly nodes: readonly Node[];
  readonly task: { readonly key: string };
} & {
  readonly rewards: Readonly<Record<string, number>>;
  readonly rewardParts: readonly { readonly name: string; readonly value: number }[];
  readonly calls: readonly { readonly node: number; readonly finish_reason: string }[];
};

const filesOf = (folder: string, ending: RegExp) =>
  sampleFiles(folder)
    .filter(({ path }) => ending.test(path))
    .map(({ path }) => ({ path, bytes: readFileSync(join(SAMPLES, folder, path)) }));

const rowsOf = (bytes: Buffer): readonly Row[] => {
  const text = bytes.toString("utf8").replaceAll("NaN", "null");
  return text.startsWith("[")
    ? JSON.parse(text)
    : text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
};

async function parquetRows(bytes: Buffer): Promise<readonly Row[]> {
  const found = await parquetReadObjects({ file: new Uint8Array(bytes).buffer });
  const plain = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
  return found.map((row) => JSON.parse(JSON.stringify(row, plain)));
}

/** A list of a row, empty where it has none. */
const listOf = (of: Row | Node, name: string) => (of as unknown as Lists)[name] ?? [];

const NOTHING = { advantage: null, parts: {}, isCutOff: false, says: null, tokens: null };
const last = (messages: Texts) => messages.at(-1)!.content;

const trl = (row: Row): TrueRollout => ({
  ...{ ...NOTHING, step: row.step, group: JSON.stringify(row.prompt), advantage: row.advantage, says: last(row.completion) },
  // Both weights were 1 in that run; a part that is None was left out of the sum.
  ...{ parts: { right: row.right, short: row.short }, reward: row.right + (row.short ?? 0) },
});

const verl = (row: Row): TrueRollout => ({
  ...{ ...NOTHING, step: row.step, group: row.input, reward: row.score, parts: { format_reward: row.format_reward } },
  ...{ isCutOff: !row.output.endsWith("<|im_end|>"), says: row.output.startsWith("<tool") ? "\\boxed{8}" : null },
});

function primeRl(row: Row): TrueRollout {
  const of = (name: string) => listOf(row, name).filter((_, t) => row.loss_mask[t]);
  const [logprobs, entropies, advantages] = [of("inference_logprobs"), of("entropy"), of("advantages")];
  return {
    ...{
      ...NOTHING,
      step: row.step,
      group: listOf(row, "token_ids")
        .filter((_, t) => !row.loss_mask[t])
        .join(),
    },
    ...{ reward: of("rewards")[0]!, advantage: advantages[0]! },
    tokens: logprobs.map((logprob, t) => ({ logprob, trainEntropy: entropies[t]!, advantage: advantages[t]! })),
  };
}

/** A rollout for each leaf of the graph. */
function verifiers(row: Row): readonly TrueRollout[] {
  const { nodes } = row;
  const rewards = Object.entries(row.rewards as unknown as Record<string, { score: number; weight: number } | null>);
  return nodes.flatMap((leaf, at) => {
    if (nodes.some(({ parent }) => parent === at)) return [];
    const path: Node[] = [];
    for (let node: Node | undefined = leaf; node; node = node.parent === null ? undefined : nodes[node.parent]) path.unshift(node);
    const of = (name: string) => path.flatMap((node) => listOf(node, name));
    const [logprobs, entropies, advantages] = [of("logprobs"), of("entropies"), of("advantages")];
    return {
      ...{ ...NOTHING, step: 0, group: row.task.key, says: leaf.message.content },
      reward: rewards.reduce((sum, [, part]) => sum + (part ? part.score * part.weight : 0), 0),
      parts: Object.fromEntries(rewards.map(([name, part]) => [name, part?.score ?? null])),
      advantage: advantages[0] ?? null,
      isCutOff: row.calls.some((c) => c.node === at && c.finish_reason === "length"),
      tokens:
        logprobs.length === 0 ? null : logprobs.map((logprob, t) => ({ logprob, trainEntropy: entropies[t]!, advantage: advantages[t]! })),
    };
  });
}

const results = ({ example_id, completion, reward, exact, format }: Row): TrueRollout => ({
  ...{ ...NOTHING, step: 0, group: String(example_id), reward, parts: { exact, format }, says: last(completion) },
});

const tinker = ({ iteration, group_idx, total_reward }: Row): TrueRollout => ({
  ...{ ...NOTHING, step: iteration, group: String(group_idx), reward: total_reward },
});

const chat = ({ step, prompt_id, reward, rewards, advantage, finish_reason, response }: Row): TrueRollout => ({
  ...{ ...NOTHING, step, group: prompt_id, reward, parts: rewards, advantage, says: response, isCutOff: finish_reason === "length" },
});

const ids = (row: Row): TrueRollout => ({
  ...{ ...NOTHING, step: 0, group: "Say.", reward: row.reward, says: String(row.completion) },
  tokens: listOf(row, "logprobs").map((logprob) => ({ logprob })),
});

const lab = (row: Row): TrueRollout => {
  const sampled = listOf(row, "sampled");
  const of = (name: string) => listOf(row, name).filter((_, t) => sampled[t] === 1);
  return {
    ...{ ...NOTHING, step: row.step, group: String(row.prompt), reward: row.reward, advantage: row.advantage, says: null },
    parts: Object.fromEntries(row.rewardParts.map(({ name, value }) => [name, value])),
    tokens: of("logprobs").map((logprob, t) => ({
      ...{ logprob, trainEntropy: of("trainEntropies")[t]!, advantage: of("advantages")[t]! },
    })),
  };
};

const JSONL = /\.jsonl?$/;

/** All samples with what their files say. */
export async function trueForms(): Promise<readonly TrueForm[]> {
  const rowsBy = (folder: string, title: string, read: (row: Row) => TrueRollout | readonly TrueRollout[]): TrueForm => {
    const files = filesOf(folder, JSONL);
    return { id: folder, title, files, rollouts: files.flatMap(({ bytes }) => rowsOf(bytes).flatMap(read)) };
  };
  const parquet = async (folder: string, title: string, read: (row: Row) => TrueRollout): Promise<TrueForm> => {
    const files = filesOf(folder, /\.parquet$/);
    const rows = await Promise.all(files.map(({ bytes }) => parquetRows(bytes)));
    return { id: folder, title, files, rollouts: rows.flat().map(read) };
  };
  const own = Buffer.from(lines(trajectoryLines({ groups: [labGroup] }, 8)));
  return [
    await parquet("trl", "TRL's completions", trl),
    rowsBy("verl", "verl's rollouts", verl),
    rowsBy("prime-rl", "prime-rl's token exports", primeRl),
    rowsBy("verifiers", "traces of verifiers", verifiers),
    rowsBy("verifiers-words", "traces of verifiers", verifiers),
    rowsBy("verifiers-v0", "results of verifiers v0", results),
    rowsBy("tinker", "summaries of the Tinker cookbook", tinker),
    rowsBy("chat-lines", "conversations", chat),
    rowsBy("chat-list", "conversations", chat),
    await parquet("chat-parquet", "conversations", chat),
    rowsBy("chat-ids", "conversations", ids),
    {
      ...{ id: "lab", title: "this lab's conversations", files: [{ path: "trajectories.jsonl", bytes: own }] },
      rollouts: rowsOf(own).map(lab),
    },
  ];
}

/** The groups of each step, ascending, in the order of the rows. */
export function trueSteps({ rollouts }: TrueForm): readonly (readonly [step: number, groups: readonly (readonly TrueRollout[])[]])[] {
  const steps = [...new Set(rollouts.map(({ step }) => step))].sort((a, b) => a - b);
  return steps.map((step) => {
    const own = rollouts.filter((each) => each.step === step);
    const groups = [...new Set(own.map(({ group }) => group))];
    return [step, groups.map((group) => own.filter((each) => each.group === group))] as const;
  });
}
