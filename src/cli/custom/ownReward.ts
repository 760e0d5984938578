// Rewards that somebody wrote, in a JavaScript or TypeScript file that a configuration names with the function
// that it exports. The function becomes the reward of the run; the task's own parts stay
// as metrics, with weight 0 unless the configuration weighs them.

import type { TaskEntry } from "../../protocol/catalog.ts";
import type { RunConfigInput } from "../../protocol/config.ts";
import { isRecord, showValue } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { hash32 } from "../../rl/data/problems.ts";
import { Random } from "../../rl/random.ts";
import { rewardRules } from "../../rl/rewards/library/index.ts";
import type { LibraryRule } from "../../rl/rewards/library/libraryRule.ts";
import { type Judged, judgedOf } from "../../rl/rewards/rewardRule.ts";
import type { Task } from "../../rl/tasks/task.ts";
import type { PartVerdict, Rollout } from "../../rl/types.ts";
import { catalog } from "../../train/catalog.ts";
import { CommandError } from "../lab/exit.ts";
import { type CodeReference, loadExport } from "./codeFile.ts";
import { isPromise, type TimeLimit } from "./timeLimit.ts";

/** What a reward is handed beside a conversation, as on the page: no options, and a generator of the conversation's own. */
function secondOf(judged: Judged) {
  const random = new Random(hash32(JSON.stringify(judged)));
  return {
    options: {},
    random: {
      uniform: () => random.uniform(),
      below: (count: number) => Math.floor(random.uniform() * count),
      pick: <T>(list: readonly T[]) => list[Math.floor(random.uniform() * list.length)],
    },
  };
}

type RewardFunction = (judged: Judged, second: ReturnType<typeof secondOf>) => unknown;

/** The reward as a rule without settings. Throws a CommandError where its name is taken. */
export async function loadReward(reference: CodeReference, limit: TimeLimit): Promise<LibraryRule> {
  const { path, name } = reference;
  const score = (await loadExport(reference, "function")) as RewardFunction;
  if (rewardRules.some((rule) => rule.name === name))
    throw new CommandError(`${path}: the reward must have another name than ${name}, which the library has`);
  const verdictOf = (value: unknown): PartVerdict => {
    if (value === null || typeof value === "number" || (isRecord(value) && typeof value.reason === "string")) return value as PartVerdict;
    return { reason: `${path}: ${name} must return a number, or null where it cannot judge, got ${showValue(value)}` };
  };
  const thrown = (error: unknown) => ({
    reason: `${path}: ${name} threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`,
  });
  const judge = ({ example, trajectory }: Rollout): unknown => {
    try {
      const judged = judgedOf(example, trajectory);
      // A generator is made for those that ask for it alone.
      return score.length < 2 ? (score as (judged: Judged) => unknown)(judged) : score(judged, secondOf(judged));
    } catch (error) {
      return thrown(error);
    }
  };
  const scoreBatch = (rollouts: readonly Rollout[]) => {
    const said = limit.each(rollouts, judge);
    if (!said.some(isPromise)) return said.map(verdictOf);
    // The function may answer later, as one that asks another program does.
    return Promise.all(said.map((each) => (isPromise(each) ? limit.wait(each, thrown).then(verdictOf) : verdictOf(each))));
  };
  const entry = { name, title: name, help: `Of ${path}.`, weight: 1 };
  return { ...entry, settingsSchema: z.strictObject({}), fields: [], part: () => ({ ...entry, scoreBatch }) };
}

/** A configuration in which that reward counts and the task's own parts are metrics. @param own tasks that no registry has. */
export function withMetrics(input: RunConfigInput, name: string, own: readonly TaskEntry[]): RunConfigInput {
  const parts = [...catalog.tasks, ...own].find(({ id }) => id === (input.task ?? "digit-sum"))?.rewards ?? [];
  const metrics = Object.fromEntries(parts.map((part) => [part.name, 0]));
  return { ...input, rewardWeights: { ...metrics, [name]: 1, ...input.rewardWeights } };
}

/** The same for a reward of a file, which is a rule of the host's. */
export function withReward(input: RunConfigInput, name: string, own: readonly Task[]): RunConfigInput {
  const rules = { ...input, rewardRules: { ...input.rewardRules, [name]: {} } };
  return withMetrics(
    rules,
    name,
    own.map(({ entry }) => entry),
  );
}
