// Everything one step sampled and learnt about its tokens, phase by phase. Arrays over tokens are in
// the order of the packed batch: sequence by sequence, K sampled tokens in all.
import type { PackedBatch } from "../../model/backend.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { Phase, UpdatePlace } from "../../protocol/messages.ts";
import { turnRuns } from "../../rl/advantage/turnSpans.ts";
import type { AdvantageTerms } from "../../rl/advantage/types.ts";
import { consecutiveSubarrays, endToEnd } from "../../rl/objective/types.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Reward, Trajectory, TrajectoryGroup } from "../../rl/types.ts";
import { packGroups, type TokenGroup } from "./update/batch.ts";
import { cutGroups } from "./update/cutGroups.ts";

export interface SampledStep {
  readonly step: number;
  /** Settings it was taken under, adapted coefficients included. */
  readonly config: RunConfig;
  /** Last phase that has filled its values in. */
  phase: Phase;
  /** Where its update stands while that is stopped on its way. */
  opened: UpdatePlace | null;
  readonly groups: readonly TrajectoryGroup[];
  readonly batch: PackedBatch;
  /** Trajectory and group of each sequence. */
  readonly trajectories_Q: readonly Trajectory[];
  readonly groupOf_Q: Int32Array;
  /** Log-probs and entropies as sampled; no entropies where the model does not tell them. */
  readonly oldLogprobs_K: Float32Array;
  sampledEntropies_K: Float32Array | null;
  rewards_P_G: readonly (readonly Reward[])[];
  refLogprobs_K: Float32Array | null;
  advantages_Q: Float64Array;
  advantages_K: Float64Array;
  /** How they came about; null before the advantage phase. */
  advantageTerms: AdvantageTerms | null;
  /** 1 where a sampled token is trained; inserted tokens are not among the K. */
  readonly mask_K: Uint8Array;
  /** Of each sequence the minibatch it was in, from 1, epoch by epoch; empty where the step is not cut. */
  readonly minibatches_Q: readonly number[][];
  zeroSpread_P: readonly boolean[];
  /** Log-probs and entropies of the last training forward, before its optimizer step. */
  trainLogprobs_K: Float32Array;
  readonly trainEntropies_K: Float32Array | null;
  readonly lossWeights_K: Float32Array;
  newLogprobs_K: Float32Array | null;
  values_K: Float32Array | null;
  /** Value of where a conversation stopped that a limit cut off, 0 for the others; null where the run does not look. */
  bootstrap_Q: Float64Array | null;
  /** TD errors of the critic, once somebody has looked. */
  tdErrors_K: Float64Array | null;
}

/** Token ids of sampled groups, prompt by prompt: an environment may open conversations of one problem differently. */
export function tokenGroups(groups: readonly TrajectoryGroup[]): readonly TokenGroup[] {
  const parts: { promptTokens: readonly number[]; trajectories: Trajectory[] }[] = [];
  for (const { trajectories } of groups) {
    let last: (typeof parts)[number] | undefined;
    for (const trajectory of trajectories) {
      if (last?.promptTokens !== trajectory.promptTokens) {
        last = { promptTokens: trajectory.promptTokens, trajectories: [] };
        parts.push(last);
      }
      last.trajectories.push(trajectory);
    }
  }
  return parts.map(({ promptTokens, trajectories }) => ({
    promptTokens,
    completions: trajectories.map(({ tokens }) => tokens),
    ...(trajectories.some(({ mask }) => mask.includes(0)) ? { masks: trajectories.map(({ mask }) => mask) } : {}),
  }));
}

function groupOfSequences(groups: readonly TrajectoryGroup[], sequences: number): Int32Array {
  const groupOf_Q = new Int32Array(sequences);
  let q = 0;
  for (const [index, { trajectories }] of groups.entries()) {
    groupOf_Q.fill(index, q, q + trajectories.length);
    q += trajectories.length;
  }
  return groupOf_Q;
}

/**
 * About what a step holds in memory, in bytes: of each sampled token the numbers above and those of its
 * trajectory, of each row its token, of each sequence its messages, rewards and lists.
 */
export function sampledBytes({ tokens_N, scoreTarget_K, sequenceStart_Q }: SampledExtent): number {
  return 4 * tokens_N.length + TOKEN_BYTES * scoreTarget_K.length + SEQUENCE_BYTES * sequenceStart_Q.length;
}
type SampledExtent = { readonly [K in "tokens_N" | "scoreTarget_K" | "sequenceStart_Q"]: { readonly length: number } };

/** Two indices, seven floats, a double and a mask beside each other; three plain lists of numbers, of 8 bytes each at most. */
const TOKEN_BYTES = 2 * 4 + 7 * 4 + 8 + 1 + 3 * 8;
const SEQUENCE_BYTES = 1024;

/** What says which turns are trained. */
type TrainedTurns = Pick<TaskInstance, "frozenAgents" | "trainsTurn">;

/**
 * Whether each token of a conversation was said by an agent that plays the frozen start, so that no update has a part
 * in its probability.
 */
export function saidByStart({ mask, report }: Trajectory, { startAgents = [] }: Pick<TaskInstance, "startAgents">): readonly boolean[] {
  const said = mask.map(() => false);
  for (const [turn, { start, end }] of turnRuns(mask).entries())
    if (startAgents.includes(report?.turns[turn]?.agent ?? "")) said.fill(true, start, end);
  return said;
}

/** The same of a conversation of a step: worked examples teach the policy what all agents say. */
export function tokensOfStart(step: Pick<SampledStep, "config">, trajectory: Trajectory, task: Pick<TaskInstance, "startAgents">) {
  return step.config.kind === "supervised" ? [] : saidByStart(trajectory, task);
}

