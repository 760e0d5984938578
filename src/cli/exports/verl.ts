// The run as a folder for verl on Ray: the same policy, problems and rewards, with settings that verl's own schema takes.

import { stringify } from "yaml";
import { textFile } from "../../export/writtenRun.ts";
import type { ModelFile } from "../../protocol/messages.ts";
import { heldOut } from "../../train/evaluation.ts";
import type { ActiveRun } from "../../train/start/start.ts";
import { CommandError } from "../lab/exit.ts";
import { exporterOfOpened } from "./exporter.ts";
import { rewardPrograms } from "./trl/files.ts";
import { problemCount, rollouts, rulesForVerl } from "./trl.ts";
import launchProgram from "./verl/launch.sh?raw";
import { verlOptions } from "./verl/options.ts";
import { problemsFile } from "./verl/problems.ts";
import rewardProgram from "./verl/reward.py?raw";

function readme(name: string, { options, lost }: ReturnType<typeof verlOptions>): string {
  const rows = lost.map(({ field, value, why }) => `| \`${field}\` | ${JSON.stringify(value)} | ${why} |`);
  return `# ${name}, for verl

    pip install verl vllm
    sh launch.sh          # all GPUs of this machine
    srun --ntasks-per-node=1 sh launch.sh   # several nodes
    NODES=2 NODE_RANK=0 MASTER_ADDR=HOST sh launch.sh   # without Slurm: on each node, HOST being the first

launch.sh starts Ray where there are several nodes, unless RAY_ADDRESS names one that runs. Every ${options.trainer.save_freq} steps a checkpoint goes to \`output/\` (trainer.save_freq), where the last two are kept; the same command goes on from the last one (trainer.resume_mode). bf16 is verl's own default. \`LOGGERS=tensorboard,wandb,mlflow\` reports there, and settings of verl can follow: \`sh launch.sh trainer.save_freq=50\`.

\`train.parquet\` and \`eval.parquet\` have the columns of verl's data. \`reward.py\` has compute_score, on the parts of \`rewards.py\`, which \`python rewards.py\` holds to \`rollouts.jsonl\`. \`verl.yaml\` lies over verl's ppo_trainer.yaml. No training has been tried: verl needs GPUs.

verl gives the reward text alone: whether a turn ended or was cut off does not reach the form's parts there.

${rows.length === 0 ? "Every setting that counts in this run has a counterpart." : `| setting without a counterpart | value | why |\n|---|---|---|\n${rows.join("\n")}`}
`;
}

/** All files of the folder. Throws a CommandError for what cannot be trained there. */
async function verlFolder(run: ActiveRun, name: string): Promise<readonly ModelFile[]> {
  const rules = rulesForVerl(name, run);
  const model = await run.model.exportFiles();
  if (!model) throw new CommandError(`${name} trains a logits table, which verl cannot: use a transformer (model: transformer)`);
  const { config } = run.trainer;
  const mapped = verlOptions(config);
  const settings = { hydra: { searchpath: ["pkg://verl.trainer.config"] }, defaults: ["ppo_trainer", "_self_"], ...mapped.options };
  return [
    ...model.map((file) => ({ name: `model/${file.name}`, bytes: file.bytes })),
    await problemsFile(config.task, "train", run.task.trainLoader().next(problemCount(config))),
    await problemsFile(config.task, "eval", heldOut(run.task, config).examples),
    textFile("rollouts.jsonl", await rollouts({ ...run, config, policy: run.model.policy() })),
    ...Object.entries(rewardPrograms(rules)).map(([path, text]) => textFile(path, text)),
    textFile("reward.py", rewardProgram),
    textFile("verl.yaml", stringify(settings)),
    textFile("launch.sh", launchProgram),
    textFile("README.md", readme(name, mapped)),
  ];
}

export const verl = exporterOfOpened(
  { name: "verl", help: "a folder for verl on Ray: model, problems in Parquet, compute_score, settings over ppo_trainer.yaml, launch.sh" },
  verlFolder,
);
