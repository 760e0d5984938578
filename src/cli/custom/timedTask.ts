// A custom task of which no call lasts for ever: an environment that is late ends its conversation, a verdict
// that is late is null, and a task that cannot even say what its problems are is refused. What conversations ask for
// many at once is asked in batches, so that a plain rule is as quick as without a limit.
import { isFailure } from "../../rl/envs/stepEnvs.ts";
import type { Task, TaskInstance } from "../../rl/tasks/task.ts";
import type { Action, Env, EnvBuilder, Example, PartVerdict, RewardPart, Rollout, State, Trajectory } from "../../rl/types.ts";
import type { TimeLimit } from "./timeLimit.ts";

/** What a list of problems, or the task itself, may take, in times of a call. */
const MANY = 12;

/** An environment that has told its opening; its report is asked for with its last step. */
function timedEnv(env: Env, opening: State, limit: TimeLimit): Env {
  let told: ReturnType<NonNullable<Env["report"]>> | undefined;
  const step = (action: Action) => {
    const state = env.step(action);
    if (state === null) told = env.report?.();
    return state;
  };
  return {
    start: () => opening,
    step: (action) => limit.call(() => step(action)),
    ...(env.report ? { report: () => told ?? limit.call(() => env.report!()) } : {}),
  };
}

/** In the place of one that could not be built: it opens as the problem does, and fails at the first turn. */
function failedEnv({ messages }: Example, reason: string): Env {
  const step = () => {
    throw new Error(reason);
  };
  return { start: () => ({ messages }), step };
}

function timedEnvs(own: EnvBuilder, limit: TimeLimit): EnvBuilder {
  // What is stepped elsewhere has its own way to be late.
  if (own.buildEnvs || own.stepEnvs) return own;
  const open = (example: Example, seed: number) => {
    const env = own.build(example, seed);
    return timedEnv(env, env.start(), limit);
  };
  return {
    build: (example, seed) => limit.call(() => open(example, seed)),
    buildEnvs: async (openings) =>
      limit
        .each(openings, ({ example, seed }) => open(example, seed))
        .map((env, i) => ("reason" in env ? failedEnv(openings[i]!.example, env.reason) : env)),
    stepEnvs: async (turns) => limit.each(turns, ({ env, action }) => env.step(action)),
  };
}

function timedPart(part: RewardPart, limit: TimeLimit): RewardPart {
  if ("scoreBatch" in part) return { ...part, scoreBatch: (rollouts) => limit.call(() => part.scoreBatch(rollouts), MANY) };
  // A sandbox has limits of its own.
  if ("sandboxed" in part || "judged" in part) return part;
  const { score, turns } = part;
  if (turns)
    return {
      ...part,
      score: (example, trajectory) => limit.call(() => score(example, trajectory)),
      turns: (example, trajectory) => limit.call(() => turns(example, trajectory)),
    };
  return { ...part, scoreBatch: (rollouts) => limit.each(rollouts, ({ example, trajectory }) => score(example, trajectory)) };
}

/** The parts, the first of which also finds out which of the conversations are right; and where that is kept. */
function timedRewards(own: TaskInstance, limit: TimeLimit) {
  const isRight = new WeakMap<Trajectory, boolean>();
  /** Those without a verdict are not right, whatever the task would say. */
  const find = (rollouts: readonly Rollout[], verdicts: readonly PartVerdict[] | null) => {
    const judged = rollouts.filter((_, i) => !isFailure(verdicts?.[i] ?? null));
    const found = limit.each(judged, ({ example, trajectory }) => own.isSuccess(example, trajectory));
    for (const { trajectory } of rollouts) isRight.set(trajectory, false);
    for (const [i, { trajectory }] of judged.entries()) isRight.set(trajectory, found[i] === true);
  };
  const rewards = own.rewards.map((part, p) => {
    const timed = timedPart(part, limit);
    if (p > 0 || !("scoreBatch" in timed)) return timed;
    const scoreBatch = (rollouts: readonly Rollout[]) => {
      const verdicts = timed.scoreBatch(rollouts);
      find(rollouts, verdicts instanceof Promise ? null : verdicts);
      return verdicts;
    };
    return { ...timed, scoreBatch };
  });
  return { rewards, isRight };
}

function timedInstance(own: TaskInstance, limit: TimeLimit): TaskInstance {
  const { rewards, isRight } = timedRewards(own, limit);
  const { asks } = own;
  return {
    ...own,
    trainLoader() {
      const loader = own.trainLoader();
      return {
        next: (count) => limit.call(() => loader.next(count), MANY),
        state: () => loader.state(),
        restore: (state) => loader.restore(state),
      };
    },
    evaluation: (count) => limit.call(() => own.evaluation(count), MANY),
    ...(asks ? { asks: (prompt) => limit.call(() => asks(prompt)) } : {}),
    envs: timedEnvs(own.envs, limit),
    rewards,
    isSuccess: (example, trajectory) => isRight.get(trajectory) ?? limit.call(() => own.isSuccess(example, trajectory)),
    hasForm: (example, trajectory) => limit.call(() => own.hasForm(example, trajectory)),
    demonstration(example, random, noise) {
      const speak = limit.call(() => own.demonstration(example, random, noise));
      return (state) => limit.call(() => speak(state));
    },
  };
}

/** The same task within its time. */
export function timedTask(task: Task, limit: TimeLimit): Task {
  const create: Task["create"] = (options, seed) =>
    timedInstance(
      limit.call(() => task.create(options, seed), MANY),
      limit,
    );
  return { ...task, create };
}
