// TRL itself: the exported folder trained by two processes, and TRL in the engine's place. Both come back as runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Check, hold, trainSums } from "../check.ts";
import { type Accuracy, accuraciesHeld, gainHeld, spoken, type Trained } from "./gain.ts";

const STEPS = 40;
/** Problems of a step: with the 8 of the other checks a rate at which 40 steps teach something is too noisy. */
const PROMPTS = 32;
/** Steps at each end over which rewards are averaged. */
const WINDOW = 8;

export const trlFolder: Check = {
  name: "trl-folder",
  title: "An exported run in TRL, on two processes",
  packages: ["trl", "transformers", "accelerate", "datasets", "torch"],
  async run(interop) {
    const { path } = await trainSums(interop, { steps: 1, evalEvery: 0, promptsPerStep: PROMPTS });
    const { out } = await interop.lab("export", path, "--to", "trl");
    const folder = String(out);
    // accelerate's own launcher, with the settings that the folder brings for two processes and gloo.
    const launch = ["-m", "accelerate.commands.launch", "--config_file", join(folder, "accelerate", "two-processes-cpu.yaml")];
    const { rewards, agreed } = JSON.parse(await interop.python("trl_folder.py", folder, String(STEPS), ...launch)) as Trained;
    const gain = gainHeld(rewards, WINDOW);
    const held = await accuraciesHeld(interop, path, "sums.json", join(folder, "output"));
    return `accelerate launches two processes with gloo. ${agreed} rewards in Python are the lab's on its rollouts. TRL trains on ${PROMPTS} problems a step, 8 completions each: ${gain}. ${held}`;
  },
};

/** Conversations of a step. */
const COMPLETIONS = 64;

function conversationsIn(folder: string) {
  const lines = readFileSync(join(folder, "trajectories.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as { readonly step: number; readonly reward: number });
}

export const trlBackend: Check = {
  name: "trl-backend",
  title: "train --backend trl",
  packages: ["trl", "transformers", "torch"],
  async run(interop) {
    await trainSums(interop, { steps: 1, evalEvery: 0 });
    const args = ["train", "sums.json", "--set", "steps=4", "--backend", "trl", "--python", interop.interpreter, "--out", "there"];
    const { steps, reward } = (await interop.lab(...args)) as { readonly steps: number; readonly reward: { readonly final: number } };
    hold(steps === 4, `4 steps were asked for, ${steps} told`);
    hold(Number.isFinite(reward.final), `the last reward is ${reward.final}`);
    const told = conversationsIn(join(interop.folder, "there"));
    const last = told.filter(({ step }) => step === 4);
    hold(last.length === COMPLETIONS, `${COMPLETIONS} conversations of step 4 are to be written down, got ${last.length}`);
    const mean = last.reduce((sum, each) => sum + each.reward, 0) / last.length;
    hold(Math.abs(mean - reward.final) < 1e-6, `the conversations of step 4 earn ${mean}, and TRL tells ${reward.final}`);
    const found = (await interop.lab("eval", "there")) as unknown as Accuracy;
    const { files } = (await interop.lab("export", "there", "--to", "hf")) as { readonly files: readonly unknown[] };
    return `4 steps are in metrics.jsonl, ${told.length} conversations of the first and the last in trajectories.jsonl, whose rewards come to what TRL tells; \`eval\` takes the run (${spoken(found)}), and \`export --to hf\` writes its ${files.length} files.`;
  },
};
