// The last rollouts of the run, whole groups of the newest steps, as they were scored and as a draft's rewards score them.
// Both are the engine's: the advantages are those that a step with these rewards would have had.
import type { CommandOf } from "../../../../../protocol/commands.ts";
import type { RunConfig } from "../../../../../protocol/config.ts";
import type { GroupRecord } from "../../../../../protocol/records.ts";
import { engine } from "../../../../engine/client.ts";

/** How many are shown, where so many are kept. */
export const BENCH_ROLLOUTS = 32;
/** Steps of few rollouts are not gone through for ever. */
const MOST_STEPS = 8;

/** What of a configuration says what an answer earns and may be replaced while a run goes on: what the engine scores anew by. */
export type RewardSettings = Required<NonNullable<CommandOf<"otherwise">["settings"]>>;

export function rewardSettings({ customRewards, judges, rewardRules, rewardWeights, rewardGates, rewardClip }: RunConfig): RewardSettings {
  return { customRewards, judges, rewardRules, rewardWeights, rewardGates, rewardClip };
}

/** A group as it was, and under the other rewards. */
export interface BenchGroup {
  readonly before: GroupRecord;
  readonly after: GroupRecord;
}

export interface Benched {
  readonly groups: readonly BenchGroup[];
  readonly assumptions: readonly string[];
}

/** Scores the groups of `step` and of those before it again, until there are enough. */
export async function benched(step: number, rewards: RewardSettings): Promise<Benched> {
  const groups: BenchGroup[] = [];
  const assumptions = new Set<string>();
  let count = 0;
  for (let at = step; at > Math.max(0, step - MOST_STEPS) && count < BENCH_ROLLOUTS; at--) {
    const before = await engine.request({ type: "inspect", step: at }).catch((error: unknown) => {
      // What came before the newest may be gone.
      if (at === step) throw error;
      return null;
    });
    if (!before) break;
    const after = await engine.request({ type: "otherwise", step: at, settings: rewards });
    for (const each of after.assumptions) assumptions.add(each);
    for (const [p, group] of before.groups.entries()) {
      if (count >= BENCH_ROLLOUTS) break;
      groups.push({ before: group, after: after.groups[p]! });
      count += group.trajectories.length;
    }
  }
  return { groups, assumptions: [...assumptions] };
}
