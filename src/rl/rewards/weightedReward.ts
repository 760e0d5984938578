// Combines named parts into the one number a policy is trained on. A part that returns null for a
// trajectory is left out rather than counted as zero, and a trajectory that no part could score has no
// reward at all.
import type { RewardPartRecord } from "../../protocol/records.ts";
import type { TaskInstance } from "../tasks/task.ts";
import type { RewardModel } from "../types.ts";
import { combineParts, combineTurns, PLAIN_SUM, type RewardTransform } from "./combineParts.ts";

/**
 * A reward model over a task's named parts. `weights` replaces default weights by name. `total` is null
 * when no weighted part could score.
 */
export function weightedReward(
  task: Pick<TaskInstance, "rewards" | "isSuccess">,
  weights: Readonly<Record<string, number>>,
  transform: RewardTransform = PLAIN_SUM,
): RewardModel {
  return {
    score(example, trajectory) {
      const records = task.rewards.map((part): RewardPartRecord => {
        const value = part.score(example, trajectory);
        if (value !== null && !Number.isFinite(value)) throw new Error(`reward part ${part.name} must be finite, got ${value}`);
        const turns = value === null ? null : (part.turns?.(example, trajectory) ?? null);
        return { name: part.name, value, weight: weights[part.name] ?? part.weight, ...(turns ? { turns } : {}) };
      });
      const total = combineParts(records, transform);
      const turns = total === null ? null : combineTurns(records, total);
      return { total, parts: records, success: task.isSuccess(example, trajectory), ...(turns ? { turns } : {}) };
    },
  };
}
