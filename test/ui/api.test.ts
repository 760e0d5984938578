// window.rolloutLab on a real engine in this process: every promise it gives is settled, in the engine's words.
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { EngineEvent } from "../../src/protocol/messages.ts";
import { createSession } from "../../src/train/run/session.ts";
import { inspect, newRunId } from "../../src/ui/engine/actions.ts";
import { engine } from "../../src/ui/engine/client.ts";
import { FIRST_DRAFT, useDraft } from "../../src/ui/engine/store/draft/draftStore.ts";
import { installApi, type RolloutLab } from "../../src/ui/shell/api.ts";
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
/** Breaks the engine's clock once: any fault in the middle of a step. */
let isClockBroken = false;
const unhandled: unknown[] = [];

/** Whether a promise was settled within fifteen seconds, which a busy machine may need, and how. */
function outcome(promise: Promise<unknown>): Promise<string> {
  const settled = promise.then(
    () => "resolved",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  return Promise.race([settled, new Promise<string>((resolve) => setTimeout(() => resolve("still pending"), 15_000))]);
}

function now(): number {
  const isBroken = isClockBroken;
  isClockBroken = false;
  if (isBroken) throw new Error("internal: no clock");
  return performance.now();
}

const assets = heldAssets();
const host = createNodeHost();
/** What a run that goes on waits for before its next phase. */
let opened: Promise<void> = Promise.resolve();
let open = () => {};
const holdPhases = () => {
  opened = new Promise((resolve) => {
    open = resolve;
  });
};
/** The next time the run is said to be prepared. */
const preparing = () =>
  new Promise<void>((resolve) => {
    const stop = engine.listen((event) => {
      if (event.type !== "state" || event.state !== "preparing") return;
      stop();
      engine.flush();
      resolve();
    });
  });

beforeAll(async () => {
  vi.stubGlobal("window", globalThis);
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
    const yieldHeld = () => host.yield().then(() => opened);
    const session = createSession(emit, createNodeHost({ store: null, now, readAsset: assets.readAsset, yield: yieldHeld }));
    return {
      // Each command in a task of its own, as from a page.
      post: (command) => setTimeout(() => void session.then((each) => each.handle(command)), 0),
      close: () => {},
    };
  });
  installApi();
  lab = window.rolloutLab;
  await engine.untilUp();
});

afterEach(async () => {
  assets.release();
  open();
  await lab.reset();
  engine.view.facts.setState({ error: null });
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
    const { step } = lab.snapshot();
    const taken = outcome(lab.step());
    expect(await outcome(lab.resume())).toBe("resolved");
    expect(await taken).toBe("resolved");
    expect(lab.snapshot().step).toBeGreaterThan(step);
  });

  it("says why no run starts", async () => {
    useDraft.setState({ draft: { presetId: "digit-sum-transformer", edits: { checkpoint: "gone", startFrom: "checkpoint" } } });
    expect(await outcome(lab.step())).toContain("got gone");
    expect(lab.snapshot()).toMatchObject({ state: "idle", error: expect.stringContaining("got gone") });
    useDraft.setState(FIRST_DRAFT);
  });
});

describe("a request", () => {
  it("is not rejected by the failure of another one", async () => {
    await lab.start(table);
    await lab.pause();
    // A pause may come before the first step is over.
    await lab.step();
    const { step } = lab.snapshot();
    const refused = outcome(engine.request({ type: "start", runId: "bad", config: { groupSize: 1 } }));
    const asked = outcome(inspect(step));
    expect([await refused, await asked]).toEqual(["groupSize must be >= 2, got 1", "resolved"]);
  });

  it("is rejected when the engine ends before it is answered", async () => {
    await lab.start(table);
    const asked = [outcome(lab.pause()), outcome(inspect(1))];
    lab.kill();
    const reason = "the engine stopped: it was ended on request";
    expect(await Promise.all(asked)).toEqual([reason, reason]);
    expect(await outcome(lab.resume())).toBe("the engine is not running: restart it first");
    engine.restart();
    await engine.untilUp();
  });
});

describe("pause and resume at once", () => {
  it("leave the run as the last of them says, on screen too", async () => {
    await lab.start(table);
    // Both are heard before the phase ends, at whose end the run would stand still.
    holdPhases();
    const answers = [outcome(lab.pause()), outcome(lab.resume())];
    expect(await Promise.all(answers)).toEqual(["the run was told to go on before it had paused", "resolved"]);
    expect(lab.snapshot().state).toBe("running");
    const back = [outcome(lab.pause()), outcome(lab.resume()), outcome(lab.pause())];
    await back[1];
    open();
    expect((await Promise.all(back)).at(-1)).toBe("resolved");
    const { state, step } = lab.snapshot();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([state, lab.snapshot().step]).toEqual(["paused", step]);
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

describe("ids of runs", () => {
  it("differ, also of thirty that are started at once", () => {
    expect(new Set(Array.from({ length: 30 }, newRunId)).size).toBe(30);
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
