// Commands that come at an odd moment: while a run is being prepared, saved or forgotten, or after it
// has failed. Each is carried out or answered; none leaves the engine in a state that is not so.
import { afterEach, describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { Host, RunStore } from "../../../src/train/host.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { heldAssets } from "../../support/heldAssets.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { watchDevices } from "../../support/watchedGpu.ts";

const { gpu, skip } = await gpuForTests();

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 0, evalEvery: 0 };
/** Needs files to begin. */
const transformer: RunConfigInput = {
  ...{ ...table, task: "boxed-arithmetic", algorithm: "grpo", model: "transformer", startFrom: "random", backend: "wasm" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16, evalProblems: 2 },
};
const missing: RunConfigInput = { ...transformer, startFrom: "checkpoint", checkpoint: "missing" };

const GIVEN_UP = "the run was given up before it began: it was stopped, reset or overtaken by another start";

// A test that fails would leave its run going on for ever, and all other files waiting.
const driven: DrivenSession[] = [];
async function drive(overrides: Partial<Host> = {}): Promise<DrivenSession> {
  const session = await driveSession(overrides);
  driven.push(session);
  return session;
}
afterEach(async () => {
  for (const session of driven.splice(0)) await session.send({ type: "reset" }).catch(() => undefined);
});

const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

/** States and errors in order, each with its run. */
const told = (session: DrivenSession) =>
  session.events.flatMap((event) => {
    if (event.type === "state") return [`${event.runId}: ${event.state}`];
    return event.type === "error" ? [`${event.runId}: error`] : [];
  });

/** An engine whose files wait. */
async function driveHeld(overrides: Partial<Host> = {}) {
  const assets = heldAssets();
  assets.hold();
  return { session: await drive({ ...overrides, readAsset: assets.readAsset }), release: assets.release };
}

describe("a start that comes to nothing", () => {
  it("leaves the run before it as it was, and says why", async () => {
    const session = await drive();
    await session.send({ type: "start", runId: "a", config: table, paused: true });
    await expect(session.send({ type: "start", runId: "b", config: missing })).rejects.toThrow("got missing");
    expect(told(session)).toEqual(["a: preparing", "a: paused", "b: preparing", "a: paused"]);
  });

  it("lets a run that was going go on, also where it overtook another start", async () => {
    const { session, release } = await driveHeld();
    await session.send({ type: "start", runId: "a", config: table });
    const second = session.send({ type: "start", runId: "b", config: transformer });
    await turn();
    const third = session.send({ type: "start", runId: "c", config: missing });
    await expect(second).rejects.toThrow(GIVEN_UP);
    release();
    await expect(third).rejects.toThrow("got missing");
    expect(told(session).slice(-3)).toEqual(["b: preparing", "c: preparing", "a: running"]);
    expect((await session.next("steps")).runId).toBe("a");
    await session.send({ type: "pause" });
  });

  it("leaves a run still that was told to pause meanwhile", async () => {
    const { session, release } = await driveHeld();
    await session.send({ type: "start", runId: "a", config: table });
    const second = session.send({ type: "start", runId: "b", config: missing });
    const pause = session.send({ type: "pause" });
    release();
    await expect(second).rejects.toThrow("got missing");
    await pause;
    expect(told(session).at(-1)).toBe("a: paused");
  });

  it("after it overtook another leaves the first run one that can go on", async () => {
    const { session, release } = await driveHeld();
    await session.send({ type: "start", runId: "a", config: table, paused: true });
    const second = session.send({ type: "start", runId: "b", config: transformer });
    await turn();
    const third = session.send({ type: "start", runId: "c", config: missing });
    await expect(second).rejects.toThrow(GIVEN_UP);
    release();
    await expect(third).rejects.toThrow("got missing");
    expect(told(session).slice(2)).toEqual(["b: preparing", "c: preparing", "a: paused"]);
    const steps = session.next("steps");
    await session.send({ type: "resume" });
    expect((await steps).runId).toBe("a");
    await session.send({ type: "reset" });
  });

  it("is given up by stop, with or without a run before it", async () => {
    const { session, release } = await driveHeld();
    const first = session.send({ type: "start", runId: "a", config: transformer });
    await turn();
    await session.send({ type: "stop" });
    await expect(first).rejects.toThrow(GIVEN_UP);
    expect(told(session)).toEqual(["a: preparing", "null: idle"]);

    await session.send({ type: "start", runId: "b", config: table, paused: true });
    const third = session.send({ type: "start", runId: "c", config: transformer });
    await turn();
    await session.send({ type: "stop" });
    await expect(third).rejects.toThrow(GIVEN_UP);
    release();
    expect(told(session).slice(2)).toEqual(["b: preparing", "b: paused", "c: preparing", "b: paused"]);
    await session.send({ type: "stop" });
    expect(session.all("state").at(-1)).toMatchObject({ state: "finished", reason: "stopped", runId: "b" });
  });
});

