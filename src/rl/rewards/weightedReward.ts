// The one place where conversations are scored: for the step, evaluations, baselines, probes, kept steps under other
// rewards, the command line. Whatever a part does, the others and the run go on: a verdict that throws, comes late or is
// no number a reward can be is null, with its reason, for that conversation.
import type { RewardPartRecord } from "../../protocol/records.ts";
import { isFailure, reasonOf } from "../envs/stepEnvs.ts";
import { type Judging, judgeInput } from "../judge/judge.ts";
import { endToEnd } from "../objective/types.ts";
import type { Sandbox } from "../sandbox/jobs.ts";
import type { TaskInstance } from "../tasks/task.ts";
import type {
  BatchPart,
  Example,
  JudgedPart,
  LengthLimit,
  PartVerdict,
  Reward,
  RewardModel,
  RewardPart,
  Rollout,
  Trajectory,
  TrajectoryGroup,
} from "../types.ts";
import { combineParts, combineTurns, overlongPart, PLAIN_SUM, type RewardTransform, reaches } from "./combineParts.ts";
import { wrongReward } from "./rewardRule.ts";

/** Gives up waiting for what is done elsewhere: resolves with null once that is late. */
export interface Patience {
  readonly limitMs: number;
  /** Where custom code runs, and rules that may take for ever. */
  readonly sandbox?: Sandbox;
  /** What asks the models of judges. */
  readonly judging?: Judging;
  sleep(ms: number): Promise<void>;
}

type Turns = readonly number[] | null;
/** A part's name and weight as recorded, and its verdicts on a batch. */
type Judge = (rollouts: readonly Rollout[]) => readonly RewardPartRecord[] | Promise<readonly RewardPartRecord[]>;

/** What is kept of a verdict; of a conversation whose environment failed nothing can be judged. */
function recordOf({ name }: RewardPart, weight: number, verdict: PartVerdict, turns: Turns, { trajectory }: Rollout): RewardPartRecord {
  const failed = (reason: string): RewardPartRecord => ({ name, value: null, reason, weight });
  if (trajectory.failure !== undefined) return failed(`the environment failed: ${trajectory.failure}`);
  if (verdict === null) return { name, value: null, weight };
  if (isFailure(verdict)) return failed(verdict.reason);
  const wrong = wrongReward(verdict);
  if (wrong !== null) return failed(wrong);
  return turns ? { name, value: verdict, weight, turns } : { name, value: verdict, weight };
}

async function inTime<T>(work: Promise<T>, patience: Patience | undefined): Promise<T> {
  if (!patience) return work;
  const late = patience.sleep(patience.limitMs).then(() => {
    throw new Error(`took longer than ${patience.limitMs} ms`);
  });
  return Promise.race([work, late]);
}

/** Its verdicts, at once where the part gives them at once. */
function judgeBatch(
  part: BatchPart,
  rollouts: readonly Rollout[],
  patience: Patience | undefined,
): readonly PartVerdict[] | Promise<readonly PartVerdict[]> {
  const checked = (verdicts: readonly PartVerdict[]) => {
    if (verdicts.length === rollouts.length) return verdicts;
    throw new Error(`must give ${rollouts.length} verdicts, got ${verdicts.length}`);
  };
  const failed = (error: unknown) => {
    const reason = reasonOf(error);
    return rollouts.map(() => ({ reason }));
  };
  try {
    const verdicts = part.scoreBatch(rollouts);
    return "then" in verdicts ? inTime(verdicts, patience).then(checked).catch(failed) : checked(verdicts);
  } catch (error) {
    return failed(error);
  }
}

/** The verdicts of a second model; it is not asked about what an environment left unfinished. */
function modelJudge(part: JudgedPart, weight: number, judging: Judging | undefined): Judge {
  return async (rollouts) => {
    const asked = rollouts.filter(({ trajectory }) => trajectory.failure === undefined);
    const reason = "there is nothing here that could ask its model";
    const verdicts = judging ? await judging.judge(part.judged, asked.map(judgeInput)) : asked.map(() => ({ reason }));
    const verdictOf = new Map(asked.map((rollout, i) => [rollout, verdicts[i]!]));
    return rollouts.map((rollout) => {
      const verdict = verdictOf.get(rollout) ?? null;
      if (verdict === null || "reason" in verdict) return recordOf(part, weight, verdict, null, rollout);
      const { value, ...judged } = verdict;
      return { ...recordOf(part, weight, value, null, rollout), judged };
    });
  };
}

