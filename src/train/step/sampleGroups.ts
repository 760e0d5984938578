// The sampling and scoring half of a step: problems to groups of scored trajectories. With dynamic
// sampling (DAPO, Yu et al. 2025, section 3.2) groups whose rewards are all equal are dropped and
// other problems sampled in their place, within a limit, and the extra cost is counted.
import type { RunConfig } from "../../protocol/config.ts";
import { scoreGroups } from "../../rl/rewards/weightedReward.ts";
import { generate } from "../../rl/rollout/generator.ts";
import type { Reward, RewardModel, TrajectoryGroup } from "../../rl/types.ts";
import { StepRefused, type TrainerParts } from "./trainer.ts";

type SamplingParts = Pick<TrainerParts, "model" | "task" | "rewards" | "renderer" | "loader" | "random" | "pause">;

/** A group with the reward of each of its trajectories. */
export interface ScoredGroup {
  readonly group: TrajectoryGroup;
  readonly rewards_G: readonly Reward[];
}

/** Samples one group for each of the next `count` problems. */
export function sampleProblems(
  { model, task, renderer, loader, random, pause }: SamplingParts,
  config: RunConfig,
  count: number,
  onProgress: (done: number, total: number) => void,
): Promise<readonly TrajectoryGroup[]> {
  const { temperature, topK, topP, minP } = config;
  const parts = { policy: model.policy(), envs: task.envs, renderer, startAgents: task.startAgents ?? [], pause };
  return generate(parts, loader.next(count), {
    copies: config.groupSize,
    maxNewTokens: config.maxCompletionTokens,
    maxTurns: task.maxTurns ?? 1,
    temperature,
    topK,
    topP,
    minP,
    random,
    onProgress,
  });
}

/** Groups with their rewards. Throws where none could be scored because parts failed: there is nothing to train on, and a sentence why. */
export async function judgeGroups(
  groups: readonly TrajectoryGroup[],
  rewards: RewardModel,
  config: RunConfig,
): Promise<readonly ScoredGroup[]> {
  const rewards_P_G = await scoreGroups(groups, rewards, config);
  const rewards_Q = rewards_P_G.flat();
  if (rewards_Q.every(({ total }) => total === null)) {
    const failed = rewards_Q.flatMap(({ parts }) => parts).find(({ weight, reason }) => weight !== 0 && reason !== undefined);
    if (failed) throw new StepRefused(`no conversation could be scored: ${failed.name}: ${failed.reason}`);
  }
  return groups.map((group, p) => ({ group, rewards_G: rewards_P_G[p]! }));
}

/** Whether a group's scored rewards are all the same, those of turns too where these count, so that it can teach nothing. */
function isFlat({ rewards_G }: ScoredGroup, { credit, agentRewards }: RunConfig): boolean {
  const countsTurns = credit === "turn" || agentRewards === "own";
  const scored = rewards_G.flatMap(({ total, turns = [] }) => (total === null ? [] : [[total, ...(countsTurns ? turns : [])].join(" ")]));
  return scored.every((rewards) => rewards === scored[0]);
}

/** Replaces flat groups by further problems' groups until none is flat or the round limit is reached; then flat ones stay. */
export async function refillFlatGroups(parts: SamplingParts, config: RunConfig, first_P: readonly ScoredGroup[]) {
  let scored_P = first_P;
  const flat = (one: ScoredGroup) => isFlat(one, config);
  /** The dropped ones included. */
  let sampledGroups = first_P.length;
  for (let round = 1; round < config.dynamicSamplingMax; round++) {
    const dropped = scored_P.filter(flat);
    if (dropped.length === 0) break;
    const more = await sampleProblems(parts, config, dropped.length, () => {});
    sampledGroups += more.length;
    const useful = (await judgeGroups(more, parts.rewards, config)).filter((one) => !flat(one));
    scored_P = [...scored_P.filter((one) => !flat(one)), ...useful, ...dropped.slice(useful.length)];
  }
  return { scored_P, sampledGroups };
}
