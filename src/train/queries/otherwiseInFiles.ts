// Rollouts that another program wrote, under other rewards: what its files hold is scored again by rules of the library, by code in the
// sandbox and by judges, beside the parts that it recorded. No run, task or algorithm of it is known, so no advantages follow here: whoever
// asks says by which rule they are made (rl/otherwise/fileRewards.ts).
import type { OtherwiseStep } from "../../protocol/asked.ts";
import type { CommandOf } from "../../protocol/commands.ts";
import type { StepGroups } from "../../protocol/messages.ts";
import type { TraceReport } from "../../protocol/rollouts/traces.ts";
import { checkFileRewards, partsInFiles } from "../../rl/otherwise/fileRewards.ts";
import { rolloutsOf } from "../../rl/otherwise/rescore.ts";
import { rewardGroups } from "../../rl/rewards/weightedReward.ts";
import { checkRead } from "../../rl/tasks/custom/world.ts";
import type { Trajectory } from "../../rl/types.ts";
import type { Computing, OwnWork } from "../host.ts";
import { rewardParts } from "../start/rewardParts.ts";
import { rewardModel } from "../start/runRewards.ts";

type Request = Pick<CommandOf<"otherwise">, "settings" | "algorithm" | "byHand" | "copy">;

/** What had to be taken for granted, a sentence each. */
function assumptionsOf({ groups }: StepGroups, { settings = {} }: Request, { tokens }: TraceReport): readonly string[] {
  const isOpen = groups.some(({ trajectories }) => trajectories.some(({ stopReason }) => stopReason === null));
  const hasCode = Object.keys(settings.customRewards ?? {}).length > 0;
  return [
    ...(isOpen && hasCode ? ["Where no file says why an answer ended, code is told that it ended by itself."] : []),
    ...(tokens === "words" && Object.keys(settings.rewardRules ?? {}).length > 0
      ? ["Lengths are counted in words, since the files hold no tokens."]
      : []),
  ];
}

/** A step of files with the rewards that follow; its advantages are null. Throws InputError where a reward cannot be asked of it. */
export async function scoredInFiles(
  kept: StepGroups,
  request: Request,
  report: TraceReport,
  host: Computing & OwnWork,
): Promise<OtherwiseStep> {
  const { settings = {}, algorithm, byHand, copy } = request;
  if (algorithm !== undefined || byHand || copy)
    throw new Error("these rollouts were made elsewhere: only their rewards can be others here");
  const none = { rewardRules: {}, customRewards: {}, judges: {}, rewardGates: {}, rewardClip: 0 };
  const config = { ...kept.config, rewardWeights: {}, ...none, ...settings };
  const { groups, step } = kept;
  checkFileRewards(groups, config);
  checkRead(config, host);
  const { kept: rollouts, recordOf } = rolloutsOf(groups);
  const record = (trajectory: Trajectory) => {
    const found = recordOf.get(trajectory);
    if (!found) throw new Error("internal: a trajectory that is in no file was scored");
    return found;
  };
  const added = rewardParts([], config, host.additions);
  const rewards = [
    ...partsInFiles(
      groups,
      added.map(({ name }) => name),
      record,
    ),
    ...added,
  ];
  const instance = { rewards, isSuccess: () => false };
  const rewards_P_G = await rewardGroups(rollouts, rewardModel({ config, instance }, host), config);
  return {
    step,
    config,
    copy: null,
    assumptions: assumptionsOf(kept, request, report),
    groups: groups.map((group, p) => ({
      ...group,
      trajectories: group.trajectories.map(({ turnRewards: _, arithmetic: __, ...trajectory }, g) => {
        const { total, parts } = rewards_P_G[p]![g]!;
        return { ...trajectory, rewardParts: parts, reward: total, advantage: null };
      }),
    })),
  };
}
