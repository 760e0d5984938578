// A start that fails half-way gives back what it had taken: GPU devices and kernel threads.
import { describe, expect, it } from "vitest";
import { createNodeHost } from "../../../src/cli/nodeHost.ts";
import { Engine } from "../../../src/kernels/wasm/engine.ts";
import { tensorState } from "../../../src/model/model.ts";
import type { TensorSet } from "../../../src/model/tensors.ts";
import { createWasmBackend } from "../../../src/model/wasm/wasmBackend.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { countedThreads } from "../../support/countedThreads.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { saveOf } from "../../support/savedFiles.ts";
import { setOf } from "../../support/tensorSets.ts";
import { watchDevices } from "../../support/watchedGpu.ts";

const { gpu, skip } = await gpuForTests();

const config: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", backend: "wasm", threads: 2 },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16 },
  ...{ groupSize: 2, promptsPerStep: 1, steps: 1, evalEvery: 0, evalProblems: 4, autosaveEvery: 1 },
};

/** Plays a run to its end and saves it again under "odd" with only the first weights of one of its models. */
async function storeWithOddRun(config: RunConfigInput, model: "model" | "critic") {
  const store = memoryStore();
  const session = await driveSession({ store });
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run", config });
  await finished;
  // What was repeated is kept with the weights it led to.
  await session.send({ type: "continue", runId: "run", paused: true });
  await session.send({ type: "save" });
  const state = readSave("run", store.saves.get("run")!.files);
  const whole = tensorState(state.checkpoint![model]!);
  const few = ({ values }: TensorSet) => setOf(values.slice(0, 10));
  const cut = { ...whole, policy: few(whole.policy), first: few(whole.first), second: few(whole.second) };
  store.saves.set("odd", saveOf("odd", { ...state, kept: [], checkpoint: { ...state.checkpoint!, [model]: { ...cut, reference: null } } }));
  await session.send({ type: "reset" });
  return store;
}

describe("a start that fails", () => {
  it("closes its threads when the kernels cannot run the model", async () => {
    const threads = countedThreads();
    const host = createNodeHost({ startKernelThread: threads.startKernelThread });
    const odd = { vocabularySize: 32, hiddenSize: 8, layers: 1, heads: 1, kvHeads: 1, headSize: 7, intermediateSize: 8 };
    const rest = {
      ropeTheta: 10_000,
      rmsNormEps: 1e-5,
      tiedEmbeddings: true,
      qkvBias: false,
      headNorm: false,
      maxPositions: 64,
      valueHead: false,
    };
    await expect(createWasmBackend({ ...odd, ...rest }, host, { threads: 2 })).rejects.toThrow("headSize");
    expect([threads.opened() > 0, threads.open.size]).toEqual([true, 0]);
  });

  it("closes the threads that did start when one does not", async () => {
    const threads = countedThreads([1]);
    const host = createNodeHost({ startKernelThread: threads.startKernelThread });
    await expect(Engine.start(host, { threads: 4, tile: 6 })).rejects.toThrow("no second thread");
    expect(threads.opened()).toBe(3);
    expect(threads.open.size).toBe(0);
  });

  it("closes threads when even asking for one fails", async () => {
    const threads = countedThreads();
    const startKernelThread = () => {
      if (threads.opened() === 2) throw new Error("too many threads");
      return threads.startKernelThread();
    };
    await expect(Engine.start(createNodeHost({ startKernelThread }), { threads: 4, tile: 6 })).rejects.toThrow("too many threads");
    expect(threads.open.size).toBe(0);
  });

  it.each([
    ["the policy", "model"],
    ["a critic of its own", "critic"],
  ] as const)("closes every thread when the saved weights of %s do not fit", async (_, model) => {
    const withCritic: RunConfigInput = { ...config, algorithm: "ppo", advantageBaseline: "critic", criticTrunk: "own" };
    const store = await storeWithOddRun(withCritic, model);
    const threads = countedThreads();
    const session = await driveSession({ store, startKernelThread: threads.startKernelThread });
    await expect(session.send({ type: "continue", runId: "odd" })).rejects.toThrow(
      /the save does not fit the (model|critic): saved weights: tensor "weights" has no place in this model/,
    );
    expect(threads.opened()).toBe(2);
    expect(threads.open.size).toBe(0);
  });

  it("closes the policy's threads when its critic cannot be built", async () => {
    const threads = countedThreads([1]);
    const session = await driveSession({ startKernelThread: threads.startKernelThread });
    const withCritic: RunConfigInput = { ...config, advantageBaseline: "critic", criticTrunk: "own" };
    await expect(session.send({ type: "start", runId: "run", config: withCritic })).rejects.toThrow("no second thread");
    expect(threads.opened()).toBe(2);
    expect(threads.open.size).toBe(0);
  });

  it("destroys its GPU device when the saved weights do not fit", async (context) => {
    if (skip !== undefined) context.skip(skip);
    const store = await storeWithOddRun(config, "model");
    const { gpu: watched, devices } = watchDevices(gpu!);
    const session = await driveSession({ gpu: watched, store });
    const continued = session.send({ type: "continue", runId: "odd", backend: "webgpu" });
    await expect(continued).rejects.toThrow(
      /the save does not fit the (model|critic): saved weights: tensor "weights" has no place in this model/,
    );
    expect(devices).toHaveLength(1);
    expect((await devices[0]!.lost).reason).toBe("destroyed");
  });
});

