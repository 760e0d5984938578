// What a run holds is given back: by whoever closes it, when it is stopped or fails, and when nobody holds it any more.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createRunFolder } from "../../src/cli/folder/runFolder.ts";
import { trainInFolder } from "../../src/cli/training/trainInFolder.ts";
import { Arena } from "../../src/kernels/wasm/arena.ts";
import { openModel } from "../../src/library/openModel.ts";
import { startEngine } from "../../src/library/startEngine.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { LabError } from "../../src/protocol/problems.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { countedThreads } from "../support/countedThreads.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const config: RunConfigInput = {
  ...{ task: "digit-sum", model: "transformer", startFrom: "random", backend: "wasm", threads: 2, algorithm: "grpo" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, intermediateSize: 16, groupSize: 2, promptsPerStep: 1, steps: 1 },
  ...{ evalEvery: 0, evalProblems: 2, evalSamples: 1 },
};

function counted() {
  const threads = countedThreads();
  return { threads, host: createNodeHost({ startKernelThread: threads.startKernelThread }) };
}

/** What a promise rejects with. */
const rejectionOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("what a run holds", () => {
  it("is given back by close(), in a loop of runs that are asked before it", async () => {
    const { threads, host } = counted();
    for (let seed = 0; seed < 3; seed++) {
      const run = await trainRun({ ...config, seed }, host);
      await run.engine.ask({ type: "export-save" });
      await run.close();
      expect([threads.opened(), threads.open.size]).toEqual([seed + 1, 0]);
      expect(run.steps).toHaveLength(1);
    }
  });

  it("is given back by itself where nobody holds it any more", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as (how: { readonly type: "major"; readonly execution: "async" }) => Promise<void>;
    const { threads, host } = counted();
    for (let seed = 0; seed < 2; seed++) await trainRun({ ...config, seed }, host);
    const opened = await openModel(config, host);
    opened.close();
    await openModel(config, host);
    expect([threads.opened(), threads.open.size > 0]).toEqual([4, true]);
    let isOver = false;
    const none = threads.untilNone().then(() => {
      isOver = true;
    });
    while (!isOver) {
      await collect({ type: "major", execution: "async" });
      await Promise.race([none, new Promise((resolve) => setImmediate(resolve))]);
    }
    expect(threads.open.size).toBe(0);
  });

  it("is given back where the run fails or its start is refused", async () => {
    const { threads, host } = counted();
    const broken = {
      ...host,
      readAsset: (name: string) => (name.includes("model.safetensors") ? Promise.reject(new Error("gone")) : host.readAsset(name)),
    };
    const { startFrom: _, ...shipped } = config;
    expect(await rejectionOf(trainRun({ ...shipped, task: "boxed-arithmetic" }, broken))).toMatchObject({
      name: "LabError",
      kind: "failed",
      message: "gone",
    });
    expect(await rejectionOf(trainRun({ ...config, groupSize: 1 }, host))).toMatchObject({
      ...{ name: "LabError", kind: "input", message: "groupSize must be >= 2, got 1" },
      problems: [{ field: "groupSize" }],
    });
    expect(threads.open.size).toBe(0);
  });
});

it("the memory of the kernels is counted among what is worth collecting", () => {
  const before = process.memoryUsage().arrayBuffers;
  const arena = new Arena(true);
  arena.reserve(200 * 2 ** 20);
  const counted = process.memoryUsage().arrayBuffers - before;
  expect(counted).toBeGreaterThan(32 * 2 ** 20);
  expect(arena.memory.buffer.byteLength).toBeGreaterThan(200 * 2 ** 20);
});

describe("a sweep on the command line", () => {
  it("has no thread of a run that is over, that was interrupted or that could not begin", async () => {
    const { threads, host } = counted();
    const folder = mkdtempSync(join(tmpdir(), "sweep-"));
    const train = async (name: string, given: RunConfigInput, isAsked = () => false) => {
      const asked = {
        onAsked: (stop: () => void) => void (isAsked() && stop()),
        get isAsked() {
          return isAsked();
        },
      };
      const progress = { tell() {}, doing() {}, at() {}, end() {} };
      const from = { config: { ...config, ...given }, parent: null };
      await trainInFolder({
        ...{ folder: await createRunFolder(join(folder, name), { name }), from, host, trajectories: 0, progress },
        interrupt: asked,
      });
    };
    for (const name of ["one", "two"]) {
      await train(name, {});
      expect(threads.open.size, name).toBe(0);
    }
    expect(await rejectionOf(train("bad", { groupSize: 1 }))).toMatchObject({ message: expect.stringContaining("groupSize") });
    expect(await rejectionOf(train("interrupted", { steps: 0 }, () => true))).toMatchObject({
      message: expect.stringContaining("interrupted"),
    });
    expect([threads.opened(), threads.open.size]).toEqual([2, 0]);
    rmSync(folder, { recursive: true });
  });
});

