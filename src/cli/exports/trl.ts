// The run as a folder for TRL: where one machine is too small, the same policy, problems and rewards go on there.

import type { RunConfig } from "../../protocol/config.ts";
import type { ModelFile } from "../../protocol/messages.ts";
import { generate } from "../../rl/generator.ts";
import { Random } from "../../rl/random.ts";
import type { Example } from "../../rl/types.ts";
import { heldOut } from "../../train/evaluation.ts";
import type { ActiveRun } from "../../train/run/activeRun.ts";
import { CommandError } from "../lab/exit.ts";
import { openRun } from "../runs/openRun.ts";
import { type Exporter, textFile } from "./exporter.ts";
import { PYTHON_REWARDS, trlTexts } from "./trl/files.ts";

/** Problems to train on: as many as the run would see, within bounds. */
const [LEAST, MOST] = [256, 8192];
/** Problems and conversations of each on which rewards.py is held to the lab. */
const [CHECKED, COPIES] = [16, 8];

/** Rows as JSON lines. */
export const jsonLines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const rowOf = ({ messages, answer }: Example) => ({ prompt: messages.map(({ role, content }) => ({ role, content })), answer });

/** Throws a CommandError for what cannot be trained there. */
export function refuse(path: string, { trainer, task }: ActiveRun): void {
  const { config } = trainer;
  if (config.kind === "supervised")
    throw new CommandError(`${path} is supervised training: export --to trl and verl take runs of reinforcement learning`);
  if ((task.maxTurns ?? 1) > 1)
    throw new CommandError(
      `${path}: conversations of several turns, as in ${config.task}, have no form in TRL's or verl's folder: export --to hf or jsonl`,
    );
  const known: readonly string[] = PYTHON_REWARDS;
  const unknown = task.rewards.filter(({ name }) => !known.includes(name)).map(({ name }) => name);
  if (unknown.length > 0)
    throw new CommandError(`${path}: no Python form of the reward ${unknown.join(", ")}; there is one of ${known.join(", ")}`);
}

/** Conversations with what each reward part gave. */
export async function rollouts({ trainer, task, model, renderer, rewards }: ActiveRun): Promise<string> {
  const { config } = trainer;
  const { temperature, topK, topP, minP, maxCompletionTokens: maxNewTokens } = config;
  const examples = task.trainLoader().next(CHECKED);
  const groups = await generate({ policy: model.policy(), envs: task.envs, renderer }, examples, {
    ...{ copies: COPIES, maxNewTokens, maxTurns: 1, temperature, topK, topP, minP },
    random: new Random(config.seed).fork("export"),
  });
  return jsonLines(
    groups.flatMap(({ example, trajectories }) =>
      trajectories.map((trajectory) => {
        const parts = rewards.score(example, trajectory).parts.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]));
        const text = trajectory.messages.at(-1)?.content ?? "";
        return { answer: example.answer, text, completed: trajectory.stopReason === "completed", parts: Object.fromEntries(parts) };
      }),
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
  refuse(name, run);
  const model = await run.model.exportFiles();
  if (!model) throw new CommandError(`${name} trains a logits table, which TRL cannot: use a transformer (model: transformer)`);
  const { config } = run.trainer;
  return [
    ...model.map((file) => ({ name: `model/${file.name}`, bytes: file.bytes })),
    textFile("train.jsonl", jsonLines(run.task.trainLoader().next(problemCount(config)).map(rowOf))),
    textFile("eval.jsonl", jsonLines(heldOut(run.task, config).examples.map(rowOf))),
    textFile("rollouts.jsonl", await rollouts(run)),
    ...Object.entries(trlTexts(name, config, weightsOf(run))).map(([path, text]) => textFile(path, text)),
  ];
}

export const trl: Exporter = {
  name: "trl",
  help: "a folder that TRL's GRPOTrainer trains from: model, problems, rewards in Python, grpo.yaml, accelerate's settings",
  async files({ folder, which, progress }) {
    const { run, close } = await openRun({ path: folder.path, which, progress });
    try {
      return await trlFolder(folder.path, run);
    } finally {
      close();
    }
  },
};
