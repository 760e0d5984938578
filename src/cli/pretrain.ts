// Makes the shipped starting checkpoint: supervised training from random weights on synthetic chats,
// with the project's own trainer. Part of the worked answers is wrong on purpose, in the right form,
// so that the policy knows how to answer and only sometimes what. Writes the model folder with its
// recipe, loss curve and measured accuracy beside it.
import { mkdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { writeModelFolder } from "../model/checkpoint.ts";
import { CONFIG_VERSION } from "../protocol/config/migrations.ts";
import { specialIds, tokenizerFiles } from "../train/engine/loadRenderer.ts";
import { evaluate } from "../train/evaluation.ts";
import { pretrainRecipe } from "../train/pretrainRecipe.ts";
import { planRun, prepareRun } from "../train/run/prepareRun.ts";
import { createNodeHost } from "./nodeHost.ts";

const { values: options } = parseArgs({
  options: { out: { type: "string", default: "public/models/base" }, steps: { type: "string" }, seed: { type: "string" } },
});

const recipe = {
  ...pretrainRecipe,
  ...(options.steps ? { steps: Number(options.steps) } : {}),
  ...(options.seed ? { seed: Number(options.seed) } : {}),
};
const host = createNodeHost();
const run = await prepareRun("pretrain", planRun({ config: recipe }), host, { onPreparing() {}, async pause() {}, onLost() {} });
const begun = host.now();
const curve: string[] = ["step,loss,learning_rate"];

const measure = () =>
  evaluate(
    {
      config: { ...run.trainer.config, evalProblems: 256, evalSamples: 8 },
      policy: run.model.policy(),
      renderer: run.renderer,
      task: run.task,
      rewards: run.rewards,
    },
    run.trainer.step,
    () => {},
  );

while (run.trainer.step < recipe.steps) {
  const step = run.trainer.takeStep(() => {});
  let result = await step.next();
  while (!result.done) result = await step.next();
  const { metrics } = result.value;
  if (run.trainer.step % 10 === 0) curve.push(`${run.trainer.step},${metrics.loss?.toFixed(5)},${metrics.learning_rate?.toPrecision(4)}`);
  if (run.trainer.step % 200 !== 0) continue;
  const accuracy = await measure();
  const seconds = (host.now() - begun) / 1000;
  console.error(
    `step ${run.trainer.step}/${recipe.steps}  loss ${metrics.loss?.toFixed(4)}  greedy ${accuracy.greedyAccuracy.toFixed(3)}  sampled ${accuracy.sampledAccuracy.toFixed(3)}  form ${accuracy.formRate.toFixed(3)}  ${seconds.toFixed(0)} s`,
  );
}

const evaluation = await measure();
const { policy } = await run.model.save();
if (!run.transformer) throw new Error("internal: pretraining makes a transformer");
const files = await writeModelFolder(run.transformer, Float32Array.from(policy), {
  dtype: "F16",
  ids: specialIds("chat", run.renderer),
  extraFiles: await tokenizerFiles("chat", host),
});
await mkdir(options.out, { recursive: true });
for (const { name, bytes } of files) await writeFile(`${options.out}/${name}`, bytes);
await writeFile(`${options.out}/loss.csv`, `${curve.join("\n")}\n`);
const seconds = Math.round((host.now() - begun) / 1000);
const record = {
  recipe: { version: CONFIG_VERSION, ...recipe },
  parameters: run.model.report.parameters,
  backend: run.backend.id,
  threads: run.backend.threads,
  seconds,
  evaluation,
};
await writeFile(`${options.out}/recipe.json`, `${JSON.stringify(record, null, 2)}\n`);
console.log(JSON.stringify(record.evaluation));
process.exit(0);
