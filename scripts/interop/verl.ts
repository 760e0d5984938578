// verl on an exported folder, as far as that goes without a GPU.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { type Check, trainSums } from "./check.ts";

/** Problems that the lab trains on, as verl's rows. */
function problemsOf(config: RunConfigInput, count: number): readonly unknown[] {
  const { instance } = planRun({ config });
  const examples = instance.trainLoader().next(count);
  return examples.map(({ id, messages, answer }, index) => ({
    data_source: `rollout-lab/${config.task}`,
    prompt: messages.map(({ role, content }) => ({ role, content })),
    ability: config.task,
    reward_model: { style: "rule", ground_truth: answer },
    extra_info: { split: "train", index, id },
  }));
}

export const verl: Check = {
  name: "verl",
  title: "An exported run in verl",
  packages: ["verl", "transformers", "torch", "pandas", "pyarrow"],
  async run(interop) {
    const { path } = await trainSums(interop, { steps: 1, evalEvery: 0 });
    const { out } = await interop.lab("export", path, "--to", "verl");
    const config = JSON.parse(readFileSync(join(path, "config.json"), "utf8")) as RunConfigInput;
    writeFileSync(join(interop.folder, "problems.json"), JSON.stringify(problemsOf(config, 256)));
    return interop.python("verl_folder.py", String(out), "problems.json");
  },
};
