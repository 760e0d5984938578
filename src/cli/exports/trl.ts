// The run as a folder for TRL: where one machine is too small, the same policy, problems and rewards go on there.

import { textFile } from "../../export/writtenRun.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { ModelFile } from "../../protocol/messages.ts";
import { Random } from "../../rl/random.ts";
import { finalAnswer } from "../../rl/rewards/rewardRule.ts";
import { generate } from "../../rl/rollout/generator.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Example, Trajectory } from "../../rl/types.ts";
import { heldOut } from "../../train/evaluation.ts";
import type { ActiveRun } from "../../train/run/start.ts";
import { CommandError } from "../lab/exit.ts";
import { openRun } from "../runs/openRun.ts";
import type { Exporter } from "./exporter.ts";
import { COUNTED_REWARDS, PYTHON_REWARDS, trlTexts } from "./trl/files.ts";
import { EXPORTED_TOOL_TASKS, toolColumns, toolPlan } from "./trl/toolPlan.ts";

/** Problems to train on: as many as the run would see, within bounds. */
const [LEAST, MOST] = [256, 8192];
/** Problems and conversations of each on which the programs are held to the lab. */
const [CHECKED, COPIES] = [16, 8];

/** Rows as JSON lines. */
const jsonLines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const promptOf = ({ messages }: Example) => messages.map(({ role, content }) => ({ role, content }));
const rowOf = (task: string) => (example: Example) => ({
  prompt: promptOf(example),
  answer: example.answer,
  ...toolColumns(task, example),
});

/** Throws a CommandError for what cannot be trained there. @param program what takes the folder. */
export function refuse(path: string, { trainer, task }: ActiveRun, program: "TRL" | "verl"): void {
  const { config } = trainer;
  if (config.kind === "supervised")
    throw new CommandError(`${path} is supervised training: export --to trl and verl take runs of reinforcement learning`);
  if (config.rewardTransform)
    throw new CommandError(`${path} has a rewardTransform, which has no form in ${program}'s folder: leave it out, or train here`);
  if (config.loraRank > 0)
    throw new CommandError(
      `${path} trains adapters (loraRank ${config.loraRank}), and ${program}'s folder would train all weights: export --to peft or hf`,
    );
  const hasTools = program === "TRL" && EXPORTED_TOOL_TASKS.includes(config.task);
  if ((task.maxTurns ?? 1) > 1 && !hasTools) {
    const exported = EXPORTED_TOOL_TASKS.join(" and ");
    const known = program === "TRL" ? `only ${exported} have` : `--to trl takes ${exported}`;
    throw new CommandError(
      `${path}: conversations of several turns, as in ${config.task}, have no form in ${program}'s folder (${known}): export --to hf or jsonl`,
    );
  }
  const known: readonly string[] = hasTools ? [...PYTHON_REWARDS, ...COUNTED_REWARDS] : PYTHON_REWARDS;
  const unknown = task.rewards.filter(({ name }) => !known.includes(name)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new CommandError(`${path}: no Python form of the reward ${unknown.join(", ")}; there is one of ${known.join(", ")}`);
}

/** What conversation.py is held to: the problem, the ids and their mask, why it ended, and what came of the calls. */
function conversationRow(task: string, example: Example, { promptTokens, tokens, mask, stopReason, report }: Trajectory) {
  const { calls = 0, tool_errors = 0, repeated_calls = 0 } = report?.metrics ?? {};
  const figures = { calls, tool_errors, repeated_calls };
  return { ...rowOf(task)(example), promptTokens, tokens, mask, stopReason, figures };
}

/** A conversation with what each reward part gave, as the exported programs are held to it. */
export function rolloutRow(taskId: string, { rewards, maxTurns = 1 }: TaskInstance, example: Example, trajectory: Trajectory) {
  const parts = rewards.flatMap((part) => {
    const value = "score" in part ? part.score(example, trajectory) : null;
    return value === null ? [] : [[part.name, value] as const];
  });
  return {
    ...(maxTurns > 1 ? conversationRow(taskId, example, trajectory) : {}),
    answer: example.answer,
    text: finalAnswer(trajectory) ?? "",
    completed: trajectory.stopReason === "completed",
    parts: Object.fromEntries(parts),
  };
}

/** Conversations with what each reward part gave. */
export async function rollouts({ trainer, task, model, renderer }: ActiveRun): Promise<string> {
  const { temperature, topK, topP, minP, maxCompletionTokens: maxNewTokens, seed } = trainer.config;
  const examples = task.trainLoader().next(CHECKED);
  const groups = await generate({ policy: model.policy(), envs: task.envs, renderer }, examples, {
    ...{ copies: COPIES, maxNewTokens, maxTurns: task.maxTurns ?? 1, temperature, topK, topP, minP },
    random: new Random(seed).fork("export"),
  });
  return jsonLines(
    groups.flatMap(({ example, trajectories }) =>
      trajectories.map((trajectory) => rolloutRow(trainer.config.task, task, example, trajectory)),
    ),
  );
}

/** Weights of the reward parts. */
export function weightsOf({ task, trainer }: ActiveRun): Readonly<Record<string, number>> {
  return Object.fromEntries(task.rewards.map(({ name, weight }) => [name, trainer.config.rewardWeights[name] ?? weight]));
}

/** Problems that are written out to train on. */
export function problemCount({ steps, promptsPerStep }: RunConfig): number {
  return Math.min(MOST, Math.max(LEAST, steps * promptsPerStep));
}

/** All files of the folder. Throws a CommandError for what cannot be trained there. @param name what the README calls the run. */
export async function trlFolder(name: string, run: ActiveRun): Promise<readonly ModelFile[]> {
  refuse(name, run, "TRL");
  const model = await run.model.exportFiles();
  if (!model) throw new CommandError(`${name} trains a logits table, which TRL cannot: use a transformer (model: transformer)`);
  const { config } = run.trainer;
  const { maxTurns = 1 } = run.task;
  const plan = maxTurns > 1 ? toolPlan(config, maxTurns, run.model.policy().maxPositions) : null;
  const row = rowOf(config.task);
  return [
    ...model.map((file) => ({ name: `model/${file.name}`, bytes: file.bytes })),
    textFile("train.jsonl", jsonLines(run.task.trainLoader().next(problemCount(config)).map(row))),
    textFile("eval.jsonl", jsonLines(heldOut(run.task, config).examples.map(row))),
    textFile("rollouts.jsonl", await rollouts(run)),
    ...Object.entries(trlTexts(name, config, weightsOf(run), plan)).map(([path, text]) => textFile(path, text)),
  ];
}

export const trl: Exporter = {
  name: "trl",
  help: "a folder that TRL's GRPOTrainer trains from: model, problems, rewards and tools in Python, grpo.yaml, accelerate's settings",
  async files({ folder, which, progress }) {
    const { run, close } = await openRun({ path: folder.path, which, progress });
    try {
      return await trlFolder(folder.path, run);
    } finally {
      close();
    }
  },
};
