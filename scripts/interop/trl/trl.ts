// TRL itself: the exported folder trained by two processes, and TRL in the engine's place. Both come back as runs.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { meanOf } from "../../../src/rl/advantage/statistics.ts";
import { type Check, hold, trainSums } from "../check.ts";
import { type Accuracy, accuraciesHeld, gainHeld, spoken, type Trained } from "./gain.ts";

const STEPS = 40;
/** Problems of a step: with the 8 of the other checks a rate at which 40 steps teach something is too noisy. */
const PROMPTS = 32;
/** Steps at each end over which rewards are averaged. */
const WINDOW = 8;

export const trlFolder: Check = {
  name: "trl-folder",
  title: "An exported run in TRL, on two processes, ended twice",
  packages: ["trl", "transformers", "accelerate", "datasets", "torch"],
  async run(interop) {
    const { path } = await trainSums(interop, { steps: 1, evalEvery: 0, promptsPerStep: PROMPTS });
    const { out } = await interop.lab("export", path, "--to", "trl");
    const folder = String(out);
    const told = JSON.parse(await interop.python("trl_folder.py", folder, String(STEPS))) as Trained & {
      readonly wentOn: readonly number[];
    };
    const { rewards, agreed, wentOn } = told;
    // At the end of the step in which it was told to end, and a save before the one in which it was killed.
    const [after, before] = [STEPS / 4, STEPS / 2];
    hold(wentOn[0]! >= after && wentOn[0]! <= after + 1, `it was told to end in step ${after}, and went on after step ${wentOn[0]}`);
    hold(wentOn[1]! >= before - 2 && wentOn[1]! <= before, `it was killed in step ${before}, and went on after step ${wentOn[1]}`);
    const gain = gainHeld(rewards, WINDOW);
    const held = await accuraciesHeld(interop, path, "sums.json", join(folder, "output"));
    return `torchrun launches two processes with gloo. Told to end by SIGTERM after step ${after} and killed after step ${before}, the same command went on after steps ${wentOn.join(" and ")}, and told each step once. ${agreed} rewards in Python are the lab's on its rollouts. TRL trains on ${PROMPTS} problems a step, 8 completions each: ${gain}. ${held}`;
  },
};

/** Conversations of a step. */
const COMPLETIONS = 64;

function rowsOf(folder: string, file: string): readonly { readonly step: number; readonly reward: number }[] {
  const lines = readFileSync(join(folder, file), "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as { readonly step: number; readonly reward: number });
}

/** Holds the conversations that were written down of some steps to what TRL tells of them; resolves to how many there are. */
function conversationsHeld(folder: string, steps: readonly number[]): number {
  const [told, metrics] = [rowsOf(folder, "trajectories.jsonl"), rowsOf(folder, "metrics.jsonl")];
  for (const step of steps) {
    const rewards = told.filter((each) => each.step === step).map(({ reward }) => reward);
    hold(rewards.length === COMPLETIONS, `${COMPLETIONS} conversations of step ${step} are to be written down, got ${rewards.length}`);
    const reward = metrics.find((each) => each.step === step)?.reward ?? Number.NaN;
    const mean = meanOf(rewards);
    hold(Math.abs(mean - reward) < 1e-6, `the conversations of step ${step} earn ${mean}, and TRL tells ${reward}`);
  }
  hold(
    told.length === COMPLETIONS * steps.length,
    `conversations of steps ${steps.join(", ")} alone are to be written down, got ${told.length}`,
  );
  return told.length;
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
    const told = conversationsHeld(join(interop.folder, "there"), [1, 4]);
    await interop.lab("train", "there", "--resume", "--set", "steps=6");
    const all = rowsOf(join(interop.folder, "there"), "metrics.jsonl").map(({ step }) => step);
    hold(all.join() === "1,2,3,4,5,6", `steps 1 to 6 are to be told once each, got ${all.join()}`);
    const found = (await interop.lab("eval", "there")) as unknown as Accuracy;
    const { files } = (await interop.lab("export", "there", "--to", "hf")) as { readonly files: readonly unknown[] };
    return `4 steps are in metrics.jsonl, ${told} conversations of the first and the last in trajectories.jsonl, whose mean rewards are what TRL tells of each; \`--resume --set steps=6\` goes on to step 6; \`eval\` takes the run (${spoken(found)}), and \`export --to hf\` writes its ${files.length} files.`;
  },
};
