// Makes a shipped starting checkpoint: supervised training from random weights on synthetic chats, with
// the project's own trainer. Part of the worked answers is wrong on purpose, in the right form, so that
// the policy knows how to answer and only sometimes what. Writes the model folder with its recipe, loss
// curve and measured accuracy beside it.

import { mkdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { writeModelFolder } from "../model/folder/checkpoint.ts";
import { tensorState } from "../model/model.ts";
import { CONFIG_VERSION } from "../protocol/config/migrations.ts";
import type { RunConfigInput } from "../protocol/config.ts";
import type { EvaluationRecord } from "../protocol/records.ts";
import { weightedReward } from "../rl/rewards/weightedReward.ts";
import { mixTasks } from "../rl/tasks/mixture.ts";
import { specialIds, tokenizerFiles } from "../train/backend/loadRenderer.ts";
import { evaluate } from "../train/evaluation.ts";
import { type PretrainedTask, pretrainRecipes } from "../train/pretrainRecipes.ts";
import { planRun } from "../train/start/plan.ts";
import { prepareRun } from "../train/start/start.ts";
import { openNodeGpu } from "./nodeGpu.ts";
import { createNodeHost } from "./nodeHost.ts";

const { values: options } = parseArgs({
  options: {
    name: { type: "string", default: "base" },
    out: { type: "string" },
    steps: { type: "string" },
    seed: { type: "string" },
    threads: { type: "string" },
    backend: { type: "string" },
  },
});

const recipe = pretrainRecipes[options.name];
if (!recipe) throw new Error(`unknown checkpoint ${options.name}, choose from ${Object.keys(pretrainRecipes).join(", ")}`);
const out = options.out ?? `public/models/${options.name}`;
const config = {
  ...recipe.config,
  ...(options.steps ? { steps: Number(options.steps) } : {}),
  ...(options.seed ? { seed: Number(options.seed) } : {}),
  ...(options.threads ? { threads: Number(options.threads) } : {}),
  ...(options.backend ? { backend: options.backend as NonNullable<RunConfigInput["backend"]> } : {}),
};

const plan = planRun({ config });
const alone: PretrainedTask = { task: config.task, share: 1, noise: 1 };
const { seed = 0 } = config;
const parts = (recipe.tasks ?? [alone]).map((part) => {
  const { task, taskOptions = {} } = part;
  // A task can come twice, with other options.
  const label = part.taskOptions ? `${task} ${JSON.stringify(taskOptions)}` : task;
  return { ...part, label, plan: planRun({ config: { task, taskOptions, seed } }) };
});
const mixed = recipe.tasks
  ? mixTasks(
      parts.map(({ share, noise, plan: { instance } }) => ({ share, noise, instance })),
      seed,
    )
  : plan.instance;

// A graphics card is several times as fast; it rounds otherwise, so the weights differ a little.
const { gpu, obstacle } = config.backend?.endsWith("webgpu") ? await openNodeGpu() : { gpu: null, obstacle: null };
if (obstacle) throw new Error(`--backend ${config.backend}: ${obstacle}`);
const host = createNodeHost({ gpu });
const run = await prepareRun("pretrain", { ...plan, instance: mixed }, host, { onPreparing() {}, async pause() {}, onLost() {} });
const begun = host.now();
const secondsSince = () => (host.now() - begun) / 1000;

/** What the policy reaches on each task now, as it would be sampled in a run of that task. */
async function measure(evalProblems: number, evalSamples: number): Promise<Readonly<Record<string, EvaluationRecord>>> {
  const found: Record<string, EvaluationRecord> = {};
  for (const { label, plan } of parts) {
    const { instance } = plan;
    const context = {
      config: { ...plan.config, evalProblems, evalSamples },
      policy: run.model.policy(),
      renderer: run.renderer,
      task: instance,
      rewards: weightedReward(instance, {}),
    };
    found[label] = await evaluate(context, run.trainer.step, () => {});
  }
  return found;
}

/** Writes the model folder as it stands, so that a run cut off leaves what it came to. */
async function writeModel(): Promise<void> {
  const { policy } = tensorState(await run.model.save());
  if (!run.transformer) throw new Error("internal: pretraining makes a transformer");
  const files = await writeModelFolder(run.transformer, Float32Array.from(policy.values), {
    dtype: "F16",
    ids: specialIds("chat", run.renderer),
    extraFiles: await tokenizerFiles("chat", run.renderer, host),
  });
  await mkdir(out, { recursive: true });
  for (const { name, bytes } of files) await writeFile(`${out}/${name}`, bytes);
}

const curve: string[] = ["step,loss,learning_rate"];
const EVERY = 1000;
while (run.trainer.step < run.trainer.stepLimit) {
  const step = run.trainer.takeStep(() => {});
  let result = await step.next();
  while (!result.done) result = await step.next();
  const { metrics } = result.value;
  const at = run.trainer.step;
  if (at % 10 === 0) curve.push(`${at},${metrics.loss?.toFixed(5)},${metrics.learning_rate?.toPrecision(4)}`);
  if (at % 100 === 0)
    console.error(
      `step ${at}/${run.trainer.stepLimit}  loss ${metrics.loss?.toFixed(4)}  ${metrics.num_tokens} tokens  ${secondsSince().toFixed(0)} s`,
    );
  if (at % EVERY !== 0 || at === run.trainer.stepLimit) continue;
  await writeModel();
  for (const [task, { greedyAccuracy, sampledAccuracy, formRate }] of Object.entries(await measure(48, 2)))
    console.error(`  ${task}: greedy ${greedyAccuracy.toFixed(3)}  sampled ${sampledAccuracy.toFixed(3)}  form ${formRate.toFixed(3)}`);
}
const seconds = Math.round(secondsSince());

// Of a family each task is measured on fewer problems, or that would take as long as the training.
const evaluations = recipe.tasks ? await measure(128, 4) : await measure(256, 8);
await writeModel();
await writeFile(`${out}/loss.csv`, `${curve.join("\n")}\n`);
const record = {
  recipe: { version: CONFIG_VERSION, ...config },
  ...(recipe.tasks ? { tasks: recipe.tasks } : {}),
  parameters: run.model.report.parameters,
  backend: run.backend.id,
  threads: run.backend.threads,
  seconds,
  ...(recipe.tasks ? { evaluations } : { evaluation: evaluations[config.task] }),
};
await writeFile(`${out}/recipe.json`, `${JSON.stringify(record, null, 2)}\n`);
console.log(JSON.stringify(recipe.tasks ? evaluations : evaluations[config.task]));
process.exit(0);
