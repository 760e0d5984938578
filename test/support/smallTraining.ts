// Training of a small transformer on conversations of a test's own making: the digit-sum task with other
// environments, on whatever backend.
import { afterAll } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { createTfjsBackend } from "../../src/model/composed/tfjsBackend.ts";
import { digitsRenderer } from "../../src/model/renderers/digits.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import { TransformerModel } from "../../src/model/transformerModel.ts";
import { createWebgpuBackend } from "../../src/model/webgpu/webgpuBackend.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { algorithms } from "../../src/rl/algorithms/index.ts";
import { Random } from "../../src/rl/random.ts";
import { weightedReward } from "../../src/rl/rewards/weightedReward.ts";
import { tasks } from "../../src/rl/tasks/index.ts";
import type { TaskInstance } from "../../src/rl/tasks/task.ts";
import { ReinforcementTrainer } from "../../src/train/step/reinforcement.ts";
import type { SampledStep } from "../../src/train/step/sampledStep.ts";
import { groupRecord } from "../../src/train/step/stepRecords.ts";
import { gpuForTests } from "./gpu.ts";
import { createKernelBackend, kernelVariants } from "./kernels.ts";
import { createNodeHost } from "./nodeHost.ts";
import { resolveConfig } from "./resolveConfig.ts";
import { shareDevice } from "./sharedGpu.ts";
import { sharpWeights } from "./tokenBatches.ts";

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
  qkvBias: false,
  headNorm: false,
  maxPositions: 64,
  valueHead: false,
};

/** What training starts from. */
export const startWeights = (): Float32Array => sharpWeights(shape, 3);

const { gpu, skip } = await gpuForTests();
/** In software a device takes long to compile the kernels; they are the same for all backends of a file. */
const shared = gpu ? shareDevice(gpu) : null;
afterAll(() => shared?.destroy());
const host = createNodeHost();

/** Every kind of backend by name, and why one cannot be tested here. */
export const trainingBackends: readonly (readonly [string, () => Promise<TransformerBackend>, string | undefined])[] = [
  ...kernelVariants.map(({ name, options }) => [`own kernels, ${name}`, () => createKernelBackend(shape, options), undefined] as const),
  ["TensorFlow.js on WASM", () => createTfjsBackend(shape, "wasm", host), undefined],
  ["own shaders on WebGPU", () => createWebgpuBackend(shape, { gpu: shared?.gpu ?? null }, { onLost: () => undefined }), skip],
];

export interface SmallTraining {
  readonly backend: Promise<TransformerBackend>;
  /** In place of the digit-sum task's own. */
  readonly task: Partial<TaskInstance>;
  readonly config?: RunConfigInput;
  readonly steps?: number;
  /** May change what was sampled before it is learnt from. */
  readonly spoil?: (sampled: SampledStep) => void;
  readonly modelOf?: (backend: TransformerBackend) => TransformerModel;
}

/** Takes steps of GRPO with a KL and plain gradient descent; the backend is disposed of at the end. */
export async function trainSmall({ backend: opening, task: own, config: given, steps = 1, spoil, modelOf }: SmallTraining) {
  const backend = await opening;
  await backend.setWeights("policy", startWeights());
  const size = startWeights().length;
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  const small = { task: "digit-sum", algorithm: "grpo", model: "transformer", promptsPerStep: 2, groupSize: 4, optimizer: "sgd" } as const;
  const entries = tasks.map(({ entry }) => entry);
  const config = resolveConfig({ ...small, klCoef: 0.05, learningRate: 0.1, ...given }, entries, algorithms);
  const task = { ...tasks.find(({ entry }) => entry.id === "digit-sum")!.create({}, config.seed), ...own };
  const model = modelOf?.(backend) ?? new TransformerModel(backend, async () => []);
  if (task.startAgents) await model.refreshReference(1);
  const trainer = new ReinforcementTrainer({
    config,
    model,
    critic: null,
    task,
    rewards: weightedReward(task, {}),
    renderer: digitsRenderer,
    loader: task.trainLoader(),
    random: new Random(config.seed),
    now: () => 0,
  });
  const taken: { readonly sampled: SampledStep; readonly metrics: Readonly<Record<string, number>> }[] = [];
  for (let step = 0; step < steps; step++) {
    let sampled: SampledStep | null = null;
    const phases = trainer.takeStep(() => {});
    let next = await phases.next();
    while (!next.done) {
      sampled = next.value.sampled;
      if (next.value.phase === "sample") spoil?.(sampled!);
      next = await phases.next();
    }
    taken.push({ sampled: sampled!, metrics: next.value.metrics });
  }
  const weights_N = await backend.getWeights("policy");
  backend.dispose();
  const { sampled, metrics } = taken.at(-1)!;
  const trajectories = sampled.groups.flatMap((_, p) => groupRecord(sampled, p, task, digitsRenderer).trajectories);
  return { taken, metrics, weights_N, sampled, trajectories };
}
