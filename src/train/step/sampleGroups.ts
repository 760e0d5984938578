// The sampling and scoring half of a step: problems to groups of scored completions. With dynamic
// sampling (DAPO, Yu et al. 2025, section 3.2) groups whose rewards are all equal are dropped and
// other problems sampled in their place, within a limit, and the extra cost is counted.
import type { Model } from "../../model/model.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { sampleCompletions } from "../../rl/policy.ts";
import type { Random } from "../../rl/random.ts";
import { overlongPunishment } from "../../rl/rewards/overlong.ts";
import { rolloutGroups } from "../../rl/rollout.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { DataLoader, Renderer, Reward, RewardModel, TrajectoryGroup } from "../../rl/types.ts";

export interface SamplingParts {
  readonly model: Model;
  readonly task: TaskInstance;
  readonly rewards: RewardModel;
  readonly renderer: Renderer;
  readonly loader: DataLoader;
  readonly random: Random;
}

/** Samples one group for each of the next `count` problems. */
export async function sampleProblems(
  parts: SamplingParts,
  config: RunConfig,
  count: number,
  onProgress: (done: number, total: number) => void,
): Promise<readonly TrajectoryGroup[]> {
  const examples = parts.loader.next(count);
  const prompts = examples.map((example) => parts.renderer.renderPrompt(parts.task.envs.build(example).start().messages));
  const uniforms_BT = new Float32Array(count * config.groupSize * config.maxCompletionTokens);
  for (let i = 0; i < uniforms_BT.length; i++) uniforms_BT[i] = parts.random.uniform();
  const { groupSize: copies, maxCompletionTokens: maxNewTokens, temperature, topK, topP, minP } = config;
  const { stopTokens } = parts.renderer;
  const result = await sampleCompletions(parts.model.policy(), {
    prompts,
    copies,
    maxNewTokens,
    temperature,
    topK,
    topP,
    minP,
    stopTokens,
    uniforms_BT,
    onProgress,
  });
  return rolloutGroups({ examples, prompts, copies, maxNewTokens, result, envs: parts.task.envs, renderer: parts.renderer });
}

/** Scores every trajectory, sequence by sequence; the overlong punishment is one more part when it is on. */
export function scoreGroups(groups: readonly TrajectoryGroup[], rewards: RewardModel, config: RunConfig): readonly Reward[] {
  return groups.flatMap((group) =>
    group.trajectories.map((trajectory) => {
      const reward = rewards.score(group.example, trajectory);
      if (config.overlongBuffer === 0 || reward.total === null) return reward;
      const value = overlongPunishment(trajectory.tokens.length, config.maxCompletionTokens, config.overlongBuffer);
      return { ...reward, total: reward.total + value, parts: [...reward.parts, { name: "overlong", value, weight: 1 }] };
    }),
  );
}

/** Whether a group's scored rewards are all the same, so that it can teach nothing. */
function isFlat(rewards: readonly Reward[]): boolean {
  const totals = rewards.flatMap(({ total }) => (total === null ? [] : [total]));
  return totals.every((total) => total === totals[0]);
}

export interface RefillResult {
  readonly groups: readonly TrajectoryGroup[];
  readonly rewards_Q: readonly Reward[];
  /** Groups sampled in all, the dropped ones included. */
  readonly sampledGroups: number;
}

/** Replaces flat groups by further problems' groups until none is flat or the round limit is reached; then flat ones stay. */
export async function refillFlatGroups(
  parts: SamplingParts,
  config: RunConfig,
  first: readonly TrajectoryGroup[],
  firstRewards: readonly Reward[],
): Promise<RefillResult> {
  const split = (groups: readonly TrajectoryGroup[], rewards_Q: readonly Reward[]) => {
    let q = 0;
    return groups.map((group) => {
      const rewards = rewards_Q.slice(q, q + group.trajectories.length);
      q += group.trajectories.length;
      return { group, rewards };
    });
  };
  let all = split(first, firstRewards);
  let sampledGroups = first.length;
  for (let round = 1; round < config.dynamicSamplingMax; round++) {
    const flat = all.filter(({ rewards }) => isFlat(rewards));
    if (flat.length === 0) break;
    const more = await sampleProblems(parts, config, flat.length, () => {});
    sampledGroups += more.length;
    const useful = split(more, scoreGroups(more, parts.rewards, config)).filter(({ rewards }) => !isFlat(rewards));
    all = [...all.filter(({ rewards }) => !isFlat(rewards)), ...useful, ...flat.slice(useful.length)];
  }
  return { groups: all.map(({ group }) => group), rewards_Q: all.flatMap(({ rewards }) => rewards), sampledGroups };
}
