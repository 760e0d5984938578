// The loop as it is read is the loop as it runs: both give the same numbers to the bit.
import { describe, expect, it } from "vitest";
import { type Model, modelHere } from "../../src/model/model.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { StepRecord } from "../../src/protocol/records.ts";
import { Random } from "../../src/rl/random.ts";
import { TINY_TRANSFORMER } from "../../src/rl/tasks/digitSum.ts";
import { type GrpoSettings, grpo } from "../../src/train/grpo.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { prepareRun } from "../../src/train/start/start.ts";
import { optimizerStep } from "../../src/train/step/trainer.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const quiet = { onPreparing: () => {}, pause: async () => {}, onLost: () => {} };
const fresh = (config: RunConfigInput) => prepareRun("run", planRun({ config }), createNodeHost(), quiet);

async function byTrainer(config: RunConfigInput, steps: number) {
  const { trainer, model } = await fresh(config);
  const records: StepRecord[] = [];
  for (let step = 0; step < steps; step++) {
    const phases = trainer.takeStep(() => {});
    let next = await phases.next();
    while (!next.done) next = await phases.next();
    records.push(next.value);
  }
  const figures = records.map(({ step, metrics }) => ({
    step,
    meanReward: metrics.reward,
    loss: metrics.loss,
    gradNorm: metrics.grad_norm,
  }));
  return { figures, state: await ended(modelHere(model)) };
}

async function byEssay(input: RunConfigInput, steps: number) {
  const { trainer, model: made, task, renderer, rewards } = await fresh(input);
  const model = modelHere(made);
  const { config } = trainer;
  const settings: GrpoSettings = {
    prompts: config.promptsPerStep,
    groupSize: config.groupSize,
    maxNewTokens: config.maxCompletionTokens,
    temperature: config.temperature,
    clip: config.clipLow,
    klCoef: config.klCoef,
    innerEpochs: config.innerEpochs,
    optimizer: optimizerStep(config, config.learningRate),
    microBatchTokens: config.microBatchTokens,
  };
  const parts = { model, loader: task.trainLoader(), envs: task.envs, renderer, rewards, random: new Random(config.seed) };
  const figures: unknown[] = [];
  for await (const figure of grpo(parts, settings)) {
    figures.push(figure);
    if (figures.length === steps) break;
  }
  return { figures, state: await ended(model) };
}

/** Weights, reference and moments at the end; the model is ended. */
async function ended(model: Model) {
  const state = await model.save();
  model.dispose();
  return state;
}

const common: RunConfigInput = { algorithm: "grpo", evalEvery: 0, seed: 5, innerEpochs: 2 };

describe("the loop as an essay", () => {
  it.each<[string, RunConfigInput, number]>([
    [
      "50 steps of the table",
      { ...common, task: "digit-sum", model: "tabular", promptsPerStep: 3, learningRate: 0.3, optimizer: "adamw" },
      50,
    ],
    [
      "5 steps of a transformer",
      { ...common, ...TINY_TRANSFORMER, task: "digit-sum", backend: "wasm", promptsPerStep: 3, learningRate: 1e-3, optimizer: "adamw" },
      5,
    ],
    [
      "5 steps of the arithmetic chats",
      { ...common, task: "boxed-arithmetic", backend: "wasm", groupSize: 4, promptsPerStep: 3, klCoef: 0.05 },
      5,
    ],
  ])("gives the trainer's numbers to the bit: %s", async (_, config, steps) => {
    const [trained, read] = [await byTrainer(config, steps), await byEssay(config, steps)];
    expect(read.figures).toEqual(trained.figures);
    expect(read.state).toEqual(trained.state);
    // And something was learnt, or equal numbers would say little.
    expect(read.state.policy).not.toEqual(read.state.reference);
  });
});
