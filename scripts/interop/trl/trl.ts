// TRL itself: the exported folder trained by two processes, and TRL in the engine's place. Both come back as runs.
import { join } from "node:path";
import { type Check, hold, trainSums } from "../check.ts";

const percent = (share: unknown) => `${(100 * Number(share)).toFixed(0)} %`;
const STEPS = 40;
/** Steps at each end over which rewards are averaged. */
const WINDOW = 8;

interface Interval {
  readonly accuracy: number;
  readonly accuracyInterval: readonly [number, number];
}
const spoken = ({ accuracy, accuracyInterval: [low, high] }: Interval) => `${percent(accuracy)} (${percent(low)} to ${percent(high)})`;

export const trlFolder: Check = {
  name: "trl-folder",
  title: "An exported run in TRL, on two processes",
  packages: ["trl", "transformers", "accelerate", "datasets", "torch"],
  async run(interop) {
    const { path } = await trainSums(interop, { steps: 1, evalEvery: 0 });
    const { out } = await interop.lab("export", path, "--to", "trl");
    const folder = String(out);
    // accelerate's own launcher, with the settings that the folder brings for two processes and gloo.
    const launch = ["-m", "accelerate.commands.launch", "--config_file", join(folder, "accelerate", "two-processes-cpu.yaml")];
    const seen = await interop.python("trl_folder.py", folder, String(STEPS), String(WINDOW), ...launch);
    const { first, last, agreed } = JSON.parse(seen) as Readonly<Record<"first" | "last" | "agreed", number>>;
    hold(last > first, `the mean reward of the first ${WINDOW} steps is ${first}, of the last ${last}`);
    const before = (await interop.lab("eval", path, "--n", "128")) as unknown as Interval;
    await interop.lab("train", "sums.json", "--from", join(folder, "output"), "--set", "learningRate=0", "--out", "back");
    const after = (await interop.lab("eval", "back", "--n", "128")) as unknown as Interval;
    return `accelerate launches two processes with gloo. ${agreed} rewards in Python are the lab's on its rollouts. Mean reward ${first.toFixed(3)} over the first ${WINDOW} of ${STEPS} steps, ${last.toFixed(3)} over the last. The folder that TRL saved is what \`train --from\` begins with; on 128 held-out problems it has ${spoken(after)}, before TRL ${spoken(before)}.`;
  },
};

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
    const found = (await interop.lab("eval", "there")) as unknown as Interval;
    const { files } = (await interop.lab("export", "there", "--to", "hf")) as { readonly files: readonly unknown[] };
    return `4 steps are in metrics.jsonl; \`eval\` takes the run (${spoken(found)}), and \`export --to hf\` writes its ${files.length} files.`;
  },
};
