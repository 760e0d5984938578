// A kept step under other rewards, for whoever wants to know what they would have made of it before a run is
// started with them.
import type { CommandOf } from "../../protocol/commands.ts";
import type { RescoredGroups, StepGroups } from "../../protocol/messages.ts";
import { rescore } from "../../rl/rescore.ts";
import { arithmeticOf } from "../step/stepRecords.ts";
import { planRun, rewardModel } from "./prepareRun.ts";

type OtherRewards = Omit<CommandOf<"rescore">, "id" | "type" | "step">;

/** Throws InputError where the rewards are not those of a configuration. */
export function rescoreStep({ step, config: taken, groups }: StepGroups, rewards: OtherRewards): RescoredGroups {
  // Checked as a run's configuration would be, whose settings they are.
  const plan = planRun({ config: { ...taken, ...rewards } });
  const { rewards_P_G, advantages_P_G, terms, zeroSpread_P, assumptions } = rescore(groups, rewardModel(plan), plan.config);
  let q = 0;
  return {
    step,
    config: plan.config,
    groups: groups.map((group, p) => ({
      ...group,
      zeroSpread: zeroSpread_P[p] ?? false,
      trajectories: group.trajectories.map(({ turnRewards: _, arithmetic: __, ...trajectory }, g) => {
        const { total, parts, turns, success } = rewards_P_G[p]![g]!;
        return {
          ...trajectory,
          ...{ rewardParts: parts, reward: total, advantage: advantages_P_G[p]![g]!, success },
          ...(turns ? { turnRewards: turns } : {}),
          ...arithmeticOf(terms, q++),
        };
      }),
    })),
    assumptions,
  };
}