/** Runs of sampled tokens that are not trained: turns of frozen agents, and those that the task or the configuration leaves out. */
function untrainedRuns({ mask, report, messages }: Trajectory, { frozenAgents = [], trainsTurn }: TrainedTurns) {
  const runs = turnRuns(mask);
  const said = messages.filter(({ role }) => role === "assistant").slice(-runs.length);
  return runs.filter((_, index) => {
    const agent = report?.turns[index]?.agent;
    const isFrozen = agent !== undefined && frozenAgents.includes(agent);
    return isFrozen || trainsTurn?.({ index, count: runs.length, message: said[index]!, agent }) === false;
  });
}

/** 1 for each token of a conversation that is trained. */
export function trainedMask(trajectory: Trajectory, turns: TrainedTurns): readonly number[] {
  const mask = [...trajectory.mask];
  for (const { start, end } of untrainedRuns(trajectory, turns)) mask.fill(0, start, end);
  return mask;
}

/** Writes 0 over the turns that are not trained. */
function maskTurns(mask_K: Uint8Array, trajectories_Q: readonly Trajectory[], turns: TrainedTurns): void {
  let k = 0;
  for (const trajectory of trajectories_Q) {
    const trained = trainedMask(trajectory, turns);
    for (const [i, isSampled] of trajectory.mask.entries()) if (isSampled === 1) mask_K[k++] = trained[i]!;
  }
}

/** What the logits of a kind of training are divided by: rewards train the distribution that was sampled from, examples the model's own. */
export function trainedTemperature({ kind, temperature }: Pick<RunConfig, "kind" | "temperature">): number {
  return kind === "supervised" ? 1 : temperature;
}

/** How a run's conversations of a task are drawn. */
export function drawnAs({ temperature, topK, topP, minP, maxCompletionTokens }: RunConfig, { maxTurns = 1 }: TaskInstance) {
  return { temperature, topK, topP, minP, maxNewTokens: maxCompletionTokens, maxTurns };
}

/** A step that has only been sampled. */
export function newSampledStep(step: number, groups: readonly TrajectoryGroup[], config: RunConfig, turns: TrainedTurns = {}): SampledStep {
  const batch = packGroups(cutGroups(tokenGroups(groups), config.microBatchTokens), trainedTemperature(config));
  const tokens = batch.scoreTarget_K.length;
  const sequences = batch.sequenceStart_Q.length - 1;
  const tells = groups.every(({ trajectories }) => trajectories.every(({ entropies }) => entropies !== null));
  const nextFloat32 = consecutiveSubarrays(new Float32Array((tells ? 4 : 2) * tokens));
  const oldLogprobs_K = nextFloat32(tokens);
  const sampledEntropies_K = tells ? nextFloat32(tokens) : null;
  let k = 0;
  for (const { trajectories } of groups) {
    for (const { logprobs, entropies } of trajectories) {
      for (let i = 0; i < logprobs.length; i++, k++) {
        oldLogprobs_K[k] = logprobs[i]!;
        if (sampledEntropies_K) sampledEntropies_K[k] = entropies![i]!;
      }
    }
  }
  const trajectories_Q = endToEnd(groups.map(({ trajectories }) => trajectories));
  const mask_K = new Uint8Array(tokens).fill(1);
  if ((turns.frozenAgents ?? []).length > 0 || turns.trainsTurn) maskTurns(mask_K, trajectories_Q, turns);
  return {
    step,
    config,
    phase: "sample",
    opened: null,
    groups,
    batch,
    trajectories_Q,
    groupOf_Q: groupOfSequences(groups, sequences),
    oldLogprobs_K,
    sampledEntropies_K,
    rewards_P_G: [],
    refLogprobs_K: null,
    advantages_Q: new Float64Array(sequences),
    advantages_K: new Float64Array(tokens),
    advantageTerms: null,
    mask_K,
    minibatches_Q: config.minibatches > 1 ? trajectories_Q.map(() => []) : [],
    zeroSpread_P: groups.map(() => false),
    trainLogprobs_K: oldLogprobs_K,
    trainEntropies_K: tells ? nextFloat32(tokens) : null,
    lossWeights_K: nextFloat32(tokens),
    newLogprobs_K: null,
    values_K: null,
    bootstrap_Q: null,
    tdErrors_K: null,
  };
}

/** Steps kept for inspection, and the bytes of those before the newest. */
export const KEPT_STEPS = 200;
export const KEPT_BYTES = 256 * 2 ** 20;

/** A ring of the last steps; owned state. */
export class StepHistory {
  readonly #steps = new Map<number, { readonly step: SampledStep; readonly bytes: number }>();
  #bytes = 0;

  /** Keeps a step, replacing what was kept under its number and dropping the oldest past the limits; the newest always stays. */
  add(step: SampledStep): void {
    this.#drop(step.step);
    const bytes = sampledBytes(step.batch);
    this.#steps.set(step.step, { step, bytes });
    this.#bytes += bytes;
    for (const number of this.#steps.keys()) {
      if (number === step.step || (this.#steps.size <= KEPT_STEPS && this.#bytes <= KEPT_BYTES)) break;
      this.#drop(number);
    }
  }

  #drop(number: number): void {
    this.#bytes -= this.#steps.get(number)?.bytes ?? 0;
    this.#steps.delete(number);
  }

  get(step: number): SampledStep | undefined {
    return this.#steps.get(step)?.step;
  }

  /** Number of the oldest step still kept, or -1. */
  oldest(): number {
    return this.#steps.keys().next().value ?? -1;
  }
}
