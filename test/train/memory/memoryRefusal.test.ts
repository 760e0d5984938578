// Runs that do not fit in the memory are refused before anything is touched, with a value that fits; one
// that is on its way is given up between two pieces of work, and leaves nothing held.
import * as tf from "@tensorflow/tfjs";
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { estimateRun } from "../../../src/train/memory/memoryCheck.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { driveSession } from "../../support/driveSession.ts";
import "../../support/kernels.ts";
import { tfjsPeak, wasmPeak } from "../../support/memoryPeak.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 0, evalEvery: 0 };
const small: RunConfigInput = {
  ...{ task: "boxed-arithmetic", algorithm: "grpo", startFrom: "random", backend: "wasm", threads: 1 },
  ...{ hiddenSize: 32, layers: 2, heads: 4, kvHeads: 4, intermediateSize: 88, evalProblems: 4, steps: 1 },
};
const largest: RunConfigInput = { ...small, hiddenSize: 1024, layers: 24, heads: 16, kvHeads: 16, intermediateSize: 4096 };
const rule = /^\w+ must be <= \d+( and \w+ <= \d+)* to fit in the 2\.0 GB of [^,]+, got [\d and]+, which takes about [\d.]+ GB$/;

const problemOf = async (config: RunConfigInput, memoryBytes: number | null = null) =>
  (await estimateRun(planRun({ config }), createNodeHost({ memoryBytes }))).problem;

describe("a run that does not fit", () => {
  it.each(["wasm", "tfjs-wasm"] as const)("is refused on %s before anything is held, and the run before it goes on", async (backend) => {
    const session = await driveSession({ memoryBytes: null });
    await session.send({ type: "start", runId: "a", config: table });
    const refusal = async () => {
      await expect(session.send({ type: "start", runId: "b", config: { ...largest, backend } })).rejects.toThrow(rule);
    };
    expect(await wasmPeak(async () => expect(await tfjsPeak(refusal)).toBe(0))).toBe(0);
    const states = session.all("state").map(({ runId, state }) => `${runId}: ${state}`);
    expect(states).toEqual(["a: preparing", "a: running", "b: preparing", "a: running"]);
    const steps = session.next("steps");
    expect((await steps).runId).toBe("a");
    await session.send({ type: "reset" });
  });

  it.each([
    ["a deep model", largest],
    [
      "a wide micro-batch",
      {
        ...small,
        hiddenSize: 512,
        intermediateSize: 2048,
        heads: 8,
        kvHeads: 8,
        layers: 6,
        microBatchTokens: 65_536,
        promptsPerStep: 256,
        groupSize: 64,
      },
    ],
    [
      "long completions of a shallow one",
      { ...small, hiddenSize: 1024, heads: 8, kvHeads: 8, layers: 3, intermediateSize: 4096, maxCompletionTokens: 512, groupSize: 128 },
    ],
  ])("is told the largest value that fits: %s", async (_, config) => {
    const problem = (await problemOf(config)) ?? "it fits";
    expect(problem).toMatch(rule);
    const changes: Record<string, number> = Object.fromEntries(
      Array.from(problem.matchAll(/(\w+)(?: must be)? <= (\d+)/g), ([, key, value]) => [key, Number(value)]),
    );
    expect(await problemOf({ ...config, ...changes })).toBeNull();
    const [last, value] = Object.entries(changes).at(-1) ?? ["", 0];
    const step = last === "hiddenSize" ? 2 * (config.heads ?? 4) : last === "intermediateSize" ? 8 : 1;
    expect(await problemOf({ ...config, ...changes, [last]: value + step })).toMatch(rule);
  });

  it("is refused where the machine has little memory, whatever computes", async () => {
    for (const config of [small, { ...small, backend: "auto" as const }, { ...table, groupSize: 128, promptsPerStep: 256 }])
      expect(await problemOf(config, 4 * 2 ** 20)).toMatch(/must be <=.*three quarters of this machine's memory, got/);
    expect(await problemOf(small, 2 ** 30)).toBeNull();
  });

  it("is refused when a save is to go on, too", async () => {
    const store = memoryStore();
    const before = await driveSession({ store });
    const finished = before.next("state", ({ state }) => state === "finished");
    await before.send({ type: "start", runId: "run", config: { ...small, promptsPerStep: 1, groupSize: 2, maxCompletionTokens: 2 } });
    await finished;
    store.crash();
    const session = await driveSession({ store: store.otherTab(), memoryBytes: 2 ** 20 });
    await session.send({ type: "start", runId: "a", config: { ...table, promptsPerStep: 1, groupSize: 2, steps: 1 }, paused: true });
    await expect(session.send({ type: "continue", runId: "run", backend: "tfjs-wasm" })).rejects.toThrow("this machine's memory");
    expect(session.all("state").at(-1)).toMatchObject({ runId: "a", state: "paused" });
  });
});

describe("batches and evaluations of any size", () => {
  it("fit, as they are worked through in pieces", async () => {
    const shipped: RunConfigInput = { task: "boxed-arithmetic" };
    const all = { promptsPerStep: 256, groupSize: 128, maxCompletionTokens: 512 };
    expect(await problemOf({ ...shipped, ...all })).toBeNull();
    expect(await problemOf({ ...shipped, maxCompletionTokens: 512, evalProblems: 2048, evalSamples: 64 })).toBeNull();
  });
});

describe("a large run that is being prepared", () => {
  it.each(["wasm", "tfjs-wasm"] as const)("on %s is stopped between two pieces of work, and holds nothing then", async (backend) => {
    const config: RunConfigInput = { ...small, backend, hiddenSize: 256, heads: 8, kvHeads: 8, intermediateSize: 1024, layers: 4 };
    for (const atPause of [2, 14, 18]) {
      let pauses = 0;
      let stopped: Promise<unknown> | null = null;
      const host = createNodeHost();
      const session = await driveSession({
        yield: async () => {
          pauses += 1;
          if (pauses === atPause) stopped = session.send({ type: "stop" });
          await host.yield();
        },
      });
      const before = tf.memory().numTensors;
      await expect(session.send({ type: "start", runId: "a", config })).rejects.toThrow("given up");
      await stopped;
      // Stopped while its weights are drawn, or afterwards while they are handed over.
      expect(pauses).toBe(atPause);
      expect(session.all("state").map(({ state }) => state)).toEqual(["preparing", "idle"]);
      for (let turn = 0; turn < 200; turn++) await host.yield();
      expect([tf.memory().numTensors, session.all("started").length]).toEqual([before, 0]);
    }
  });
});
