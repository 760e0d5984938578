// A step is taken as a whole or not at all: whatever of it is not a number, and however many optimizer steps
// were taken by then, all that the next step depends on stays as it was.
import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { TransformerModel } from "../../../src/model/transformerModel.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { algorithms } from "../../../src/rl/algorithms/index.ts";
import { Random } from "../../../src/rl/random.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import { Controllers } from "../../../src/train/step/controllers.ts";
import { ReinforcementTrainer } from "../../../src/train/step/reinforcement.ts";
import { StepRefused } from "../../../src/train/step/trainer.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { resolveConfig } from "../../support/resolveConfig.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const shape = {
  ...{ vocabularySize: digitsRenderer.vocabularySize, hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, headSize: 8 },
  ...{
    intermediateSize: 24,
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    tiedEmbeddings: true,
    qkvBias: false,
    headNorm: false,
    maxPositions: 64,
    valueHead: false,
  },
};

async function modelOf(valueHead: boolean): Promise<TransformerModel> {
  const own = { ...shape, valueHead };
  const backend = await createKernelBackend(own, { threads: 1 });
  await backend.setWeights("policy", sharpWeights(own, 3));
  return new TransformerModel(backend, async () => []);
}

async function training(over: RunConfigInput) {
  const entries = tasks.map(({ entry }) => entry);
  const input: RunConfigInput = { task: "digit-sum", model: "transformer", promptsPerStep: 2, groupSize: 4, learningRate: 0.01, ...over };
  const config = resolveConfig(input, entries, algorithms);
  const task = tasks.find(({ entry }) => entry.id === "digit-sum")!.create({}, config.seed);
  const hasCritic = config.advantageBaseline === "critic" && config.criticTrunk === "own";
  const model = await modelOf(config.advantageBaseline === "critic" && !hasCritic);
  const critic = hasCritic ? await modelOf(true) : null;
  const parts = { config, model, critic, task, renderer: digitsRenderer, rewards: weightedReward(task, {}) };
  const random = new Random(config.seed);
  const trainer = new ReinforcementTrainer({ ...parts, loader: task.trainLoader(), random, now: () => 0 });
  const step = async (change: (phase: string) => void = () => {}) => {
    const phases = trainer.takeStep(() => {});
    for (let next = await phases.next(); !next.done; next = await phases.next()) change(next.value.phase);
  };
  const all = async () => ({ trainer: trainer.save(), model: await model.save(), critic: (await critic?.save()) ?? null });
  return { trainer, step, all, config };
}

const plain = { algorithm: "grpo", optimizer: "sgd", maxGradNorm: 0 } as const;
/** So large that weights, and with them the next loss, overflow. */
const MUCH = 1e30;

describe("a step that is refused leaves everything as it was", () => {
  it.each<[string, RunConfigInput, Readonly<Record<string, number>>]>([
    ["in its second epoch", { ...plain, innerEpochs: 3 }, { learningRate: MUCH }],
    ["in its second minibatch", { ...plain, minibatches: 2 }, { learningRate: MUCH }],
    [
      "when its reference had just been mixed anew",
      { ...plain, innerEpochs: 2, klCoef: 0.1, referenceSyncEvery: 1 },
      { learningRate: MUCH },
    ],
    ["by its critic, after the policy has moved", { algorithm: "ppo", criticTrunk: "own", valueEpochs: 3 }, { valueLearningRate: MUCH }],
  ])("%s", async (_where, config, spoiling) => {
    const { trainer, step, all } = await training(config);
    await step();
    const before = await all();
    const held = trainer.config;
    trainer.set(spoiling);
    await expect(step()).rejects.toThrow(StepRefused);
    expect(await all()).toEqual(before);
    // With what held before, the step is then the one that it would have been.
    trainer.set(Object.fromEntries(Object.keys(spoiling).map((key) => [key, held[key as "learningRate"]])));
    await step();
    const other = await training(config);
    await other.step();
    await other.step();
    expect(await all()).toEqual(await other.all());
  });

  it("and what was set while it went on holds from the step that was not taken", async () => {
    const { trainer, step } = await training({ ...plain, innerEpochs: 2 });
    await step();
    trainer.set({ learningRate: MUCH });
    await expect(step((phase) => phase === "sample" && trainer.set({ learningRate: 0.02 }))).rejects.toThrow(StepRefused);
    expect(trainer.config.changes.at(-1)).toEqual({ afterStep: 1, settings: { learningRate: 0.02 } });
    expect(trainer.config.learningRate).toBe(0.02);
    await step();
    expect(trainer.step).toBe(2);
  });
});

describe("coefficients that steer themselves", () => {
  it("stay where they are after a step that measured nothing", async () => {
    const { config } = await training({ klEstimator: "k3", klCoef: 0.2, klTarget: 0.1, entropyTarget: 0.3, entropyCoef: 0.01 });
    const controllers = new Controllers(config);
    const before = controllers.save();
    controllers.observe(undefined, undefined, 8, config);
    controllers.observe(Number.NaN, Number.NaN, 8, config);
    expect(controllers.save()).toEqual(before);
    controllers.observe(0.2, 0.2, 8, config);
    expect(controllers.save()).not.toEqual(before);
  });
});