describe("a run that is going", () => {
  const long: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 0, evalEvery: 0 };
  const later = async (session: DrivenSession) => {
    const step = session.next("steps");
    await step;
    return session.all("state").at(-1)?.state;
  };

  /** An engine with a run that is going, and beside it a save whose checkpoint of weights cannot be fetched. */
  async function driveBeside() {
    const store = memoryStore();
    let isGone = false;
    const host = createNodeHost();
    const readAsset = (name: string) =>
      isGone && name.endsWith(".safetensors") ? Promise.reject(new Error("gone")) : host.readAsset(name);
    const session = await driveSession({ store, readAsset });
    const shipped = {
      task: "boxed-arithmetic",
      algorithm: "grpo",
      steps: 1,
      evalEvery: 0,
      evalProblems: 4,
      groupSize: 2,
      promptsPerStep: 1,
    };
    const stopped = session.next("state", ({ state }) => state === "paused");
    await session.send({ type: "start", runId: "other", config: shipped as RunConfigInput, paused: true });
    await stopped;
    const saved = session.next("saved");
    await session.send({ type: "resume" });
    await saved;
    await session.send({ type: "stop" });
    isGone = true;
    await session.send({ type: "start", runId: "run", config: long });
    return { session, store };
  }

  it.each([true, false])("goes on where a save's weights cannot be fetched, whether that was to begin paused: %s", async (paused) => {
    const { session } = await driveBeside();
    await expect(session.send({ type: "continue", runId: "other", paused })).rejects.toThrow("gone");
    expect(await later(session)).toBe("running");
    await session.send({ type: "reset" });
  });

  it("goes on where its own save cannot be read", async () => {
    const { session, store } = await driveBeside();
    await session.send({ type: "save" });
    const read = store.read;
    Object.assign(store, { read: async () => new Map([["run", Uint8Array.of(1)]]) });
    await expect(session.send({ type: "continue", runId: "run", paused: true })).rejects.toThrow("cannot be read");
    Object.assign(store, { read });
    expect(await later(session)).toBe("running");
    await session.send({ type: "reset" });
  });

  it("stands still where it was paused while another was prepared in vain", async () => {
    const { session } = await driveBeside();
    const going = session.send({ type: "continue", runId: "other", paused: true }).catch(() => {});
    await Promise.all([session.send({ type: "pause" }).catch(() => {}), going]);
    await session.send({ type: "pause" });
    expect(session.all("state").at(-1)?.state).toBe("paused");
  });
});
