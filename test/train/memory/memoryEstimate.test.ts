// The estimate beside the form against the peak of the run it was made for, on twenty configurations and
// three backends.
import { afterAll, describe, expect, it, vi } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import { readModelFolder } from "../../../src/model/folder/checkpoint.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { Host } from "../../../src/train/host.ts";
import { estimateRun } from "../../../src/train/memory/memoryCheck.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { isLong, longOnly } from "../../support/long.ts";
import { gpuPeak, tfjsPeak, wasmPeak } from "../../support/memoryPeak.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { shareDevice } from "../../support/sharedGpu.ts";

vi.setConfig({ testTimeout: 600_000 });
const { gpu, skip, isSoftware } = await gpuForTests();
const shared = gpu ? shareDevice(gpu) : null;
afterAll(() => shared?.destroy());

const digits: RunConfigInput = {
  ...{ task: "digit-sum", model: "transformer", startFrom: "random", algorithm: "grpo", threads: 2, steps: 2 },
  ...{ hiddenSize: 32, layers: 2, heads: 4, kvHeads: 4, intermediateSize: 88, taskOptions: { length: 16, target: 72 } },
  ...{ promptsPerStep: 8, groupSize: 16, evalEvery: 0, evalProblems: 64, evalSamples: 4 },
};
/** An untrained policy goes on to the limit. */
const chats: RunConfigInput = { ...digits, task: "boxed-arithmetic", taskOptions: {}, maxCompletionTokens: 24 };
const wide: RunConfigInput = { hiddenSize: 128, heads: 4, kvHeads: 2, intermediateSize: 352, layers: 3 };

/** The first are small; the rest are for the long run. */
const configurations: readonly (readonly [string, RunConfigInput])[] = [
  // What scores most there is an answer of the same prompts over time, on its whole vocabulary.
  ["few chats", { ...chats, promptsPerStep: 1, groupSize: 2, evalProblems: 2, evalSamples: 1, measureUpdate: false }],
  ["a small transformer", digits],
  ["small micro-batches", { ...chats, microBatchTokens: 256 }],
  ["chats with a wide one", { ...chats, ...wide }],
  ["adapters", { ...chats, ...wide, loraRank: 4, klCoef: 0.1 }],
  ["a reference", { ...chats, ...wide, klCoef: 0.1 }],
  ["a critic of its own", { ...chats, algorithm: "ppo", advantageBaseline: "critic", criticTrunk: "own" }],
  ["a critic that shares the trunk", { ...chats, algorithm: "ppo", advantageBaseline: "critic", criticTrunk: "shared" }],
  [
    "an agent that plays the frozen start",
    { ...chats, ...wide, task: "checked-arithmetic", taskOptions: { frozenStart: "solver", rounds: 1 } },
  ],
  ["supervised training", { ...chats, kind: "supervised", demonstrationsPerStep: 64 }],
  ["more threads than partitions", { ...chats, threads: 6, reproducible: false }],
  ["one thread", { ...chats, ...wide, threads: 1 }],
  ["minibatches", { ...chats, minibatches: 4, innerEpochs: 2 }],
  ["a large batch", { ...digits, promptsPerStep: 64, groupSize: 64 }],
  ["large groups of one prompt", { ...chats, promptsPerStep: 1, groupSize: 128 }],
  ["long completions", { ...chats, maxCompletionTokens: 128, promptsPerStep: 4, groupSize: 8 }],
  ["large micro-batches", { ...chats, microBatchTokens: 16_384, promptsPerStep: 32 }],
  ["a large evaluation", { ...chats, evalProblems: 512, evalSamples: 8 }],
  // Completions are counted as long as they may get; this model's answers are about so long.
  ["the shipped model", { task: "boxed-arithmetic", steps: 2, evalEvery: 0, evalProblems: 32, maxCompletionTokens: 8 }],
  ["many layers", { ...chats, layers: 12 }],
  ["a very wide model", { ...chats, hiddenSize: 384, heads: 6, kvHeads: 6, intermediateSize: 1024, layers: 4, promptsPerStep: 4 }],
  ["adapters beside a small one", { ...chats, loraRank: 4, klCoef: 0.1 }],
  ["no measured update", { ...chats, measureUpdate: false, ...wide }],
  ["few tokens", { ...digits, promptsPerStep: 1, groupSize: 2, taskOptions: { length: 4, target: 18 }, evalProblems: 2 }],
];

