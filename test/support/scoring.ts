// One conversation at a time before rewards that take many.
import type { Example, Reward, RewardModel, RewardPart, RulePart, Trajectory } from "../../src/rl/types.ts";

const NO_LIMIT = { maxCompletionTokens: 1, overlongBuffer: 0 };

/** The verdict on one conversation. */
export async function scoreOne(rewards: RewardModel, example: Example, trajectory: Trajectory, limit = NO_LIMIT): Promise<Reward> {
  const [reward] = await rewards.scoreBatch([{ example, trajectory }], limit);
  if (!reward) throw new Error("a reward model must give a verdict for each conversation");
  return reward;
}

/** A part that is a plain rule; throws for another. */
export function asRule(part: RewardPart | undefined): RulePart {
  if (!part || !("score" in part)) throw new Error("must be a plain rule");
  return part;
}