describe("a run that is being prepared", () => {
  it.each([
    [["pause"], false, "paused"],
    [["resume"], true, "running"],
    [["pause", "resume"], false, "running"],
  ] as const)("begins as %j says", async (commands, paused, state) => {
    const { session, release } = await driveHeld();
    const begun = session.send({ type: "start", runId: "a", config: transformer, paused });
    await turn();
    const answers = Promise.allSettled(commands.map((type) => session.send({ type })));
    release();
    await begun;
    expect(told(session)).toEqual(["a: preparing", `a: ${state}`]);
    // Only the last word came true.
    expect((await answers).map(({ status }) => status)).toEqual(
      commands.map((_, i) => (i + 1 < commands.length ? "rejected" : "fulfilled")),
    );
    await session.send({ type: "reset" });
  });

  it("cannot take a step yet, and says so", async () => {
    const { session, release } = await driveHeld();
    const begun = session.send({ type: "start", runId: "a", config: transformer, paused: true });
    await turn();
    const step = session.send({ type: "advance", unit: "step" });
    await expect(step).rejects.toThrow("the run is being prepared: take a step once it has begun");
    release();
    await begun;
    expect(session.all("state").at(-1)?.state).toBe("paused");
  });
});

describe("a run that failed", () => {
  it("neither goes on nor stops, and says what can be done", async () => {
    // A clock that breaks once, in the middle of a step, stands for any fault of the engine.
    let broken = false;
    const now = () => {
      const isBroken = broken;
      broken = false;
      if (isBroken) throw new Error("internal: no clock");
      return performance.now();
    };
    const session = await drive({ now });
    await session.send({ type: "start", runId: "a", config: table, paused: true });
    broken = true;
    await expect(session.send({ type: "advance", unit: "step" })).rejects.toThrow("internal: no clock");
    expect(told(session).slice(2)).toEqual(["a: running", "a: error", "a: failed"]);
    for (const type of ["resume", "stop", "resume"] as const)
      await expect(session.send({ type })).rejects.toThrow("the run has failed: start it anew or continue its save");
    expect(told(session)).toHaveLength(5);
  });
});

describe.skipIf(skip !== undefined)(`a run whose GPU goes away${skip ? ` (skipped: ${skip})` : ""}`, () => {
  it("while another one is prepared is said to have failed when that one comes to nothing", async () => {
    const { gpu: watched, devices } = watchDevices(gpu!);
    const { session, release } = await driveHeld({ gpu: watched });
    await session.send({ type: "start", runId: "a", config: { ...transformer, task: "digit-sum", backend: "webgpu" }, paused: true });
    const [device] = devices.slice(-1);
    const second = session.send({ type: "start", runId: "b", config: transformer });
    device!.destroy();
    await device!.lost;
    await session.send({ type: "stop" });
    await expect(second).rejects.toThrow(GIVEN_UP);
    release();
    expect(told(session).slice(2)).toEqual(["b: preparing", "a: failed"]);
    expect(session.all("state").at(-1)?.reason).toContain("The GPU device was lost");
  });
});

describe("what is told of a run", () => {
  it("carries its id, also when it is saved only after another took its place", async () => {
    const store = memoryStore();
    let stored = () => {};
    const slow: RunStore = {
      ...store,
      open: async (runId) => {
        const save = (await store.open(runId))!;
        const wait = () =>
          new Promise<void>((resolve) => {
            stored = resolve;
          });
        return { ...save, write: (change) => (runId === "a" ? wait() : save.write(change)) };
      },
    };
    const session = await drive({ store: slow });
    const steps = session.next("steps");
    await session.send({ type: "start", runId: "a", config: table });
    await steps;
    await session.send({ type: "start", runId: "b", config: table, paused: true });
    const saved = session.next("saved");
    stored();
    expect((await saved).runId).toBe("a");
    await session.send({ type: "reset" });
  });

  it("ends with its reset, whatever is started meanwhile", async () => {
    let removed = () => {};
    const store = memoryStore();
    const slow: RunStore = {
      ...store,
      open: async (runId) => ({
        ...(await store.open(runId))!,
        remove: () =>
          new Promise<void>((resolve) => {
            removed = resolve;
          }),
      }),
    };
    const session = await drive({ store: slow });
    await session.send({ type: "start", runId: "a", config: { ...table, steps: 3 }, paused: true });
    await session.send({ type: "advance", unit: "step" });
    const before = told(session).length;
    const reset = session.send({ type: "reset" });
    const begun = session.send({ type: "start", runId: "b", config: table, paused: true });
    await turn();
    await turn();
    removed();
    await Promise.all([reset, begun]);
    expect(told(session).slice(before)).toEqual(["null: idle", "b: preparing", "b: paused"]);
    await expect(session.send({ type: "inspect", step: 1 })).rejects.toThrow("step 1 is no longer kept");
    expect(session.all("answer").at(-1)?.runId).toBe("b");
  });
});
