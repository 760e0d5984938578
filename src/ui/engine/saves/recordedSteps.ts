// The conversations that the command line wrote beside a run's save (trajectories.jsonl), as the groups of their steps.
// A line that lacks what the view needs, as older folders have them, is left out, and that is said.

import type { StepGroups } from "../../../protocol/messages.ts";
import { isRecord } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { GroupRecord, MessageRecord, TrajectoryRecord } from "../../../protocol/records.ts";
import { summarize } from "../../../rl/advantage/statistics.ts";
import { messagesRead } from "../../../rl/tools/chatMessages.ts";

const numbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every((each) => typeof each === "number");
const texts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((each) => typeof each === "string");

/** Fields of one value for each token, some of them null where they were not measured. */
const MEASURED = ["sampled", "mask", "logprobs", "trainLogprobs", "advantages", "lossWeights"] as const;
const MAYBE = ["newLogprobs", "refLogprobs", "entropies", "trainEntropies", "values"] as const;

type Line = Readonly<Record<string, unknown>>;

function isWhole(line: unknown): line is Line {
  if (!isRecord(line) || !numbers(line.tokens) || !numbers(line.promptTokens) || !texts(line.pieces) || !texts(line.promptPieces))
    return false;
  const { length } = line.tokens;
  const fits = (value: unknown) => numbers(value) && value.length === length;
  return (
    line.pieces.length === length &&
    line.promptPieces.length === line.promptTokens.length &&
    [line.step, line.prompt, line.member, line.opening].every((value) => Number.isInteger(value) && Number(value) >= 0) &&
    [line.exampleId, line.answer, line.text, line.stopReason].every((value) => typeof value === "string") &&
    [line.messages, line.rewardParts].every((value) => Array.isArray(value) && value.every(isRecord)) &&
    typeof line.advantage === "number" &&
    (line.reward === null || typeof line.reward === "number") &&
    MEASURED.every((key) => fits(line[key])) &&
    MAYBE.every((key) => (line[key] ?? null) === null || fits(line[key]))
  );
}

function parsed(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    // The beginning is cut off, or the process was killed in the middle of it.
    return [];
  }
}

function messagesOf(line: Line): readonly MessageRecord[] | null {
  try {
    return messagesRead(line.messages as readonly unknown[], "messages").map(({ toolCallId: _, toolCalls, ...message }) => ({
      ...message,
      ...(toolCalls ? { toolCalls: toolCalls.map(({ id: __, ...call }) => call) } : {}),
    }));
  } catch {
    return null;
  }
}

function recordOf(line: Line, messages: readonly MessageRecord[]): TrajectoryRecord {
  const { tokens, sampled, pieces, text, stopReason, rewardParts, reward, advantage, success } = line;
  const kept = Object.fromEntries(
    ["failure", "report", "turnRewards", "arithmetic", "minibatches"].flatMap((key) => (line[key] === undefined ? [] : [[key, line[key]]])),
  );
  const channels = {
    ...{ oldLogprobs: line.logprobs, trainLogprobs: line.trainLogprobs, newLogprobs: line.newLogprobs ?? null },
    ...{ refLogprobs: line.refLogprobs ?? null, sampledEntropies: line.entropies ?? null, trainEntropies: line.trainEntropies ?? null },
    ...{ advantages: line.advantages, lossWeights: line.lossWeights, mask: line.mask, values: line.values ?? null },
  };
  const { promptTokens, promptPieces } = line;
  const opening = messages.slice(0, Number(line.opening));
  return {
    ...{ prompt: { promptTokens, promptPieces }, tokens, sampled, pieces, text, stopReason, opening },
    ...{ messages: messages.slice(opening.length), rewardParts, reward, advantage, success: success === true, channels, ...kept },
  } as TrajectoryRecord;
}

function groupOf(lines: readonly Line[]): GroupRecord | null {
  const said = lines.map(messagesOf);
  const [first] = lines;
  if (!first || said.includes(null)) return null;
  const trajectories = lines.map((line, i) => recordOf(line, said[i] ?? []));
  const { opening = [], prompt } = trajectories[0]!;
  const rewards = trajectories.map(({ reward }) => reward);
  return {
    ...{ step: Number(first.step), promptIndex: Number(first.prompt), exampleId: String(first.exampleId), answer: String(first.answer) },
    ...{ messages: opening, promptTokens: prompt!.promptTokens, promptPieces: prompt!.promptPieces, trajectories },
    zeroSpread: rewards.every((reward) => reward === rewards[0]),
  };
}

function summaryOf({ step, promptIndex, messages, trajectories }: GroupRecord): StepGroups["summaries"][number] {
  const rewards = trajectories.map(({ reward }) => reward ?? Number.NaN);
  const { mean, std } = summarize(rewards, "sample");
  const sizes = trajectories.flatMap(({ channels }) => (channels.advantages ?? []).map(Math.abs));
  return {
    ...{ step, promptIndex, prompt: messages.findLast(({ role }) => role === "user")?.content ?? "" },
    ...{ meanReward: mean, rewardStd: std },
    successRate: trajectories.filter(({ success }) => success).length / trajectories.length,
    largestAdvantage: sizes.reduce((most, size) => Math.max(most, size), 0),
  };
}

/** Values by what they share, in the order of their first. */
function grouped(lines: readonly Line[], key: "step" | "prompt"): Map<number, Line[]> {
  const groups = new Map<number, Line[]>();
  for (const line of lines) groups.set(Number(line[key]), [...(groups.get(Number(line[key])) ?? []), line]);
  return groups;
}

interface Recorded {
  readonly steps: readonly StepGroups[];
  /** Which conversations cannot be shown, and why; null where all can. */
  readonly lack: string | null;
}

function lackOf(count: number, shown: number): string | null {
  if (shown === count) return null;
  const which = shown === 0 ? `The ${counted(count, "conversation")}` : `${count - shown} of the ${counted(count, "conversation")}`;
  return `${which} in the run's folder lack what Rollouts needs, such as the text of each token. An earlier version may have written them.`;
}

/** The steps of which a file, or its end, has whole conversations; ascending. @param config the run's, since lines have none of their step. @param isCut whether the bytes begin somewhere in the file. */
export function recordedSteps(bytes: Uint8Array, config: StepGroups["config"], isCut: boolean): Recorded {
  const all = new TextDecoder().decode(bytes).split("\n").flatMap(parsed);
  const lines = all.filter(isWhole);
  const steps = grouped(lines, "step");
  // Of a file that was cut the first step may lack conversations.
  if (isCut) steps.delete(Number(lines[0]?.step));
  const whole = [...steps]
    .sort(([a], [b]) => a - b)
    .flatMap(([step, own]) => {
      const groups = [...grouped(own, "prompt").values()].flatMap((members) => groupOf(members) ?? []);
      if (groups.length === 0) return [];
      return [{ step, phase: "evaluate" as const, config, summaries: groups.map(summaryOf), groups, oldestStep: step }];
    });
  return { steps: whole, lack: lackOf(all.length, lines.length) };
}
