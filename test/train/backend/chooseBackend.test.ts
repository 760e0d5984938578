// What "auto" takes and what it says about it: backends that fail, are lost or tie, on a GPU that passes
// for hardware and on backends of known speed.
import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { initialWeights } from "../../../src/model/initialWeights.ts";
import { Random } from "../../../src/rl/random.ts";
import type { BackendCandidate, BackendOptions } from "../../../src/train/backend/backendCandidates.ts";
import { chooseBackend } from "../../../src/train/backend/chooseBackend.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { tiedConfig } from "../../support/liveBackend.ts";
import { isLong, longOnly } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { asHardware, watchDevices } from "../../support/watchedGpu.ts";

const { gpu, skip } = await gpuForTests();
const run = planRun({ config: { task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", threads: 1 } }).config;
const ignore = () => undefined;

/** A host's readAsset that runs something before it gives out kernels. */
function beforeKernels(first: () => Promise<void>) {
  const { readAsset } = createNodeHost();
  return async (path: string) => {
    if (path.startsWith("kernels/")) await first();
    return readAsset(path);
  };
}

describe.skipIf(skip !== undefined)(skip ? `auto with a GPU (skipped: ${skip})` : "auto with a GPU", () => {
  it("times both, takes the faster one and gives the other back", async () => {
    const { gpu: watched, devices } = watchDevices(asHardware(gpu!));
    const { backend, report } = await chooseBackend(run, tiedConfig, createNodeHost({ gpu: watched }), ignore);
    expect(report.tried.map(({ id }) => id)).toEqual(["webgpu", "wasm"]);
    const [first, second] = report.tried;
    const isGpuFaster = first!.msPerStep! < second!.msPerStep!;
    expect(report.id).toBe(isGpuFaster ? "webgpu" : "wasm");
    expect([first!.outcome, second!.outcome]).toEqual(isGpuFaster ? ["chosen", "slower"] : ["slower", "chosen"]);
    expect(report.reason).toBe(`Fastest in trial steps here: ${Math.min(first!.msPerStep!, second!.msPerStep!).toFixed(1)} ms.`);
    if (!isGpuFaster) expect((await devices[0]!.lost).reason).toBe("destroyed");
    backend.dispose();
  });

  // Fakes below choose the same way; the GPU itself is tried above and takes its time in software.
  it.skipIf(!isLong)(longOnly("takes the GPU where WebAssembly fails, and says so"), async () => {
    const readAsset = beforeKernels(() => Promise.reject(new Error("no kernels here")));
    const host = createNodeHost({ gpu: asHardware(gpu!), readAsset });
    const { backend, report } = await chooseBackend(run, tiedConfig, host, ignore);
    expect(report).toMatchObject({ id: "webgpu", reason: "No other that was tried works here: wasm: no kernels here." });
    expect(report.tried).toEqual([
      { id: "webgpu", outcome: "chosen", msPerStep: expect.any(Number) },
      { id: "wasm", outcome: "no kernels here" },
    ]);
    await backend.setWeights("policy", await initialWeights(tiedConfig, new Random(1), async () => {}));
    backend.dispose();
  });

  it("reports a GPU lost after its trial as lost, and leaves the run alone", async () => {
    const { gpu: watched, devices } = watchDevices(asHardware(gpu!));
    const readAsset = beforeKernels(async () => {
      devices.at(-1)!.destroy();
      await devices.at(-1)!.lost;
    });
    const losses: string[] = [];
    const { backend, report } = await chooseBackend(run, tiedConfig, createNodeHost({ gpu: watched, readAsset }), (reason) =>
      losses.push(reason),
    );
    expect(report.id).toBe("wasm");
    expect(report.reason).toMatch(/^No GPU in use: the GPU device was lost \(.*destroyed.*\)\.$/);
    expect(report.tried[0]).toEqual({ id: "webgpu", outcome: expect.stringMatching(/^the GPU device was lost/) });
    expect(losses).toEqual([]);
    backend.dispose();
  });
});

/** A GPU that is only there to be asked about. */
const presentGpu = { requestAdapter: async () => ({ info: { architecture: "some", description: "a real one" } }) } as unknown as GPU;

/** Candidates whose trial steps take given times, the last one again and again, on a clock of their own. */
function fakes() {
  let time = 0;
  const alive = new Set<string>();
  const candidate = (
    id: "webgpu" | "wasm" | "tfjs-wasm",
    stepsMs: readonly number[],
    onCreate: (options: BackendOptions) => void = ignore,
  ): BackendCandidate => ({
    ...{ id, title: id, usesGpu: false, automatic: id !== "tfjs-wasm" },
    create: async (config, _, options) => {
      onCreate(options);
      alive.add(id);
      let step = 0;
      const sample = async () => {
        time += stepsMs[Math.min(step++, stepsMs.length - 1)]!;
      };
      const nothing = async () => undefined;
      const dispose = () => alive.delete(id);
      const open = () => ({ extend: ignore, sample, close: ignore });
      const methods = { layout: [], setWeights: nothing, open, accumulate: nothing, step: nothing, dispose };
      return { id, threads: 1, config, ...methods } as unknown as TransformerBackend;
    },
  });
  const host = createNodeHost({ gpu: presentGpu, now: () => time });
  const choose = (candidates: readonly BackendCandidate[], onLost: (reason: string) => void = ignore) =>
    chooseBackend(run, tiedConfig, host, onLost, null, candidates);
  return { candidate, choose, alive };
}

describe("the report", () => {
  const named = { ...run, backend: "wasm" } as const;

  it.each([
    { kernelBuild: "relaxed, fused", machine: "all of SIMD", lacks: "nothing" },
    { kernelBuild: "plain", machine: "no relaxed SIMD", lacks: "relaxed" },
  ])("names the $kernelBuild kernels on a machine with $machine", async ({ kernelBuild, lacks }) => {
    const { readAsset } = createNodeHost();
    // Bytes that are no module do not validate, as a module does not whose instructions are unknown.
    const host = createNodeHost({ readAsset: async (path) => (path.includes(lacks) ? Uint8Array.of(0) : readAsset(path)) });
    const { backend, report } = await chooseBackend(named, tiedConfig, host, ignore);
    expect(report).toMatchObject({ id: "wasm", threads: 1, kernelBuild });
    backend.dispose();
  });

  it("says what keeps the kernels to one thread, and only where there could be more", async () => {
    const threadObstacle = "the page came over plain HTTP";
    const host = createNodeHost({ startKernelThread: null, threadObstacle, cores: 2 });
    const obstacleFor = async (threads: number) => {
      const { backend, report } = await chooseBackend({ ...named, threads }, tiedConfig, host, ignore);
      backend.dispose();
      return report.threadObstacle;
    };
    expect(await obstacleFor(0)).toBe(threadObstacle);
    expect(await obstacleFor(2)).toBe(threadObstacle);
    expect(await obstacleFor(1)).toBeUndefined();
  });

  it("names no kernels where none compute", async () => {
    const { candidate, choose } = fakes();
    const { report } = await choose([candidate("webgpu", [10])]);
    expect(report).not.toHaveProperty("kernelBuild");
  });
});

const fail = (message: string) => () => {
  throw new Error(message);
};

/** A GPU that works and is lost while the next one, which does not work, is tried. */
function lostAndBroken(candidate: ReturnType<typeof fakes>["candidate"]) {
  let lose: BackendOptions["onLost"] = ignore;
  const first = candidate("webgpu", [10], ({ onLost }) => {
    lose = onLost;
  });
  const second = candidate("wasm", [10], () => {
    lose("it was unplugged");
    throw new Error("no SIMD");
  });
  return [first, second];
}

describe("auto between backends of known speed", () => {
  it("is not swayed by one trial step that was interrupted", async () => {
    const { candidate, choose, alive } = fakes();
    const { report } = await choose([candidate("webgpu", [90, 30, 10, 10.5]), candidate("wasm", [40, 11, 11, 11])]);
    expect(report).toMatchObject({ id: "webgpu", reason: "Fastest in trial steps here: 10.0 ms." });
    expect(report.tried.map(({ msPerStep }) => msPerStep)).toEqual([10, 11]);
    expect([...alive]).toEqual(["webgpu"]);
  });

  it("goes on to the last resort when the only one that worked was lost", async () => {
    const { candidate, choose, alive } = fakes();
    const { report } = await choose([...lostAndBroken(candidate), candidate("tfjs-wasm", [50])]);
    expect(report.id).toBe("tfjs-wasm");
    expect(report.reason).toBe("No other that was tried works here: webgpu: the GPU device was lost (it was unplugged); wasm: no SIMD.");
    expect([...alive]).toEqual(["tfjs-wasm"]);
  });

  it("throws when none works, with what came of each, and leaves none alive", async () => {
    const { candidate, choose, alive } = fakes();
    const choice = choose([...lostAndBroken(candidate), candidate("tfjs-wasm", [10], fail("no memory"))]);
    await expect(choice).rejects.toThrow(
      "no backend works here: webgpu: the GPU device was lost (it was unplugged); wasm: no SIMD; tfjs-wasm: no memory",
    );
    expect([...alive]).toEqual([]);
  });

  it("tells of the loss of the one it chose, and of no other", async () => {
    const { candidate, choose } = fakes();
    const lose: Record<string, BackendOptions["onLost"]> = {};
    const keep = (id: string) => (options: BackendOptions) => {
      lose[id] = options.onLost;
    };
    const losses: string[] = [];
    await choose([candidate("webgpu", [10], keep("webgpu")), candidate("wasm", [20], keep("wasm"))], (reason) => losses.push(reason));
    lose.wasm?.("slower");
    lose.webgpu?.("chosen");
    expect(losses).toEqual(["chosen"]);
  });
});
