// Evaluation on held-out problems: greedy accuracy, sampled accuracy and pass@k, always on the same
// problems with the same random draws, so that two evaluations differ only by the policy.

import type { RunConfig } from "../protocol/config.ts";
import type { BaselineRecord, EvaluationRecord } from "../protocol/records.ts";
import { type Interval, meanInterval, passAtK, wilsonInterval } from "../rl/accuracy.ts";
import type { Policy } from "../rl/policy.ts";
import { sampleCompletions } from "../rl/policy.ts";
import { Random } from "../rl/random.ts";
import { rolloutGroups } from "../rl/rollout.ts";
import type { TaskInstance } from "../rl/tasks/task.ts";
import type { Example, Renderer, RewardModel, Trajectory, TrajectoryGroup } from "../rl/types.ts";

export interface EvaluationContext {
  readonly config: RunConfig;
  readonly policy: Policy;
  readonly renderer: Renderer;
  readonly task: TaskInstance;
  readonly rewards: RewardModel;
}

/** Draws that do not depend on how long training has gone on. */
function evaluationRandom(config: RunConfig): Random {
  return new Random(config.seed).fork("evaluation");
}

/** Samples `copies` completions of each example; temperature 0 decodes greedily. */
export async function sampleExamples(
  context: EvaluationContext,
  examples: readonly Example[],
  options: { readonly copies: number; readonly temperature: number; readonly random: Random },
): Promise<readonly TrajectoryGroup[]> {
  const { config, renderer, task } = context;
  const prompts = examples.map((example) => renderer.renderPrompt(task.envs.build(example).start().messages));
  const uniforms_BT = new Float32Array(examples.length * options.copies * config.maxCompletionTokens);
  if (options.temperature > 0) for (let i = 0; i < uniforms_BT.length; i++) uniforms_BT[i] = options.random.uniform();
  const request = {
    prompts,
    copies: options.copies,
    maxNewTokens: config.maxCompletionTokens,
    temperature: options.temperature,
    topK: options.temperature > 0 ? config.topK : 0,
    topP: options.temperature > 0 ? config.topP : 1,
    minP: options.temperature > 0 ? config.minP : 0,
    stopTokens: renderer.stopTokens,
    uniforms_BT,
  };
  const result = await sampleCompletions(context.policy, request);
  return rolloutGroups({
    examples,
    prompts,
    copies: options.copies,
    maxNewTokens: request.maxNewTokens,
    result,
    envs: task.envs,
    renderer,
  });
}

function accuracyOf(context: EvaluationContext, groups: readonly TrajectoryGroup[]) {
  const { task } = context;
  const right_PG = groups.map((group) => group.trajectories.map((trajectory) => task.isSuccess(group.example, trajectory)));
  const all = groups.flatMap((group) => group.trajectories.map((trajectory): [Example, Trajectory] => [group.example, trajectory]));
  const form = all.filter(([example, trajectory]) => task.hasForm(example, trajectory)).length / all.length;
  const reward = all.reduce((sum, [example, trajectory]) => sum + (context.rewards.score(example, trajectory).total ?? 0), 0) / all.length;
  return { right_PG, form, reward };
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

/** Evaluates the policy on the task's first `evalProblems` held-out problems. */
export async function evaluate(
  context: EvaluationContext,
  step: number,
  onProgress: (done: number, total: number) => void,
): Promise<EvaluationRecord> {
  const { config, task } = context;
  const examples = task.evaluation(config.evalProblems);
  const random = evaluationRandom(config);
  onProgress(0, 2);
  const greedy = accuracyOf(context, await sampleExamples(context, examples, { copies: 1, temperature: 0, random }));
  onProgress(1, 2);
  const sampled = accuracyOf(
    context,
    await sampleExamples(context, examples, { copies: config.evalSamples, temperature: config.temperature, random }),
  );
  onProgress(2, 2);
  const greedyRight = greedy.right_PG.filter((right_G) => right_G[0]).length;
  const correct_P = sampled.right_PG.map((right_G) => right_G.filter(Boolean).length);
  const share_P = correct_P.map((correct) => correct / config.evalSamples);
  const mean = share_P.reduce((sum, share) => sum + share, 0) / share_P.length;
  const pass: Record<number, number> = {};
  for (const k of ksUpTo(config.evalSamples))
    pass[k] = correct_P.reduce((sum, correct) => sum + passAtK(config.evalSamples, correct, k), 0) / correct_P.length;
  return {
    step,
    problems: examples.length,
    samplesPerProblem: config.evalSamples,
    greedyAccuracy: greedyRight / examples.length,
    greedyInterval: wilsonInterval(greedyRight, examples.length),
    sampledAccuracy: mean,
    sampledInterval: examples.length > 1 ? withinShares(meanInterval(share_P)) : wilsonInterval(correct_P[0] ?? 0, config.evalSamples),
    passAtK: pass,
    formRate: greedy.form,
    meanReward: sampled.reward,
  };
}

/** Number of completions the random baseline is measured on. */
const RANDOM_SAMPLES = 512;

/** What drawing every token uniformly reaches on the held-out problems. */
export function measureRandomBaseline(context: EvaluationContext): BaselineRecord {
  const { config, renderer, task } = context;
  const random = new Random(config.seed).fork("random baseline");
  const examples = task.evaluation(config.evalProblems);
  const copies = Math.ceil(RANDOM_SAMPLES / examples.length);
  const B = examples.length * copies;
  const T = config.maxCompletionTokens;
  const tokens_BT = new Int32Array(B * T).fill(-1);
  const lengths_B = new Int32Array(B);
  const stopped_B = new Uint8Array(B);
  const drawable = task.tableTokens ?? renderer.vocabularySize;
  for (let b = 0; b < B; b++) {
    for (let t = 0; t < T && stopped_B[b] === 0; t++) {
      const token = random.below(drawable);
      tokens_BT[b * T + t] = token;
      lengths_B[b] = t + 1;
      if (renderer.stopTokens.includes(token)) stopped_B[b] = 1;
    }
  }
  const prompts = examples.map((example) => renderer.renderPrompt(task.envs.build(example).start().messages));
  const result = {
    tokens_BT,
    lengths_B,
    stopped_B,
    logprobs_BT: new Float32Array(B * T).fill(-Math.log(drawable)),
    entropies_BT: new Float32Array(B * T).fill(Math.log(drawable)),
  };
  const scored = accuracyOf(context, rolloutGroups({ examples, prompts, copies, maxNewTokens: T, result, envs: task.envs, renderer }));
  const right = scored.right_PG.flat().filter(Boolean).length;
  return { kind: "random", meanReward: scored.reward, accuracy: right / B, interval: wilsonInterval(right, B), samples: B };
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
