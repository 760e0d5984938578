// Evaluation on held-out problems: greedy accuracy, sampled accuracy and pass@k, always on the same
// problems with the same random draws, so that two evaluations differ only by the policy. Conversations are
// judged in chunks and forgotten, so that memory does not grow with the number of problems.

import type { RunConfig } from "../protocol/config.ts";
import type { BaselineRecord, EvaluationRecord } from "../protocol/records.ts";
import { type Interval, meanInterval, passAtK, wilsonInterval } from "../rl/accuracy.ts";
import { meanOf } from "../rl/advantage/statistics.ts";
import { hash32 } from "../rl/data/problems.ts";
import { envMetrics } from "../rl/metrics/rewardMetrics.ts";
import type { Policy } from "../rl/policy.ts";
import { Random } from "../rl/random.ts";
import { scoreGroups } from "../rl/rewards/weightedReward.ts";
import { generateInChunks } from "../rl/rollout/generator.ts";
import { uniformPolicy } from "../rl/rollout/uniformPolicy.ts";
import type { TaskInstance } from "../rl/tasks/task.ts";
import type { Example, Renderer, RewardModel } from "../rl/types.ts";
import { drawnAs } from "./step/sampledStep.ts";

/** What is evaluated, and under which configuration. */
export interface EvaluationContext {
  readonly config: RunConfig;
  readonly policy: Policy;
  readonly renderer: Renderer;
  readonly task: TaskInstance;
  readonly rewards: RewardModel;
  /** Lets commands in between two turns. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** What sampled conversations reached. */
interface Outcome {
  /** The problems that have room in the model's context. */
  readonly asked: readonly Example[];
  readonly right_P_G: readonly (readonly boolean[])[];
  /** Share of answers with the required form, and the mean reward of those that could be scored. */
  readonly form: number;
  readonly reward: number | null;
  /** Means of what environments report. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Samples `copies` conversations of each example and judges them as they come; temperature 0 decodes greedily. */
async function measure(
  { config, policy, renderer, task, rewards, pause }: EvaluationContext,
  examples: readonly Example[],
  options: { readonly copies: number; readonly temperature: number; readonly random: Random },
): Promise<Outcome> {
  const chunks = generateInChunks(
    // A problem that is too long is none of the evaluation's: no answer to it could be right.
    { policy, envs: task.envs, renderer, startAgents: task.startAgents ?? [], pause, onTooLong: () => {} },
    examples,
    { ...drawnAs(config, task), ...options },
  );
  const asked: Example[] = [];
  const right_P_G: boolean[][] = [];
  const reported: (Readonly<Record<string, number>> | undefined)[] = [];
  const totals: number[] = [];
  let form = 0;
  for await (const groups of chunks) {
    const rewards_P_G = await scoreGroups(groups, rewards, config);
    for (const rewards_G of rewards_P_G) {
      right_P_G.push(rewards_G.map(({ success }) => success));
      for (const { total } of rewards_G) if (total !== null) totals.push(total);
    }
    for (const { example, trajectories } of groups) {
      asked.push(example);
      for (const trajectory of trajectories) {
        reported.push(trajectory.report?.metrics);
        if (task.hasForm(example, trajectory)) form += 1;
      }
    }
  }
  if (asked.length === 0)
    throw new Error(
      `no held-out problem has room in the model's ${policy.maxPositions} positions beside a completion of ${config.maxCompletionTokens}`,
    );
  const reward = totals.length === 0 ? null : meanOf(totals);
  return { asked, right_P_G, form: form / reported.length, reward, metrics: envMetrics(reported) };
}

/** A t interval of shares may reach past what a share can be. */
function withinShares([low, high]: Interval): Interval {
  return [Math.max(0, low), Math.min(1, high)];
}

/** Powers of two up to n, and n itself. */
function ksUpTo(n: number): readonly number[] {
  const ks: number[] = [];
  for (let k = 1; k <= n; k *= 2) ks.push(k);
  if (ks.at(-1) !== n) ks.push(n);
  return ks;
}

/**
 * The first `evalProblems` held-out problems, whether it is the only problem there is, which training asks too, and how
 * often each is sampled.
 */
export function heldOut(task: TaskInstance, { evalProblems, evalSamples }: RunConfig) {
  const found = task.evaluation(evalProblems + 1);
  const examples = found.slice(0, evalProblems);
  // A task with fewer problems than asked for is sampled as often in all.
  const copies = evalSamples * Math.max(1, Math.floor(evalProblems / examples.length));
  const isOnly = found.length === 1 && task.trainLoader().next(1)[0]?.id === found[0]!.id;
  return { examples, isOnly, copies };
}

/** Evaluates the policy on the task's first `evalProblems` held-out problems. */
export async function evaluate(
  context: EvaluationContext,
  step: number,
  onProgress: (done: number, total: number) => void,
): Promise<EvaluationRecord> {
  const { config, task } = context;
  const { examples: found, isOnly, copies } = heldOut(task, config);
  // Draws that do not depend on how long training has gone on.
  const random = new Random(config.seed).fork("evaluation");
  onProgress(0, 2);
  const greedy = await measure(context, found, { copies: 1, temperature: 0, random });
  onProgress(1, 2);
  const sampled = await measure(context, greedy.asked, { copies, temperature: config.temperature, random });
  const examples = sampled.asked;
  onProgress(2, 2);
  const isAsked = new Set(examples);
  const greedyRight_P = greedy.right_P_G.flatMap((right_G, p) => (isAsked.has(greedy.asked[p]!) ? [right_G[0] ? 1 : 0] : []));
  const greedyRight = greedyRight_P.filter((right) => right === 1).length;
  const greedyAccuracy = greedyRight / examples.length;
  const correct_P = sampled.right_P_G.map((right_G) => right_G.filter(Boolean).length);
  const share_P = correct_P.map((correct) => correct / copies);
  const mean = meanOf(share_P);
  const pass: Record<number, number> = {};
  for (const k of ksUpTo(config.evalSamples))
    pass[k] = correct_P.reduce((sum, correct) => sum + passAtK(copies, correct, k), 0) / correct_P.length;
  return {
    step,
    problems: examples.length,
    samplesPerProblem: copies,
    greedyAccuracy,
    // The one answer to the one problem there is leaves nothing to chance. Problems that are held out say, also where they
    // are all there are, as those of a file, how the policy would fare with others of their kind.
    greedyInterval: isOnly ? [greedyAccuracy, greedyAccuracy] : wilsonInterval(greedyRight, examples.length),
    sampledAccuracy: mean,
    sampledInterval: examples.length > 1 ? withinShares(meanInterval(share_P)) : wilsonInterval(correct_P[0] ?? 0, copies),
    passAtK: pass,
    formRate: greedy.form,
    meanReward: sampled.reward,
    ...(Object.keys(sampled.metrics).length > 0 ? { metrics: sampled.metrics } : {}),
    outcomes: { problemsHash: hash32(JSON.stringify(examples.map(({ id }) => id))), right_P: correct_P, greedyRight_P },
  };
}

/** Number of completions the random baseline is measured on; fewer where a second model has to read them all. */
const RANDOM_SAMPLES = 512;
const JUDGED_SAMPLES = 32;

/** What drawing every token uniformly reaches on the held-out problems. */
export async function measureRandomBaseline(context: EvaluationContext): Promise<BaselineRecord> {
  const { config, renderer, task } = context;
  const random = new Random(config.seed).fork("random baseline");
  const examples = task.evaluation(config.evalProblems);
  const isJudged = task.rewards.some((part) => "judged" in part);
  const copies = Math.ceil((isJudged ? JUDGED_SAMPLES : RANDOM_SAMPLES) / examples.length);
  const chance: EvaluationContext = { ...context, policy: uniformPolicy(task.tableTokens ?? renderer.vocabularySize) };
  const scored = await measure(chance, examples, { copies, temperature: 1, random });
  const right = scored.right_P_G.flat().filter(Boolean).length;
  const samples = examples.length * copies;
  return { kind: "random", meanReward: scored.reward, accuracy: right / samples, interval: wilsonInterval(right, samples), samples };
}

/** The starting policy's own figures, read off its first evaluation. */
export function startBaseline(evaluation: EvaluationRecord): BaselineRecord {
  return {
    kind: "start",
    meanReward: evaluation.meanReward,
    accuracy: evaluation.sampledAccuracy,
    interval: evaluation.sampledInterval,
    samples: evaluation.problems * evaluation.samplesPerProblem,
  };
}
