// Lines of trajectories.jsonl, in which this lab writes conversations down, read back as the records that they were.
import { isRecord } from "../../protocol/problems.ts";
import type { GroupRecord, MessageRecord, TrajectoryRecord } from "../../protocol/records.ts";
import { messagesRead } from "../tools/chatMessages.ts";

const numbers = (value: unknown): value is readonly number[] => Array.isArray(value) && value.every((each) => typeof each === "number");
const texts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((each) => typeof each === "string");

/** Fields of one value for each token, some of them null where they were not measured. */
const MEASURED = ["sampled", "mask", "logprobs", "trainLogprobs", "advantages", "lossWeights"] as const;
const MAYBE = ["newLogprobs", "refLogprobs", "entropies", "trainEntropies", "values"] as const;

/** A line that is known to be whole. */
export type RecordedLine = Readonly<Record<string, unknown>>;

/** Whether a line has all that a record needs, each list as long as its tokens. */
export function isWhole(line: unknown): line is RecordedLine {
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

function recordOf(line: RecordedLine, messages: readonly MessageRecord[]): TrajectoryRecord {
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

/** The group of its members' lines; null where messages of one cannot be read. */
export function groupOf(lines: readonly RecordedLine[]): GroupRecord | null {
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
