// Storage that throws, never answers, is full, cleared or in another tab's hands: the run goes on, it is
// said once, and everything is kept again when storage is back.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { OpenSave, RunStore, SaveChange } from "../../../src/train/host.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 40, evalEvery: 10 };
const never = <T>() => new Promise<T>(() => {});

/** Storage times pass ten times as fast. */
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 10));

const stepsOf = (session: DrivenSession) => session.all("steps").flatMap(({ records }) => records);
const reasons = (session: DrivenSession) => session.all("storage").map(({ reason }) => reason);

async function trains(session: DrivenSession): Promise<void> {
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run", config: table });
  await finished;
  expect(stepsOf(session).map(({ step }) => step)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
}

/** A store whose writes go through a function first. */
function through(store: RunStore, write: (change: SaveChange, pass: () => Promise<void>) => Promise<void>): RunStore {
  const wrapped = (save: OpenSave): OpenSave => ({ ...save, write: (change) => write(change, () => save.write(change)) });
  return {
    ...store,
    open: async (runId) => {
      const save = await store.open(runId);
      return save && wrapped(save);
    },
  };
}

class QuotaExceededError extends Error {
  override readonly name = "QuotaExceededError";
}

describe("an engine whose storage", () => {
  it.each<[string, Partial<RunStore>, RegExp]>([
    [
      "throws when runs are listed",
      { list: () => Promise.reject(new Error("out of order")) },
      /storage of saved runs failed: out of order/,
    ],
    ["never lists runs", { list: never }, /has not answered for 3 seconds/],
    [
      "throws when a run is opened",
      { open: () => Promise.reject(new Error("out of order")) },
      /storage of saved runs failed: out of order/,
    ],
    ["never opens a run", { open: never }, /has not answered for 3 seconds/],
    ["never stores a write", { open: async () => ({ write: never, remove: never, close: () => {} }) }, /has not answered for 3 seconds/],
  ])("%s starts, trains to the end and says what is wrong", async (_, broken, reason) => {
    const session = await driveSession({ store: { ...memoryStore(), ...broken }, sleep });
    const saves = session.first("saves");
    const failure = session.first("storage");
    await trains(session);
    expect((await saves).runs).toEqual([]);
    expect((await failure).reason).toMatch(reason);
  });

  it("is full says so once, and keeps the whole run when there is room again", async () => {
    const store = memoryStore();
    let isFull = true;
    const full = through(store, (_, pass) => (isFull ? Promise.reject(new QuotaExceededError("no room")) : pass()));
    const session = await driveSession({ store: full, sleep });
    await trains(session);
    await sleep(20_000);
    const sentence = "The browser's storage for this site is full. Delete saved runs to make room.";
    expect(reasons(session)).toEqual([sentence]);
    expect(store.saves.size).toBe(0);
    const again = session.next("storage");
    isFull = false;
    expect((await again).reason).toBeNull();
    expect(readSave("run", store.saves.get("run")!.files)).toMatchObject({
      steps: stepsOf(session),
      checkpoint: { trainer: { step: 40 } },
    });
  });

  it("is cleared in the middle of a run is given the whole run again", async () => {
    const store = memoryStore();
    const session = await driveSession({ store, sleep });
    await session.send({ type: "start", runId: "run", config: table, paused: true });
    for (let i = 0; i < 3; i++) await session.send({ type: "advance", unit: "step" });
    store.saves.clear();
    await session.send({ type: "advance", unit: "step" });
    const again = session.next("storage", ({ reason }) => reason === null);
    await again;
    expect(readSave("run", store.saves.get("run")!.files).steps).toEqual(stepsOf(session));
  });

  it("is switched off for a run says so while the run is there", async () => {
    const session = await driveSession({ store: memoryStore() });
    await session.send({ type: "start", runId: "run", config: { ...table, autosaveEvery: 0 }, paused: true });
    await session.send({ type: "advance", unit: "step" });
    await session.send({ type: "reset" });
    expect(reasons(session)).toEqual(["Saving is switched off for this run: Autosave every is 0.", null]);
  });
});

describe("two tabs", () => {
  it("do not go on with one run: the second is told so, and goes on with a copy", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    await first.send({ type: "start", runId: "run", config: table, paused: true });
    for (let i = 0; i < 5; i++) await first.send({ type: "advance", unit: "step" });
    const second = await driveSession({ store: store.otherTab() });
    await expect(second.send({ type: "continue", runId: "run" })).rejects.toThrow(
      "another tab of this browser has the run run: close it there, or go on with a copy here",
    );
    expect(second.all("answer").at(-1)).toMatchObject({ outcome: "failed", inOtherTab: true });
    await expect(second.send({ type: "delete-save", runId: "run" })).rejects.toThrow("another tab of this browser has the run");
    const kept = store.saves.get("run");
    await second.send({ type: "continue", runId: "run", copyAs: "copy", paused: true });
    await second.send({ type: "advance", unit: "step" });
    expect(second.all("started")[0]).toMatchObject({ runId: "copy", step: 5 });
    expect(stepsOf(second)[0]?.step).toBe(6);
    expect(store.saves.get("run")).toBe(kept);
    expect(store.saves.get("copy")?.summary.step).toBe(6);
    await second.send({ type: "reset" });
    expect([...store.saves.keys()]).toEqual(["run"]);
    await first.send({ type: "advance", unit: "step" });
    expect(store.saves.get("run")?.summary.step).toBe(6);
  });

  it("may have a run one after the other", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    await first.send({ type: "start", runId: "run", config: table, paused: true });
    await first.send({ type: "advance", unit: "step" });
    const freed = first.next("saves");
    await first.send({ type: "start", runId: "other", config: table, paused: true });
    await freed;
    const second = await driveSession({ store: store.otherTab() });
    await second.send({ type: "continue", runId: "run", paused: true });
    expect(second.all("started")[0]).toMatchObject({ runId: "run", step: 1 });
  });
});
