// The same prompt over time: a few held-out prompts, fixed by the configuration, that the policy answers
// greedily now and then, with the probabilities of the tokens that were likeliest at each place. It looks at the
// policy as an evaluation does and draws no number, so the run is the one that nobody looked at.

import type { PackedBatch } from "../../model/backend.ts";
import { type ModelSight, SEES_ALL } from "../../model/model.ts";
import type { Probed, ProbePrompt } from "../../protocol/asked.ts";
import type { ProbeAnswer, ProbeRecord } from "../../protocol/records.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import { Random } from "../../rl/random.ts";
import { scoreGroups } from "../../rl/rewards/weightedReward.ts";
import { generate } from "../../rl/rollout/generator.ts";
import type { Trajectory, TrajectoryGroup } from "../../rl/types.ts";
import type { ActiveRun } from "../start/start.ts";
import { saidByStart, trainedTemperature } from "../step/sampledStep.ts";
import { packGroups } from "../step/update/batch.ts";
import { likeliest } from "./alternatives.ts";

/** Prompts of a run, tokens listed at each place of an answer, and places at which more than the said one is. */
export const PROBES = 3;
export const LISTED = 10;
const LISTED_PLACES = 32;
/**
 * Scores asked for at most for one answer, so that fewer places are listed where the vocabulary is large, but so many
 * places are in any case.
 */
const MOST_SCORES = 4096;
const FEWEST_PLACES = 8;

/** Steps between two records, as a share of the steps behind them: so their number grows with the logarithm of the steps. */
const APART = { step: 1 / 4, evaluation: 1 / 32, last: 0 } as const;
/** The same between steps of a model with a large vocabulary, whose answers take seconds. */
const DEAR_APART = 1 / 2;

/**
 * Whether the prompts are asked after a step: at the start, then further and further apart, at 14 of the first
 * 100 steps, or at 7 where the vocabulary is large; closer at evaluations, which cost many times as much; and at the last step.
 */
export function isProbeDue(step: number, last: number | undefined, what: keyof typeof APART, vocabulary = 0): boolean {
  const isDear = what === "step" && vocabulary * FEWEST_PLACES > MOST_SCORES;
  return last === undefined || (step > last && step - last >= step * (isDear ? DEAR_APART : APART[what]));
}

/** Places of an answer at which the whole vocabulary is scored; none where the model does not tell of tokens that were not said. */
function listedPlaces(vocabulary: number, sight: ModelSight): number {
  return sight.vocabulary ? Math.min(LISTED_PLACES, Math.max(FEWEST_PLACES, Math.floor(MOST_SCORES / vocabulary))) : 0;
}

/** Prompts with an answer each, scored on every token of the vocabulary at the first places, and on what was said after them. */
export function probeBatch(
  asked: readonly Pick<Trajectory, "promptTokens" | "tokens">[],
  vocabulary: number,
  temperature: number,
  sight: ModelSight = SEES_ALL,
): PackedBatch {
  const packed = packGroups(
    asked.map(({ promptTokens, tokens }) => ({ promptTokens, completions: [tokens] })),
    temperature,
  );
  const places = listedPlaces(vocabulary, sight);
  const everyToken_V = Int32Array.from({ length: vocabulary }, (_, token) => token);
  const sequenceStart_Q = new Int32Array(asked.length + 1);
  for (const [q, { tokens }] of asked.entries()) {
    const listed = Math.min(tokens.length, places);
    sequenceStart_Q[q + 1] = sequenceStart_Q[q]! + listed * vocabulary + tokens.length - listed;
  }
  const scores = sequenceStart_Q[asked.length]!;
  const scoreRow_K = new Int32Array(scores);
  const scoreTarget_K = new Int32Array(scores);
  let at = 0;
  for (const [q, { tokens }] of asked.entries())
    for (const [t, said] of tokens.entries()) {
      const targets = t < places ? everyToken_V : [said];
      scoreTarget_K.set(targets, at);
      scoreRow_K.fill(packed.scoreRow_K[packed.sequenceStart_Q[q]! + t]!, at, at + targets.length);
      at += targets.length;
    }
  return { ...packed, scoreRow_K, scoreTarget_K, sequenceStart_Q };
}

