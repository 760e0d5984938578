// Rollouts that were read as the records that every screen of the lab shows.
import type { GroupRecord, TrajectoryRecord } from "../protocol/records.ts";
import { summarize } from "../rl/advantage/statistics.ts";
import type { Decoder, FoundRollout, Said } from "./rollout.ts";

/** Weights of reward parts by name; null where nobody knows one. */
type PartWeights = ReadonlyMap<string, number | null>;

const samePrompt = (a: Said["prompt"], b: Said["prompt"]) =>
  a.tokens.length === b.tokens.length && a.tokens.every((token, i) => token === b.tokens[i] && a.pieces[i] === b.pieces[i]);

function channelsOf({ channels, sampled }: Said): TrajectoryRecord["channels"] {
  return {
    oldLogprobs: channels.oldLogprobs ?? null,
    trainLogprobs: channels.trainLogprobs ?? null,
    newLogprobs: null,
    refLogprobs: channels.refLogprobs ?? null,
    sampledEntropies: channels.sampledEntropies ?? null,
    trainEntropies: channels.trainEntropies ?? null,
    advantages: channels.advantages ?? null,
    lossWeights: channels.lossWeights ?? null,
    mask: channels.mask ?? sampled,
    values: null,
  };
}

function trajectoryOf(found: FoundRollout, said: Said, first: Said, reward: number | null, weights: PartWeights): TrajectoryRecord {
  if (said.record) return said.record;
  const { answer, extras, isBare, sampled, messages, text } = said;
  return {
    ...(samePrompt(said.prompt, first.prompt) ? {} : { prompt: { promptTokens: said.prompt.tokens, promptPieces: said.prompt.pieces } }),
    tokens: answer.tokens,
    sampled,
    pieces: answer.pieces,
    text,
    stopReason: found.stopReason,
    ...(JSON.stringify(said.opening) === JSON.stringify(first.opening) ? {} : { opening: said.opening }),
    ...(found.failure === undefined ? {} : { failure: found.failure }),
    messages,
    rewardParts: found.parts.map(({ name, value, weight }) => ({ name, value, weight: weight ?? weights.get(name) ?? null })),
    reward,
    ...(found.turnRewards ? { turnRewards: found.turnRewards } : {}),
    advantage: found.advantage,
    success: found.success,
    ...(isBare ? { isBare } : {}),
    channels: channelsOf(said),
    ...(extras ? { extras } : {}),
  };
}

/** Whether nothing tells the members apart: equal rewards, or advantages of 0 where no reward is known. */
function hasNoSpread(rewards: readonly (number | null)[], found: readonly FoundRollout[]): boolean {
  const totals = rewards.map((reward) => reward ?? Number.NaN);
  const { count, equal } = summarize(totals, "sample");
  return count > 0 ? equal : found.every(({ advantage }) => advantage === 0);
}

/** A rollout with its total reward, which the index of all may know where its row does not. */
export interface Member {
  readonly found: FoundRollout;
  readonly reward: number | null;
}

/** The group of members that share a prompt. @throws "internal: ..." without any */
export function groupRecord(
  step: number,
  promptIndex: number,
  members: readonly Member[],
  weights: PartWeights,
  decoder: Decoder,
): GroupRecord {
  const said = members.map(({ found }) => found.said(decoder));
  const first = said[0];
  const leader = members[0]?.found;
  if (!first || !leader) throw new Error("internal: a group has members");
  const rewards = members.map(({ reward }) => reward);
  return {
    step,
    promptIndex,
    exampleId: leader.exampleId,
    answer: leader.answer,
    messages: first.opening,
    promptTokens: first.prompt.tokens,
    promptPieces: first.prompt.pieces,
    zeroSpread: hasNoSpread(
      rewards,
      members.map(({ found }) => found),
    ),
    trajectories: members.map(({ found, reward }, i) => trajectoryOf(found, said[i]!, first, reward, weights)),
  };
}
