// A conversation of two turns with a tool between them trains alike on every backend: from the same weights
// and draws the same tokens are sampled, and the step that follows has the same loss, gradient and weights.
import { describe, expect, it, vi } from "vitest";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { createTfjsBackend } from "../../../src/model/tfjsBackend.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { TransformerModel } from "../../../src/model/transformerModel.ts";
import { createWebgpuBackend } from "../../../src/model/webgpuBackend.ts";
import { algorithms } from "../../../src/rl/algorithms/index.ts";
import { Random } from "../../../src/rl/random.ts";
import { resolveConfig } from "../../../src/rl/resolveConfig.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import { ReinforcementTrainer } from "../../../src/train/step/reinforcement.ts";
import type { SampledStep } from "../../../src/train/step/sampledStep.ts";
import { toolEnvs } from "../../rl/twoTurns.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { createKernelBackend, kernelVariants } from "../../support/kernels.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { difference, sharpWeights } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 240_000 });

const shape: TransformerConfig = {
  vocabularySize: digitsRenderer.vocabularySize,
  hiddenSize: 16,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headSize: 4,
  intermediateSize: 24,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: true,
  maxPositions: 64,
  valueHead: false,
};

/** One step of GRPO with a KL on two-turn conversations whose tool says one to three digits. */
async function trainOnce(opening: Promise<TransformerBackend>) {
  const backend = await opening;
  await backend.setWeights("policy", sharpWeights(shape, 3));
  const size = (await backend.getWeights("policy")).length;
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  const entries = tasks.map(({ entry }) => entry);
  const config = resolveConfig(
    {
      task: "digit-sum",
      algorithm: "grpo",
      model: "transformer",
      promptsPerStep: 2,
      groupSize: 4,
      klCoef: 0.05,
      optimizer: "sgd",
      learningRate: 0.1,
    },
    entries,
    algorithms,
  );
  const instance = tasks.find(({ entry }) => entry.id === "digit-sum")!.create({}, config.seed);
  const task = { ...instance, envs: toolEnvs(2, (_, turn) => 1 + (turn % 3)), maxTurns: 2 };
  const trainer = new ReinforcementTrainer({
    config,
    model: new TransformerModel(backend, async () => []),
    critic: null,
    task,
    rewards: weightedReward(task, {}),
    renderer: digitsRenderer,
    loader: task.trainLoader(),
    random: new Random(config.seed),
    now: () => 0,
  });
  let sampled: SampledStep | null = null;
  const phases = trainer.takeStep(() => {});
  let next = await phases.next();
  while (!next.done) {
    sampled = next.value.sampled;
    next = await phases.next();
  }
  const { metrics } = next.value;
  const weights_N = await backend.getWeights("policy");
  backend.dispose();
  const trajectories = sampled!.groups.flatMap((group) => group.trajectories);
  return {
    tokens: trajectories.map(({ tokens }) => tokens),
    masks: trajectories.map(({ mask }) => mask),
    figures: [metrics.loss!, metrics.grad_norm!, metrics.entropy!],
    entropies_K: sampled!.sampledEntropies_K,
    weights_N,
  };
}

const { gpu, skip } = await gpuForTests();
const host = createNodeHost();
const others: readonly [string, () => Promise<TransformerBackend>, string | undefined][] = [
  ...kernelVariants
    .slice(1)
    .map(({ name, options }): [string, () => Promise<TransformerBackend>, undefined] => [
      `own kernels, ${name}`,
      () => createKernelBackend(shape, options),
      undefined,
    ]),
  ["TensorFlow.js on WASM", () => createTfjsBackend(shape, "wasm", host), undefined],
  ["own shaders on WebGPU", () => createWebgpuBackend(shape, { gpu }, { onLost: () => undefined }), skip],
];

describe("a step on conversations of two turns", () => {
  const first = trainOnce(createKernelBackend(shape, kernelVariants[0]!.options));

  it("samples both turns and inserts the tool's", async () => {
    const { tokens, masks } = await first;
    expect(masks.every((mask) => mask.join("") === `1111${"0".repeat(mask.length - 8)}1111`)).toBe(true);
    expect(new Set(tokens.map((each) => each.join())).size).toBeGreaterThan(4);
  });

  for (const [name, create, reason] of others) {
    it.skipIf(reason !== undefined)(`is the same on ${name}${reason ? ` (skipped: ${reason})` : ""}`, async () => {
      const [expected, actual] = [await first, await trainOnce(create())];
      expect(actual.tokens).toEqual(expected.tokens);
      expect(actual.masks).toEqual(expected.masks);
      expect(difference(actual.entropies_K, expected.entropies_K).largest).toBeLessThan(1e-4);
      for (const [i, figure] of actual.figures.entries()) expect(Math.abs(figure - expected.figures[i]!)).toBeLessThan(1e-5);
      // Plain gradient descent: weights differ as gradients do, a tenth of them.
      const moved = difference(expected.weights_N, sharpWeights(shape, 3)).largest;
      expect(moved).toBeGreaterThan(1e-3);
      expect(difference(actual.weights_N, expected.weights_N).largest).toBeLessThan(1e-4 * moved + 2e-7);
    });
  }
});