describe("a run with a signal", () => {
  it("stops at the step in flight, rejects as fetch does and leaves nothing behind", async () => {
    const { threads, host } = counted();
    const controller = new AbortController();
    const taken: number[] = [];
    const onStep = ({ step }: { readonly step: number }) => {
      taken.push(step);
      if (step === 2) controller.abort();
    };
    const logged: string[] = [];
    const logger = { begin: () => logged.push("begin"), log() {}, end: () => logged.push("end") };
    const training = trainRun({ ...config, steps: 0 }, host, { signal: controller.signal, onStep, loggers: [logger], keepBest: true });
    expect(await rejectionOf(training)).toMatchObject({ name: "AbortError" });
    // Steps are told some at a time: what was told is all there was.
    expect(taken.slice(0, 2)).toEqual([1, 2]);
    expect([threads.opened(), threads.open.size]).toEqual([1, 0]);
    expect(logged).toEqual(["begin", "end"]);
  });

  it("rejects with the reason that was given, while it is prepared too, and does not begin where that came before", async () => {
    const { threads, host } = counted();
    const controller = new AbortController();
    const onAsset = {
      ...host,
      readAsset: (name: string) => {
        controller.abort(new Error("enough"));
        return host.readAsset(name);
      },
    };
    expect(await rejectionOf(trainRun(config, onAsset, { signal: controller.signal }))).toMatchObject({ message: "enough" });
    expect(threads.open.size).toBe(0);
    const before = threads.opened();
    expect(await rejectionOf(trainRun(config, host, { signal: AbortSignal.abort() }))).toMatchObject({ name: "AbortError" });
    expect(threads.opened()).toBe(before);
  });
});

describe("who is asked after closing", () => {
  it("says so in a sentence: an engine, its run and a model", async () => {
    const { host } = counted();
    const run = await trainRun(config, host);
    const inFlight = rejectionOf(run.engine.ask({ type: "ask", samples: 1 }));
    await Promise.all([run.close(), run.close()]);
    expect([null, "overtaken"]).toContain(((await inFlight) as LabError | null)?.kind ?? null);
    const closed = { name: "LabError", kind: "closed", message: "the engine is closed: start another one to ask it" };
    expect(await rejectionOf(run.engine.ask({ type: "export-save" }))).toMatchObject(closed);
    expect(await rejectionOf(run.openModel())).toMatchObject(closed);

    const opened = await openModel(config, host);
    opened.close();
    opened.close();
    const isClosed = { kind: "closed", message: "the model is closed: open it again to ask it" };
    expect(await rejectionOf(opened.ask("1"))).toMatchObject(isClosed);
    const request = { prompts: [[10]], copies: 1, maxNewTokens: 2, temperature: 1, topK: 0, topP: 1, minP: 0 };
    const sampled = sampleCompletions(opened.model.policy(), { ...request, stopTokens: [], uniforms_BT: new Float32Array(2) });
    expect(await rejectionOf(sampled)).toMatchObject(isClosed);
  });

  it("settles what was asked before", async () => {
    const { threads, host } = counted();
    const engine = await startEngine(host, () => {});
    await engine.ask({ type: "start", runId: "run", config: { ...config, steps: 0 }, paused: true });
    const asked = [
      engine.ask({ type: "advance", unit: "step" }),
      engine.ask({ type: "resume" }),
      engine.ask({ type: "start", runId: "next", config }),
    ];
    const settled = Promise.allSettled(asked);
    await engine.close();
    for (const each of await settled) if (each.status === "rejected") expect(each.reason).toBeInstanceOf(LabError);
    expect(threads.open.size).toBe(0);
  });
});
