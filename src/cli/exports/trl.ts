// The run as a folder for TRL: where one machine is too small, the same policy, problems and rewards go on there.

import { resolve } from "node:path";
import { jsonLines, textFile } from "../../export/writtenRun.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { ModelFile } from "../../protocol/messages.ts";
import { turnRuns } from "../../rl/advantage/turnSpans.ts";
import type { Policy } from "../../rl/policy.ts";
import { Random } from "../../rl/random.ts";
import { finalAnswer } from "../../rl/rewards/rewardRule.ts";
import { scoreGroups } from "../../rl/rewards/weightedReward.ts";
import { generate } from "../../rl/rollout/generator.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Example, Trajectory } from "../../rl/types.ts";
import { heldOut } from "../../train/evaluation.ts";
import type { ActiveRun } from "../../train/start/start.ts";
import { drawnAs } from "../../train/step/sampledStep.ts";
import { CommandError } from "../lab/exit.ts";
import { exporterOfOpened } from "./exporter.ts";
import { type LoggedRollouts, trlSettings, trlTexts } from "./trl/files.ts";
import { type TrlForm, trlForm } from "./trl/form.ts";
import { ownModel, type TrlRun, trlRunOf } from "./trl/model.ts";
import type { LostSetting } from "./trl/options.ts";
import { type PythonRules, pythonRules } from "./trl/pythonRules.ts";
import { toolColumns } from "./trl/toolPlan.ts";

/** Problems to train on: as many as the run would see, within bounds. */
const LEAST = 256;
const MOST = 65_536;
/** Problems and conversations of each on which the programs are held to the lab. */
const CHECKED = 16;
const COPIES = 8;

const promptOf = ({ messages }: Example) => messages.map(({ role, content }) => ({ role, content }));
const rowOf = (task: string) => (example: Example) => ({
  prompt: promptOf(example),
  answer: example.answer,
  ...toolColumns(task, example),
});

/** Rules whose tokens verl's reward does not get. */
const OF_TOKENS: readonly string[] = ["lengthTarget", "overlongConversation"];

/** The rewards of a run in Python. Throws a CommandError for what verl's folder has no form of. */
export function rulesForVerl(path: string, { trainer, task }: ActiveRun): PythonRules {
  const { config } = trainer;
  if (config.kind === "supervised")
    throw new CommandError(`${path} is supervised training: export --to trl and verl take runs of reinforcement learning`);
  if (config.rewardTransform)
    throw new CommandError(
      `${path} has a rewardTransform, which has no form in verl's folder: leave it out, train here, or export --to trl`,
    );
  if (config.loraRank > 0)
    throw new CommandError(
      `${path} trains adapters (loraRank ${config.loraRank}), and verl's folder would train all weights: export --to peft, hf or trl`,
    );
  if ((task.maxTurns ?? 1) > 1)
    throw new CommandError(
      `${path}: conversations of several turns, as in ${config.task}, have no form in verl's folder: export --to trl, hf or jsonl`,
    );
  const rules = pythonRules(config, task, false);
  if ("lacking" in rules) throw new CommandError(`${path}: ${rules.lacking} has no form in Python, which verl needs: export --to trl`);
  const counts = Object.keys(rules.parts).find((name) => OF_TOKENS.includes(name)) ?? (rules.overlongBuffer > 0 ? "overlongBuffer" : null);
  if (counts !== null)
    throw new CommandError(`${path}: ${counts} counts tokens, and verl gives a reward text alone: leave it out, or export --to trl`);
  return rules;
}

/** What conversation.py is held to: the problem, the ids and their mask, why it ended, and what came of the calls. */
function conversationRow(task: string, example: Example, { promptTokens, tokens, mask, stopReason, report }: Trajectory) {
  const { calls = 0, tool_errors = 0, repeated_calls = 0 } = report?.metrics ?? {};
  const figures = { calls, tool_errors, repeated_calls };
  return { ...rowOf(task)(example), promptTokens, tokens, mask, stopReason, figures };
}

/** What the policy said, turn by turn. */
function turnsOf({ messages: opening }: Example, { messages }: Trajectory): readonly string[] {
  return messages.slice(opening.length).flatMap(({ role, content }) => (role === "assistant" ? [content] : []));
}

