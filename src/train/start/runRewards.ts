// What a run's conversations are scored by. Rewards may be replaced while a run goes on, by a command that brings them as data;
// from the step after it the new ones score, and the configuration says so, as for any change on the way.
import type { CommandOf } from "../../protocol/commands.ts";
import type { JudgedAnswer } from "../../protocol/config/customRewards.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { JudgeCost, JudgeModelReport, TriedVerdict } from "../../protocol/custom/judges.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import { showValue } from "../../protocol/problems.ts";
import { type Judging, namedJudges, typedInput } from "../../rl/judge/judge.ts";
import { triedReward } from "../../rl/rewards/customReward.ts";
import { transformHere, transformInSandbox, transformRewards } from "../../rl/rewards/groupTransform.ts";
import { weightedReward } from "../../rl/rewards/weightedReward.ts";
import { checkRead } from "../../rl/tasks/custom/world.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { RewardModel } from "../../rl/types.ts";
import type { Computing, OwnWork } from "../host.ts";
import { judgesOf } from "../judge/judging.ts";
import type { BuiltModel, RunSignals } from "./model.ts";
import { REWARD_KEYS, rewardParts } from "./rewardParts.ts";

/** A run's settings and its task with all parts of its reward. */
interface Scored {
  readonly config: RunConfig;
  readonly instance: TaskInstance;
  /** The parts that the task brings by itself. */
  readonly taskRewards: TaskInstance["rewards"];
}

/**
 * What a part that judges elsewhere may take for all conversations of a call; what runs in a thread of its own has
 * shorter limits there.
 */
const VERDICT_LIMIT_MS = 120_000;

/** What a plan's conversations are scored by. */
export function rewardModel(
  { config, instance }: { readonly config: RunConfig; readonly instance: Parameters<typeof weightedReward>[0] },
  host: Computing & OwnWork,
  judging: Judging = judgesOf(host).judging(config),
): RewardModel {
  const { sandbox } = host;
  const patience = { limitMs: VERDICT_LIMIT_MS, sleep: (ms: number) => host.sleep(ms), judging, ...(sandbox ? { sandbox } : {}) };
  const model = weightedReward(instance, config.rewardWeights, { gates: config.rewardGates, clip: config.rewardClip }, patience);
  const own = config.rewardTransform
    ? transformInSandbox(config.rewardTransform, config.seed, host.sandbox)
    : host.additions?.rewardTransform && transformHere(host.additions.rewardTransform);
  return own ? { ...model, transform: (groups, rewards_P_G) => transformRewards(groups, rewards_P_G, own) } : model;
}

/** The rewards in force. */
export interface RunRewards extends RewardModel {
  /** Scores as this configuration says from here on. */
  follow(config: RunConfig): void;
  /** What its judges were asked so far. */
  judged(): JudgeCost;
  /** Opens the models of a configuration's judges, for as long as the run lasts. Throws where one cannot be opened. */
  holdJudges(config: RunConfig): Promise<readonly JudgeModelReport[]>;
  dispose(): void;
}

/** The rewards of a plan, which follow its run's configuration. @param backend what computes the policy. */
export function runRewards(scored: Scored, host: Computing & OwnWork, backend: RunConfig["backend"] = scored.config.backend): RunRewards {
  let followed = scored.config;
  const settings = { backend, threads: followed.threads, reproducible: followed.reproducible };
  const judges = judgesOf(host);
  const judging = judges.judging(settings);
  let model = rewardModel(scored, host, judging);
  return {
    judged: judging.cost,
    holdJudges: (config) => judges.hold(judging, config, settings),
    dispose: () => judges.leave(judging),
    follow(config) {
      if (REWARD_KEYS.every((key) => config[key] === followed[key])) return;
      followed = config;
      const rewards = rewardParts(scored.taskRewards, config, host.additions);
      model = rewardModel({ config, instance: { ...scored.instance, rewards } }, host, judging);
    },
    scoreBatch: (rollouts, limit) => model.scoreBatch(rollouts, limit),
    ...(model.transform
      ? { transform: (groups, rewards_P_G) => model.transform?.(groups, rewards_P_G) ?? Promise.resolve(rewards_P_G) }
      : {}),
  };
}

/** What computes a run's judges: what computes the policy, where that computes transformers here. */
export function judgesBackend({ backend }: RunConfig, { transformer, backend: { id } }: BuiltModel): RunConfig["backend"] {
  return transformer === null || backend === "tinker" ? backend : (id as RunConfig["backend"]);
}

/** The report of a run's backend with its judges, whose models are opened. */
export async function withJudges(
  report: BackendReport,
  rewards: RunRewards,
  config: RunConfig,
  { onPreparing }: Pick<RunSignals, "onPreparing">,
): Promise<BackendReport> {
  const hasJudges = Object.keys(config.judges).length > 0 || config.changes.some(({ settings }) => settings.judges !== undefined);
  if (!hasJudges) return report;
  onPreparing("judge", 0, 1);
  return { ...report, judges: await rewards.holdJudges(config) };
}

/** What a reward gives to typed answers, once its code was read. */
export async function triedHere({ reward, answers, seed }: Omit<CommandOf<"try-reward">, "id" | "type">, host: OwnWork) {
  checkRead({ customRewards: { [reward.title ?? "mine"]: reward } }, host);
  if (!host.sandbox) throw new Error("there is no sandbox here to run it in");
  return { verdicts: await triedReward(reward, answers, seed, host.sandbox) };
}

/** What a configuration's judge says to typed answers, with the prompts that it reads. */
export async function triedJudge({ config }: Pick<Scored, "config">, name: string, answers: readonly JudgedAnswer[], host: Computing) {
  const judge = namedJudges(config)[name];
  if (!judge) throw new Error(`judges must have ${showValue(name)} to try it`);
  const judging = judgesOf(host).judging(config);
  const inputs = answers.map(typedInput);
  const prompts = await judgesOf(host).promptsOf(judge, config, inputs);
  const found = await judging.judge(judge, inputs);
  const verdicts = found.map((verdict, i): TriedVerdict => {
    const prompt = prompts[i]!;
    return "reason" in verdict ? { value: null, reason: verdict.reason, prompt } : { ...verdict, prompt };
  });
  return { verdicts, cost: judging.cost() };
}