/** On a software adapter those of one shape, whose kernels a shared device compiles once. */
const onGpu = configurations.filter(
  ([, { hiddenSize, layers, task }]) => !isSoftware || (hiddenSize === 32 && layers === 2 && task === "boxed-arithmetic"),
);

async function estimated(config: RunConfigInput, host: Host): Promise<number> {
  const { parts } = await estimateRun(planRun({ config }), host);
  return parts.filter(({ holder }) => holder === "backend").reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Within a quarter of what was measured. */
function expectNear(estimate: number, peak: number): void {
  expect(estimate / peak).toBeGreaterThan(0.75);
  expect(estimate / peak).toBeLessThan(1.25);
}

const first = (usual: number) => configurations.slice(0, isLong ? configurations.length : usual);

describe("the estimate for the kernels", () => {
  it.each(first(11))("is near the memory's size: %s", async (_, given) => {
    const config: RunConfigInput = { ...given, backend: "wasm" };
    const host = createNodeHost();
    const peak = await wasmPeak(() => trainRun(config, host));
    expectNear(await estimated(config, host), peak);
  });
});

describe("64 live conversations of 512 tokens with the shipped model", () => {
  const run: RunConfigInput = {
    ...{ task: "calculator", taskOptions: { maxCalls: 3 }, backend: "wasm", threads: 2, steps: 1 },
    ...{ promptsPerStep: 8, groupSize: 8, maxCompletionTokens: 128, evalEvery: 0, evalProblems: 8, evalSamples: 8 },
  };

  it("fit in 400 MB with everything else of their run, as the estimate knows", async () => {
    const host = createNodeHost();
    const { config, weights_N } = await readModelFolder((name) => host.readAsset(`models/base/${name}`), { valueHead: "absent" });
    const backend = await createKernelBackend(config, { threads: 2 });
    await backend.setWeights("policy", weights_N);
    const held = backend.memoryBytes();
    const promptOf_B = Int32Array.from({ length: 64 }, (_, b) => Math.floor(b / 8));
    const sequences_B = promptOf_B.map((_, b) => b);
    const open = backend.open({ prompts: Array.from({ length: 8 }, () => new Array<number>(40).fill(5)), promptOf_B, expectedTokens: 128 });
    const turn = {
      sequences_B,
      maxNewTokens: 8,
      stopTokens: [],
      temperature: 1,
      topK: 0,
      topP: 1,
      minP: 0,
      uniforms_BT: new Float32Array(512).fill(0.5),
    };
    await open.sample(turn);
    for (const sequence of sequences_B) open.extend(sequence, new Array<number>(496).fill(7));
    await open.sample(turn);
    const taken = backend.memoryBytes() - held;
    open.close();
    backend.dispose();
    const { parts } = await estimateRun(planRun({ config: run }), host);
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(400e6);
    expectNear(parts.find(({ title }) => title === "Keys and values while sampling")!.bytes, taken);
  });
});

describe("the estimate for TensorFlow.js", () => {
  it.each(first(3))("is near the tensors' peak: %s", async (_, given) => {
    const config: RunConfigInput = { ...given, backend: "tfjs-wasm" };
    const host = createNodeHost();
    const peak = await tfjsPeak(() => trainRun(config, host));
    expectNear(await estimated(config, host), peak);
  });
});

// A software GPU compiles the kernels of a shape for a minute and more.
describe.skipIf(!isLong || skip !== undefined)(
  isLong && skip ? `the estimate for a GPU (skipped: ${skip})` : longOnly("the estimate for a GPU"),
  () => {
    it.each(onGpu)("is near the buffers' peak: %s", async (_, given) => {
      const config: RunConfigInput = { ...given, backend: "webgpu" };
      const peak = await gpuPeak(shared!.gpu, (watched) => trainRun(config, createNodeHost({ gpu: watched })));
      expectNear(await estimated(config, createNodeHost({ gpu })), peak);
    });
  },
);