/** An answer from its scores, which begin with those of its first place. */
function answerOf(
  { tokens, stopReason }: Trajectory,
  scores_K: Float32Array,
  { vocabulary, places }: { readonly vocabulary: number; readonly places: number },
  reward: number | null,
): ProbeAnswer {
  const tokens_T: (readonly number[])[] = [];
  const logprobs_T: (readonly number[])[] = [];
  let at = 0;
  for (const [t, said] of tokens.entries()) {
    const isListed = t < places;
    const logprobs_V = scores_K.subarray(at, at + (isListed ? vocabulary : 1));
    at += logprobs_V.length;
    const listed = isListed ? [said, ...likeliest(logprobs_V, LISTED - 1, said)] : [said];
    tokens_T.push(listed);
    logprobs_T.push(isListed ? listed.map((token) => logprobs_V[token]!) : [logprobs_V[0]!]);
  }
  return { tokens_T, logprobs_T, isComplete: stopReason !== "max-tokens", reward };
}

/** The greedy first turn of each prompt. */
function firstTurns({ task, trainer, renderer, model }: ActiveRun): Promise<readonly TrajectoryGroup[]> {
  const { config } = trainer;
  const parts = { policy: model.policy(), envs: task.envs, renderer, startAgents: task.startAgents ?? [], onTooLong: () => {} };
  // One that is too long has no answer.
  return generate(parts, task.evaluation(PROBES), {
    copies: 1,
    maxTurns: 1,
    maxNewTokens: config.maxCompletionTokens,
    random: new Random(config.seed).fork("probes"),
    temperature: 0,
    topK: 0,
    topP: 1,
    minP: 0,
  });
}

/** Asks the policy as it is now. The model must be at rest. */
export async function probePolicy(run: ActiveRun): Promise<ProbeRecord> {
  const { trainer, model, task, rewards } = run;
  const { vocabulary } = model.report;
  const places = listedPlaces(vocabulary, model.sight);
  const turns = (await firstTurns(run)).map(({ example, trajectories }) => ({ example, trajectory: trajectories[0]! }));
  const none: ProbeAnswer = { tokens_T: [], logprobs_T: [], isComplete: false, reward: null };
  const answers = new Map<string, ProbeAnswer>();
  const record = () => ({ step: trainer.step, answers: task.evaluation(PROBES).map(({ id }) => answers.get(id) ?? none) });
  if (turns.length === 0) return record();
  const batch = probeBatch(
    turns.map(({ trajectory }) => trajectory),
    vocabulary,
    trainedTemperature(trainer.config),
    model.sight,
  );
  const slots = turns.map(({ trajectory }): WeightSlot => (saidByStart(trajectory, task)[0] ? "reference" : "policy"));
  const scored = new Map<WeightSlot, Float32Array>();
  for (const slot of new Set(slots)) scored.set(slot, (await model.score(batch, slot)).logprobs_K);
  for (const [q, { example, trajectory }] of turns.entries()) {
    const group = { example, trajectories: [trajectory] };
    const [[judged] = []] = (task.maxTurns ?? 1) > 1 ? [] : await scoreGroups([group], rewards, trainer.config);
    const scores_K = scored.get(slots[q]!)!.subarray(batch.sequenceStart_Q[q]!, batch.sequenceStart_Q[q + 1]!);
    answers.set(example.id, answerOf(trajectory, scores_K, { vocabulary, places }, judged?.total ?? null));
  }
  return record();
}

/** What of a run its answers over time are told from. */
export type ProbedRun = Pick<ActiveRun, "probes" | "renderer" | "task">;

/** The prompts as they are put before the policy. */
function promptsOf({ task }: ProbedRun): readonly ProbePrompt[] {
  return task.evaluation(PROBES).map((example) => {
    const { messages } = task.envs.build(example, 0).start();
    return { exampleId: example.id, messages: messages.map(({ role, content }) => ({ role, content })), answer: example.answer };
  });
}

/** All that was recorded, with what its tokens read. */
export function probesOf(run: ProbedRun): Probed {
  const pieces: Record<number, string> = {};
  for (const { answers } of run.probes)
    for (const { tokens_T } of answers) for (const token of tokens_T.flat()) pieces[token] ??= run.renderer.piece(token);
  return { prompts: promptsOf(run), records: [...run.probes], pieces };
}
