// The run of lesson 11, and what its answers' tokens are credited with: by the critic, and relative to the group.
import type { TrajectoryRecord } from "../../../protocol/records.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import type { LabPlan } from "../../experiment/lab/labRun.ts";
import { advantagesOf, settingsOf } from "../../kit/words/engineNumbers.ts";

export const STEPS = 40;
export const GROUP_SIZE = 32;
export const DIGITS = 6;
export const MOST = 9 * DIGITS;
export const SCALE = 20;

export const CRITIC_RUN: LabPlan = {
  config: {
    task: "digit-sum",
    taskOptions: { length: DIGITS, target: MOST, scale: SCALE },
    maxCompletionTokens: DIGITS,
    algorithm: "ppo",
    model: "transformer",
    startFrom: "random",
    hiddenSize: 32,
    layers: 2,
    heads: 4,
    kvHeads: 4,
    intermediateSize: 88,
    promptsPerStep: 2,
    groupSize: GROUP_SIZE,
    steps: STEPS,
    // Slow enough that answers still differ when the critic has learnt to tell them apart.
    learningRate: 5e-5,
    valueEpochs: 8,
    klCoef: 0,
    optimizer: "adamw",
    evalProblems: 1,
    evalSamples: 1,
  },
  inspect: [STEPS],
};

/** The reward less the group's mean, for each answer of a group of equal lengths: GRPO's advantage before its division. */
export function groupCredit(rewards: readonly number[]): Float64Array {
  const settings = settingsOf("grpo", { klCoef: 0, advantageScale: "none" });
  return advantagesOf({ rewards, lengths: rewards.map(() => 1) }, settings).advantages_Q;
}

/** PPO's advantage of each token of one answer, not whitened, so that the sums can be followed. */
export function criticCredit(reward: number, values: readonly number[], lambda: number) {
  const settings = settingsOf("ppo", { klCoef: 0, gaeLambda: lambda, whitenAdvantages: false });
  return advantagesOf({ rewards: [reward], lengths: [values.length] }, settings, values).advantages_K;
}

/** A finished answer with the critic's value before each token, and what GRPO credits it with. */
export interface Answer {
  readonly pieces: readonly string[];
  readonly values: readonly number[];
  readonly reward: number;
  readonly flat: number;
}

/** How far each token moves the critic's value, the last one to the reward. */
export const surprises = ({ reward, values }: Answer) => Array.from(criticCredit(reward, values, 0));

/** The token before the last with which the critic's value falls most. */
export function worstToken(answer: Answer): number {
  const moves = surprises(answer).slice(0, -1);
  return moves.indexOf(Math.min(...moves));
}

/** Answers of a group that are digits throughout, those first in which one digit makes the critic fall most. */
export function harmfulAnswers(members: readonly TrajectoryRecord[]): readonly Answer[] {
  const credit = groupCredit(members.map(({ reward }) => reward ?? 0));
  const fall = (answer: Answer) => surprises(answer)[worstToken(answer)] ?? 0;
  return members
    .map(({ pieces, channels, reward }, g) => ({ pieces, values: channels.values ?? [], reward: reward ?? 0, flat: credit[g]! }))
    .filter(({ pieces }) => pieces.every((piece) => piece.length === 1))
    .sort((a, b) => fall(a) - fall(b));
}

/** Mean surprise that comes with digits of a kind, over many answers. */
export function meanSurprise(answers: readonly Answer[], isMeant: (digit: number) => boolean): number {
  const found = answers.flatMap((answer) => surprises(answer).filter((_, t) => isMeant(Number(answer.pieces[t]))));
  return meanOf(found);
}
