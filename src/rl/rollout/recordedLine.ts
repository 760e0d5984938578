// Lines of trajectories.jsonl, in which this lab writes conversations down, read back as the records that they were. Null is what nobody
// knew: of rollouts that were made elsewhere files lack channels, advantages, or why an answer ended.
import { isRecord } from "../../protocol/problems.ts";
import type { GroupRecord, MessageRecord, TrajectoryRecord } from "../../protocol/records.ts";
import { messagesRead } from "../tools/chatMessages.ts";

const numbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every((each) => typeof each === "number");
/** Numbers, of which JSON writes those that are none as null. */
const channel = (value: unknown): value is readonly (number | null)[] =>
  Array.isArray(value) && value.every((each) => each === null || typeof each === "number");
const texts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((each) => typeof each === "string");

/** Fields of one value for each token: always, null where they were not measured, and those that older lines lack. */
const ALWAYS = ["sampled", "mask"] as const;
const MEASURED = ["logprobs", "trainLogprobs", "advantages", "lossWeights"] as const;
const MAYBE = ["newLogprobs", "refLogprobs", "entropies", "trainEntropies", "values"] as const;

/** A line that is known to be whole. */
export type RecordedLine = Readonly<Record<string, unknown>>;

/** Whether a line has all that a record needs, each list as long as its tokens. */
export function isWhole(line: unknown): line is RecordedLine {
  if (!isRecord(line) || !numbers(line.tokens) || !numbers(line.promptTokens) || !texts(line.pieces) || !texts(line.promptPieces))
    return false;
  const { length } = line.tokens;
  const fits = (value: unknown) => channel(value) && value.length === length;
  return (
    line.pieces.length === length &&
    line.promptPieces.length === line.promptTokens.length &&
    [line.step, line.prompt, line.member, line.opening].every((value) => Number.isInteger(value) && Number(value) >= 0) &&
    [line.exampleId, line.answer, line.text].every((value) => typeof value === "string") &&
    (line.stopReason === null || typeof line.stopReason === "string") &&
    [line.messages, line.rewardParts].every((value) => Array.isArray(value) && value.every(isRecord)) &&
    [line.advantage, line.reward].every((value) => value === null || typeof value === "number") &&
    ALWAYS.every((key) => numbers(line[key]) && fits(line[key])) &&
    MEASURED.every((key) => line[key] === null || fits(line[key])) &&
    MAYBE.every((key) => (line[key] ?? null) === null || fits(line[key]))
  );
}

function messagesOf(line: RecordedLine): readonly MessageRecord[] | null {
  try {
    return messagesRead(line.messages as readonly unknown[], "messages").map(({ toolCallId: _, toolCalls, ...message }) => ({
      ...message,
      ...(toolCalls ? { toolCalls: toolCalls.map(({ id: __, ...call }) => call) } : {}),
    }));
  } catch {
    return null;
  }
}

/** A channel of a line that is whole. */
const channelOf = (value: unknown): readonly number[] | null => (channel(value) ? value.map((each) => each ?? Number.NaN) : null);

function recordOf(line: RecordedLine, messages: readonly MessageRecord[]): TrajectoryRecord {
  const { tokens, sampled, pieces, text, stopReason, rewardParts, reward, advantage, success } = line;
  const kept = Object.fromEntries(
    ["failure", "report", "turnRewards", "arithmetic", "minibatches", "extras"].flatMap((key) =>
      line[key] === undefined ? [] : [[key, line[key]]],
    ),
  );
  const [oldLogprobs, trainLogprobs, newLogprobs, refLogprobs] = [
    line.logprobs,
    line.trainLogprobs,
    line.newLogprobs,
    line.refLogprobs,
  ].map(channelOf);
  const [sampledEntropies, trainEntropies, advantages, lossWeights, values] = [
    ...[line.entropies, line.trainEntropies, line.advantages, line.lossWeights, line.values].map(channelOf),
  ];
  const channels = {
    oldLogprobs,
    trainLogprobs,
    newLogprobs,
    refLogprobs,
    sampledEntropies,
    trainEntropies,
    advantages,
    lossWeights,
    mask: line.mask,
    values,
  };
  const { promptTokens, promptPieces } = line;
  const opening = messages.slice(0, Number(line.opening));
  return {
    prompt: { promptTokens, promptPieces },
    tokens,
    sampled,
    pieces,
    text,
    stopReason,
    opening,
    messages: messages.slice(opening.length),
    rewardParts,
    reward,
    advantage,
    success: success ?? null,
    channels,
    ...kept,
  } as TrajectoryRecord;
}

/** The group of its members' lines; null where messages of one cannot be read. */
export function groupOf(lines: readonly RecordedLine[]): GroupRecord | null {
  const said = lines.map(messagesOf);
  const [first] = lines;
  if (!first || said.includes(null)) return null;
  const trajectories = lines.map((line, i) => recordOf(line, said[i] ?? []));
  const { opening = [], prompt } = trajectories[0]!;
  const rewards = trajectories.map(({ reward }) => reward);
  return {
    step: Number(first.step),
    promptIndex: Number(first.prompt),
    exampleId: String(first.exampleId),
    answer: String(first.answer),
    messages: opening,
    promptTokens: prompt!.promptTokens,
    promptPieces: prompt!.promptPieces,
    trajectories,
    zeroSpread: rewards.every((reward) => reward === rewards[0]),
  };
}
