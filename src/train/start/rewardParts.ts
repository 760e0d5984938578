// The parts of a configuration's reward, which of its settings say what an answer earns, and whether its own code may run.
import { keysWith, type LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { InputError } from "../../protocol/problems.ts";
import { judgeParts, judgeProblems } from "../../rl/judge/judge.ts";
import { brokenCases, customParts } from "../../rl/rewards/customReward.ts";
import { libraryParts, rewardRules } from "../../rl/rewards/library/index.ts";
import { checkRead } from "../../rl/tasks/custom/world.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Additions, OwnWork } from "../host.ts";

/** Settings that say what an answer earns and may be replaced on the way, whole. */
export const REWARD_KEYS = keysWith("inReward").filter((key): key is keyof LiveSettings & typeof key =>
  keysWith("live").includes(key as never),
);

/** Whether a change is about what an answer earns. */
export function changesRewards(settings: Readonly<Record<string, unknown>>): boolean {
  return REWARD_KEYS.some((key) => key in settings);
}

/** The parts of a configuration's reward: the task's, rules of the library, code of its own, judges. Throws where a judge has no model. */
export function rewardParts(taskRewards: TaskInstance["rewards"], config: RunConfig, additions?: Additions): TaskInstance["rewards"] {
  const lacking = judgeProblems(config);
  if (lacking.length > 0) throw new InputError(lacking);
  const rules = [...rewardRules, ...(additions?.rewardRules ?? [])];
  const own = [...customParts(config.customRewards, config.seed), ...judgeParts(config)];
  return [...taskRewards, ...libraryParts(config.rewardRules, rules), ...own];
}

/** Refuses code that nobody here has read, and rewards that get one of their own cases wrong. */
export async function checkCode({ config }: { readonly config: RunConfig }, host: OwnWork): Promise<void> {
  checkRead(config, host);
  const { sandbox } = host;
  const problems = await brokenCases(config.customRewards, config.seed, sandbox);
  if (problems.length > 0) throw new InputError(problems);
}
