// The verdict on one conversation as training counts it: the reward model's, and the soft overlong
// punishment of the configuration as one more part.
import type { RunConfig } from "../../protocol/config.ts";
import type { Example, Reward, RewardModel, Trajectory } from "../types.ts";
import { overlongPunishment } from "./overlong.ts";

/** Tokens of the longest turn: the limit of sampled tokens is one of each turn. @param mask 1 where the policy sampled. */
export function longestTurn(mask: readonly number[]): number {
  let longest = 0;
  let turn = 0;
  for (const sampled of mask) {
    turn = sampled === 1 ? turn + 1 : 0;
    if (turn > longest) longest = turn;
  }
  return longest;
}

/** Scores a trajectory; one that no part could score is not punished either. */
export function scoreTrajectory(
  example: Example,
  trajectory: Trajectory,
  rewards: RewardModel,
  { overlongBuffer, maxCompletionTokens }: Pick<RunConfig, "overlongBuffer" | "maxCompletionTokens">,
): Reward {
  const reward = rewards.score(example, trajectory);
  if (overlongBuffer === 0 || reward.total === null) return reward;
  const value = overlongPunishment(longestTurn(trajectory.mask), maxCompletionTokens, overlongBuffer);
  return { ...reward, total: reward.total + value, parts: [...reward.parts, { name: "overlong", value, weight: 1 }] };
}
