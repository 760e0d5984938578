// window.rolloutLab on a real engine in this process: every promise it gives is settled, in the engine's words.
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { CommandType, EngineEvent, EventBody } from "../../src/protocol/messages.ts";
import { createSession } from "../../src/train/run/session.ts";
import { installApi, type RolloutLab } from "../../src/ui/api.ts";
import { engine } from "../../src/ui/client.ts";
import { useRun } from "../../src/ui/store/runStore.ts";
import { heldAssets } from "../support/heldAssets.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 0, evalEvery: 0 };
const transformer: RunConfigInput = {
  ...{ ...table, algorithm: "grpo", model: "transformer", startFrom: "random", backend: "wasm" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16, evalProblems: 2 },
  ...{ groupSize: 4, promptsPerStep: 1 },
};
/** Needs files to begin. */
const withFiles: RunConfigInput = { ...transformer, task: "boxed-arithmetic" };
/** Weights that grow until a number is not finite any more. */
const exploding: RunConfigInput = {
  ...transformer,
  learningRate: 10,
  optimizer: "sgd",
  maxGradNorm: 0,
  weightDecay: 1,
  schedule: "constant",
};
const FAILED = "the run has failed: start it anew or continue its save";

let lab: RolloutLab;
/** What is answered to a command instead of carrying it out. */
const answers = new Map<CommandType, readonly EventBody[]>();
/** Breaks the engine's clock once: any fault in the middle of a step. */
let isClockBroken = false;
const unhandled: unknown[] = [];

/** Whether a promise was settled within two seconds and how. */
function outcome(promise: Promise<unknown>): Promise<string> {
  const settled = promise.then(
    () => "resolved",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([settled, new Promise<string>((resolve) => setTimeout(() => resolve("still pending"), 2000))]);
}

function now(): number {
  const isBroken = isClockBroken;
  isClockBroken = false;
  if (isBroken) throw new Error("internal: no clock");
  return performance.now();
}

const assets = heldAssets();
const preparing = () => engine.next((event) => event.type === "state" && event.state === "preparing");

beforeAll(async () => {
  vi.stubGlobal("window", globalThis);
  vi.stubGlobal("Worker", class {});
  process.on("unhandledRejection", (reason) => unhandled.push(reason));
  engine.connect(({ onEvents }) => {
    // As from a worker: what is told in one turn of the event loop arrives together, in a task of its own.
    let waiting: EngineEvent[] = [];
    const emit = (event: EngineEvent) => {
      if (waiting.push(event) > 1) return;
      setTimeout(() => {
        const events = waiting;
        waiting = [];
        onEvents(events);
      }, 0);
    };
    const session = createSession(emit, createNodeHost({ store: null, now, readAsset: assets.readAsset }));
    return {
      post: (command) => {
        const instead = answers.get(command.type);
        // One after the other, as a run takes its time.
        const answer = (event: EventBody, i: number) => setTimeout(() => emit({ ...event, runId: useRun.getState().runId }), 5 * i);
        if (instead) instead.forEach(answer);
        else void session.then((each) => each.handle(command));
      },
      close: () => {},
    };
  });
  installApi();
  lab = window.rolloutLab;
  await engine.next(({ type }) => type === "ready");
});

afterEach(async () => {
  answers.clear();
  assets.release();
  await lab.reset();
  useRun.setState({ error: null });
  expect(unhandled.splice(0)).toEqual([]);
});

describe("rolloutLab.step", () => {
  it("takes one step and stands still after it", async () => {
    await lab.start(table);
    await lab.pause();
    const { step } = lab.snapshot();
    expect(await outcome(lab.step())).toBe("resolved");
    expect(lab.snapshot()).toMatchObject({ state: "paused", step: step + 1 });
  });

  it("rejects when the step is refused because a number is not finite", async () => {
    await lab.start(exploding);
    await lab.pause();
    let told = "resolved";
    for (let i = 0; i < 60 && told === "resolved"; i++) told = await outcome(lab.step());
    expect(told).toContain("the update was refused");
    expect(lab.snapshot()).toMatchObject({ state: "paused", error: told });
  });

  it("ends with its step also when the run goes on meanwhile", async () => {
    await lab.start(table);
    await lab.pause();
    const steps: EventBody = { type: "steps", records: [] };
    answers.set("advance", [{ type: "state", state: "running" }, steps, steps]);
    expect(await outcome(lab.step())).toBe("resolved");
  });

  it("says why no run starts, and waits for nothing then", async () => {
    answers.set("start", [{ type: "error", message: "no room", recoverable: true }]);
    expect(await outcome(lab.step())).toBe("no room");
    // Whatever still waited for the engine would be rejected by its end.
    lab.kill();
    engine.restart();
    await engine.next(({ type }) => type === "ready");
  });
});

describe("rolloutLab while a run is being prepared", () => {
  beforeEach(() => assets.hold());

  it("steps not yet, and says so", async () => {
    const begun = preparing();
    const started = outcome(lab.start(withFiles));
    await begun;
    expect(await outcome(lab.step())).toBe("the run is being prepared: take a step once it has begun");
    assets.release();
    expect(await started).toBe("resolved");
  });

  it("pauses as soon as there is something to pause", async () => {
    const begun = preparing();
    const started = outcome(lab.start(withFiles));
    await begun;
    const paused = outcome(lab.pause());
    assets.release();
    expect(await paused).toBe("resolved");
    expect(await started).toBe("resolved");
    expect(lab.snapshot()).toMatchObject({ state: "paused", step: 0 });
  });

  it("stops by giving it up, and goes on with the run before", async () => {
    const first = await lab.start(table);
    await lab.pause();
    const begun = preparing();
    const started = outcome(lab.start(withFiles));
    await begun;
    expect(await outcome(lab.stop())).toBe("resolved");
    expect(await started).toBe("the run was given up before it began: it was stopped, reset or overtaken by another start");
    expect(lab.snapshot()).toMatchObject({ state: "paused", runId: first, error: null });
    expect(await outcome(lab.resume())).toBe("resolved");
  });

  it("rejects the start that another one overtakes", async () => {
    const begun = preparing();
    const first = outcome(lab.start(withFiles));
    await begun;
    const second = outcome(lab.start(table));
    expect(await first).toContain("overtaken by another start");
    expect(await second).toBe("resolved");
  });
});

describe("rolloutLab after a run failed", () => {
  it("refuses to go on or stop, says what can be done, and steps a new run", async () => {
    const first = await lab.start(table);
    await lab.pause();
    isClockBroken = true;
    expect(await outcome(lab.step())).toBe("internal: no clock");
    expect(lab.snapshot().state).toBe("failed");
    expect(await outcome(lab.resume())).toBe(FAILED);
    expect(await outcome(lab.stop())).toBe(FAILED);
    expect(lab.snapshot().state).toBe("failed");
    expect(await outcome(lab.step())).toBe("resolved");
    expect(lab.snapshot()).toMatchObject({ state: "paused", step: 1 });
    expect(lab.snapshot().runId).not.toBe(first);
  });
});
