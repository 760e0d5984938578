// The sampling and scoring half of a step: problems to groups of scored trajectories. With dynamic
// sampling (DAPO, Yu et al. 2025, section 3.2) groups whose rewards are all equal are dropped and
// other problems sampled in their place, within a limit, and the extra cost is counted.
import type { RunConfig } from "../../protocol/config.ts";
import { endToEnd } from "../../rl/objective/types.ts";
import { rewardGroups } from "../../rl/rewards/weightedReward.ts";
import { type GeneratorParts, generate, tooLongText } from "../../rl/rollout/generator.ts";
import type { Reward, RewardModel, TrajectoryGroup } from "../../rl/types.ts";
import { drawnAs } from "./sampledStep.ts";
import { StepRefused, type TrainerParts } from "./trainer.ts";

type SamplingParts = Pick<TrainerParts, "model" | "task" | "rewards" | "renderer" | "loader" | "random" | "pause" | "onTooLong">;

/** A group with the reward of each of its trajectories. */
interface ScoredGroup {
  readonly group: TrajectoryGroup;
  readonly rewards_G: readonly Reward[];
}

/** Problems of a step that may be left out before the run pauses and says so. */
export const MOST_LEFT_OUT = 256;

/** Samples one group for each of the next `count` problems that have room in the model's context. */
export async function sampleProblems(
  { model, task, renderer, loader, random, pause, onTooLong }: SamplingParts,
  config: RunConfig,
  count: number,
  onProgress: (done: number, total: number) => void,
): Promise<readonly TrajectoryGroup[]> {
  const policy = model.policy();
  let why = "";
  const parts: GeneratorParts = {
    policy,
    envs: task.envs,
    renderer,
    startAgents: task.startAgents ?? [],
    pause,
    onTooLong(example, tokens) {
      why = tooLongText(`the problem ${example.id}`, tokens, config.maxCompletionTokens, policy.maxPositions);
      onTooLong?.(why);
    },
  };
  const options = { ...drawnAs(config, task), copies: config.groupSize, random, onProgress };
  const groups: TrajectoryGroup[] = [];
  for (let asked = 0; groups.length < count; ) {
    const wanted = count - groups.length;
    if (asked - groups.length >= MOST_LEFT_OUT)
      throw new StepRefused(`${asked - groups.length} problems of this step are too long: ${why}`);
    groups.push(...(await generate(parts, loader.next(wanted), options)));
    asked += wanted;
  }
  return groups;
}

/**
 * Of more conversations without a verdict than this share, because a part of the reward failed, nothing is learnt: the
 * run pauses and says so.
 */
const MOST_FAILED = 0.5;

/** Throws where so many have not all their verdicts, with how many and what failed first. */
function checkScored(rewards_Q: readonly Reward[]): void {
  const failureOf = ({ parts }: Reward) => parts.find(({ weight, reason }) => weight !== 0 && reason !== undefined);
  const failed = rewards_Q.filter((reward) => failureOf(reward) !== undefined);
  const first = failed[0] && failureOf(failed[0]);
  if (!first || failed.length <= MOST_FAILED * rewards_Q.length) return;
  const isUnscored = failed.every(({ total }) => total === null);
  const count = failed.length;
  const all = rewards_Q.length;
  const how = `${count} of ${all} conversations could not be scored${isUnscored ? "" : " in full"}`;
  throw new StepRefused(`${isUnscored && count === all ? "no conversation could be scored" : how}: ${first.name}: ${first.reason}`);
}

/** Groups with their rewards. Throws where more than half could not be scored because parts failed. */
export async function judgeGroups(
  groups: readonly TrajectoryGroup[],
  rewards: RewardModel,
  config: RunConfig,
): Promise<readonly ScoredGroup[]> {
  const rewards_P_G = await rewardGroups(groups, rewards, config);
  checkScored(endToEnd(rewards_P_G));
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
