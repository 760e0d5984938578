// Combines named parts into the one number a policy is trained on. A part that returns null for a
// trajectory is left out rather than counted as zero, and a trajectory that no part could score has no
// reward at all.
import type { RewardPartRecord } from "../../protocol/records.ts";
import type { TaskInstance } from "../tasks/task.ts";
import type { RewardModel } from "../types.ts";

/** Σ weight · value over the parts that could score; parts of weight 0 are metrics and decide nothing. */
function total(records: readonly RewardPartRecord[]): number | null {
  // With every weight 0 there is nothing to learn but also nothing wrong: the sum is 0.
  const isWeighted = records.some((record) => record.weight !== 0);
  let sum: number | null = null;
  for (const { value, weight } of records) {
    if (value !== null && (weight !== 0 || !isWeighted)) sum = (sum ?? 0) + weight * value;
  }
  return sum;
}

/**
 * A reward model over a task's named parts. `weights` replaces default weights by name. `total` is null
 * when no weighted part could score.
 */
export function weightedReward(task: Pick<TaskInstance, "rewards" | "isSuccess">, weights: Readonly<Record<string, number>>): RewardModel {
  return {
    score(example, trajectory) {
      const records = task.rewards.map((part): RewardPartRecord => {
        const value = part.score(example, trajectory);
        if (value !== null && !Number.isFinite(value)) throw new Error(`reward part ${part.name} must be finite, got ${value}`);
        return { name: part.name, value, weight: weights[part.name] ?? part.weight };
      });
      return { total: total(records), parts: records, success: task.isSuccess(example, trajectory) };
    },
  };
}