/** The part's judge; that of a rule is a plain function. */
function judgeOf(part: RewardPart, weight: number, patience: Patience | undefined): Judge {
  if ("scoreBatch" in part)
    return (rollouts) => {
      const recorded = (verdicts: readonly PartVerdict[]) =>
        verdicts.map((verdict, i) => recordOf(part, weight, verdict, null, rollouts[i]!));
      const verdicts = judgeBatch(part, rollouts, patience);
      return "then" in verdicts ? verdicts.then(recorded) : recorded(verdicts);
    };
  if ("judged" in part) return modelJudge(part, weight, patience?.judging);
  const { sandboxed } = part;
  const sandbox = patience?.sandbox;
  if (sandboxed && sandbox)
    return async (rollouts) =>
      (await sandbox.run({ job: sandboxed.job, inputs: rollouts.map(sandboxed.input) })).map((verdict, i) =>
        recordOf(part, weight, verdict, null, rollouts[i]!),
      );
  if (!("score" in part)) {
    const reason = "there is no sandbox here to run it in";
    return (rollouts) => rollouts.map((rollout) => recordOf(part, weight, { reason }, null, rollout));
  }
  const judgeOne = (rollout: Rollout): RewardPartRecord => {
    const { example, trajectory } = rollout;
    try {
      const verdict = part.score(example, trajectory);
      return recordOf(part, weight, verdict, verdict === null ? null : (part.turns?.(example, trajectory) ?? null), rollout);
    } catch (error) {
      return recordOf(part, weight, { reason: reasonOf(error) }, null, rollout);
    }
  };
  return (rollouts) => rollouts.map(judgeOne);
}

/** Whether the task says so; not where it fails at that, as its reward then says. */
function isSolved(task: Pick<TaskInstance, "isSuccess">, example: Example, trajectory: Trajectory): boolean {
  if (trajectory.failure !== undefined) return false;
  try {
    return task.isSuccess(example, trajectory);
  } catch (error) {
    reasonOf(error);
    return false;
  }
}

/**
 * A reward model over a task's named parts. `weights` replaces default weights by name. `total` is null
 * when no weighted part could score.
 */
export function weightedReward(
  task: Pick<TaskInstance, "rewards" | "isSuccess" | "solvedFrom">,
  weights: Readonly<Record<string, number>>,
  transform: RewardTransform = PLAIN_SUM,
  patience?: Patience,
): RewardModel {
  const judges = task.rewards.map((part) => judgeOf(part, weights[part.name] ?? part.weight, patience));
  const unclipped = { ...transform, clip: 0 };
  const rewardOf = ({ example, trajectory }: Rollout, own: readonly RewardPartRecord[], limit: LengthLimit): Reward => {
    const overlong = overlongPart(trajectory.mask, limit);
    const punished = overlong?.value ?? 0;
    const sum = combineParts(own, unclipped);
    const total = transform.clip === 0 && punished === 0 ? sum : combineParts(own, transform, punished);
    const isWhole = sum === null || total !== sum + punished;
    const turns = isWhole ? null : combineTurns(own, sum);
    const parts = total === null || !overlong ? own : [...own, overlong];
    const { solvedFrom } = task;
    const success = solvedFrom === undefined ? isSolved(task, example, trajectory) : total !== null && reaches(total, solvedFrom);
    return turns ? { total, parts, success, turns } : { total, parts, success };
  };
  const collect = (rollouts: readonly Rollout[], parts: readonly (readonly RewardPartRecord[])[], limit: LengthLimit) =>
    rollouts.map((rollout, i) =>
      rewardOf(
        rollout,
        parts.map((records) => records[i]!),
        limit,
      ),
    );
  return {
    scoreBatch(rollouts, limit) {
      const judged = judges.map((judge) => judge(rollouts));
      const ready = judged.filter((records): records is readonly RewardPartRecord[] => !(records instanceof Promise));
      if (ready.length === judged.length) return collect(rollouts, ready, limit);
      return Promise.all(judged).then((parts) => collect(rollouts, parts, limit));
    },
  };
}

/** The verdicts on groups of conversations, all asked for at once. */
export async function scoreGroups(
  groups: readonly TrajectoryGroup[],
  rewards: RewardModel,
  limit: LengthLimit,
): Promise<readonly (readonly Reward[])[]> {
  const rollouts = endToEnd(groups.map(({ example, trajectories }) => trajectories.map((trajectory) => ({ example, trajectory }))));
  const rewards_Q = await rewards.scoreBatch(rollouts, limit);
  let q = 0;
  return groups.map(({ trajectories }) => trajectories.map(() => rewards_Q[q++]!));
}

/** The rewards that a step learns from: the verdicts, under what transforms groups as wholes. */
export async function rewardGroups(
  groups: readonly TrajectoryGroup[],
  rewards: RewardModel,
  limit: LengthLimit,
): Promise<readonly (readonly Reward[])[]> {
  const scored_P_G = await scoreGroups(groups, rewards, limit);
  return rewards.transform ? rewards.transform(groups, scored_P_G) : scored_P_G;
}