/** A conversation with what each reward part gave and what came of them, as the exported programs are held to it. */
export function rolloutRow(
  taskId: string,
  { rewards, maxTurns = 1 }: TaskInstance,
  example: Example,
  trajectory: Trajectory,
  total?: number | null,
) {
  const parts = rewards.flatMap((part) => ("score" in part ? [[part.name, part.score(example, trajectory)] as const] : []));
  return {
    ...(maxTurns > 1 ? conversationRow(taskId, example, trajectory) : {}),
    answer: example.answer,
    text: finalAnswer(trajectory) ?? "",
    said: turnsOf(example, trajectory),
    sampled: turnRuns(trajectory.mask).map(({ start, end }) => end - start),
    completed: trajectory.stopReason === "completed",
    parts: Object.fromEntries(parts),
    ...(total === undefined ? {} : { total }),
  };
}

type Sampled = Pick<TrlRun, "config" | "task" | "renderer" | "rewards"> & { readonly policy: Policy };

/** Conversations with what each reward part gave, and their rewards. */
export async function rollouts({ config, task, policy, renderer, rewards }: Sampled): Promise<string> {
  const examples = task.trainLoader().next(CHECKED);
  const groups = await generate({ policy, envs: task.envs, renderer }, examples, {
    ...drawnAs(config, task),
    copies: COPIES,
    random: new Random(config.seed).fork("export"),
  });
  const rewards_P_G = await scoreGroups(groups, rewards, config);
  return jsonLines(
    groups.flatMap(({ example, trajectories }, p) =>
      trajectories.map((trajectory, g) => rolloutRow(config.task, task, example, trajectory, rewards_P_G[p]![g]!.total)),
    ),
  );
}

/** Weights of the reward parts. */
function weightsOf({ task, config }: Pick<TrlRun, "task" | "config">): Readonly<Record<string, number>> {
  return Object.fromEntries(task.rewards.map(({ name, weight }) => [name, config.rewardWeights[name] ?? weight]));
}

/** Problems that are written out to train on: those of the run, in its order. */
export function problemCount({ steps, promptsPerStep }: RunConfig): number {
  return Math.min(MOST, Math.max(LEAST, steps * promptsPerStep));
}

/** A folder for TRL: its files, how conversations are held there, and the problems in the order of their rows. */
export interface TrlFolder {
  readonly files: readonly ModelFile[];
  readonly form: TrlForm;
  readonly problems: readonly Example[];
  /** Settings that count in the run and have no counterpart there. */
  readonly lost: readonly LostSetting[];
}

/**
 * All files of the folder. Throws a CommandError for what cannot be trained there.
 * @param name what the README calls the run.
 * @param command starts the lab's server where no lab has.
 * @param logged conversations that are sent to whoever follows the training.
 */
export async function trlFolder(
  name: string,
  run: TrlRun,
  command: readonly string[],
  logged: LoggedRollouts | null = null,
): Promise<TrlFolder> {
  const form = await trlForm(name, run);
  const { config, task, policy, model } = run;
  const problems = task.trainLoader().next(problemCount(config));
  const row = rowOf(config.task);
  const rows = problems.map((example, problem) => (form.held === "lab" ? { ...row(example), problem } : row(example)));
  const parts = { name, config, form, model, weights: weightsOf(run), command, evaluates: policy === null, logged };
  const files = [
    ...("files" in model ? model.files.map((file) => ({ name: `model/${file.name}`, bytes: file.bytes })) : []),
    textFile("train.jsonl", jsonLines(rows)),
    textFile("eval.jsonl", jsonLines(heldOut(task, config).examples.map(row))),
    ...(form.held === "here" && policy ? [textFile("rollouts.jsonl", await rollouts({ ...run, policy }))] : []),
    ...Object.entries(trlTexts(parts)).map(([path, text]) => textFile(path, text)),
  ];
  return { files, form, problems, lost: trlSettings(parts).lost };
}

export const trl = exporterOfOpened(
  { name: "trl", help: "a folder that TRL's GRPOTrainer trains from: model, problems, rewards and tools in Python, grpo.yaml, train.py" },
  async (run, path) => {
    const exported = trlRunOf(run, await ownModel(path, run));
    return (await trlFolder(path, exported, ["rollout-lab", "rollouts", resolve(path)])).files;
  },
);
