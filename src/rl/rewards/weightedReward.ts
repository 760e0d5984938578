// Combines named parts into the one number a policy is trained on. A part that returns null for a
// trajectory is left out rather than counted as zero, and a trajectory that no part could score has no
// reward at all.
import { InputError } from "../../protocol/problems.ts";
import type { RewardPartRecord } from "../../protocol/records.ts";
import type { TaskInstance } from "../tasks/task.ts";
import type { RewardModel, RewardPart } from "../types.ts";

function checkWeights(parts: readonly RewardPart[], weights: Readonly<Record<string, number>>): void {
  const names = parts.map((part) => part.name);
  const problems = Object.keys(weights)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      field: `rewardWeights.${name}`,
      message: `unknown reward part ${JSON.stringify(name)}, choose from ${names.join(", ")}`,
    }));
  if (problems.length > 0) throw new InputError(problems);
}

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
 * A reward model over a task's named parts. `weights` replaces default weights by name; a name that
 * no part has throws InputError. `total` is null when no weighted part could score.
 */
export function weightedReward(task: Pick<TaskInstance, "rewards" | "isSuccess">, weights: Readonly<Record<string, number>>): RewardModel {
  checkWeights(task.rewards, weights);
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
