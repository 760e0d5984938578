// Storage that throws, never answers, is full, cleared or in another tab's hands: the run goes on, it is
// said once, and everything is kept again when storage is back.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { OpenSave, RunStore, SaveChange } from "../../../src/train/host.ts";
import { decodeManifest } from "../../../src/train/save/manifest.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { type MemoryStore, memoryStore } from "../../support/memoryStore.ts";

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 40, evalEvery: 10 };
const never = <T>() => new Promise<T>(() => {});

/** Storage times pass ten times as fast. */
const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 10));

const stepsOf = (session: DrivenSession) => session.all("steps").flatMap(({ records }) => records);
const reasons = (session: DrivenSession) => session.all("storage").map(({ reason }) => reason);

async function trains(session: DrivenSession, config = table): Promise<void> {
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run", config });
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
    const store = memoryStore();
    const session = await driveSession({ store: { ...store, ...broken }, sleep });
    const saves = session.first("saves");
    const failure = session.first("storage");
    await trains(session);
    expect((await saves).runs).toEqual([]);
    expect((await failure).reason).toMatch(reason);
    // Whoever sees a step that is not kept has been told so.
    const before = session.events.slice(
      0,
      session.events.findIndex(({ type }) => type === "storage"),
    );
    const told = before.flatMap((event) => (event.type === "steps" ? event.records : []));
    const kept = store.saves.get("run")?.summary.step ?? 0;
    expect(told.filter(({ step }) => step > kept)).toEqual([]);
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
    expect(reasons(session)).toEqual(["Saving is switched off for this run: “Autosave every” is 0.", null]);
  });
});

/** The kept checkpoints that a save names, whose files must be there. */
function keptIn(store: MemoryStore): readonly (readonly [step: number, why: string])[] {
  const { files } = store.saves.get("run")!;
  const { checkpoints = [] } = decodeManifest(files.get("run")!, "run");
  for (const { header } of checkpoints) for (const { file } of header.arrays) expect([...files.keys()]).toContain(file);
  return checkpoints.map(({ header, why }) => [header.step, why.join()]);
}

describe("a write that fails once", () => {
  const config: RunConfigInput = { ...table, model: "tabular", steps: 40, evalEvery: 10, keepBest: true, checkpointEvery: 15 };

  /** The kept checkpoints of a run in which `fail` is asked about each write until it has failed one, before it was done or after. */
  async function keeps(fail: (change: SaveChange) => boolean, isDone = false) {
    const store = memoryStore();
    let hasFailed = false;
    const failing = through(store, async (change, pass) => {
      const fails = !hasFailed && fail(change);
      hasFailed ||= fails;
      if (!fails || isDone) await pass();
      if (store.saves.size > 0) keptIn(store);
      if (fails) throw new Error("out of order");
    });
    const session = await driveSession({ store: failing, sleep });
    await trains(session, config);
    await expect.poll(() => store.saves.get("run")?.summary.step, { timeout: 60_000 }).toBe(40);
    await session.send({ type: "save" });
    return { kept: keptIn(store), hasFailed };
  }

  it("loses no checkpoint that is to be kept, the best of before included, and no save names one that is not there", async () => {
    const { kept } = await keeps(() => false);
    const best = kept.find(([, why]) => why.includes("best"))?.[0];
    expect(best).toBeGreaterThan(0);
    const hasBest = ({ put }: SaveChange) => [...put.keys()].some((name) => name.startsWith(`checkpoint/${best}/`));
    expect(await keeps(hasBest)).toEqual({ kept, hasFailed: true });
    // Done, though nobody hears so.
    expect(await keeps(hasBest, true)).toEqual({ kept, hasFailed: true });
  });
});

describe("storage that answers late", () => {
  it("is written to again as soon as it has, however long the next try would have waited", async () => {
    const store = memoryStore();
    const landings: (() => void)[] = [];
    const late = through(store, (_, pass) => new Promise<void>((land) => landings.push(land)).then(pass));
    // The pause after a failure alone never ends.
    const session = await driveSession({
      store: late,
      sleep: (ms) => (ms > 900 && ms <= 1000 ? never<void>() : new Promise((resolve) => setTimeout(resolve, ms / 100))),
    });
    await trains(session);
    expect((await session.first("storage")).reason).toMatch("has not answered");
    const landed = session.next("saved", ({ step }) => step === 40);
    const timer = setInterval(() => landings.shift()?.(), 120);
    await landed;
    clearInterval(timer);
    expect(readSave("run", store.saves.get("run")!.files).steps).toEqual(stepsOf(session));
    expect(reasons(session).at(-1)).toBeNull();
  });
});

describe("a step as long as writes are apart", () => {
  it("is stored before the next one begins", async () => {
    const store = memoryStore();
    const slow = through(store, async (_, pass) => {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
      await pass();
    });
    let now = 0;
    const session = await driveSession({
      store: slow,
      now: () => (now += 100),
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, 20 * ms)),
    });
    const kept: (readonly [number, number])[] = [];
    const push = session.events.push.bind(session.events);
    // Arrays of a thread that has run somebody's code are frozen, and take no assignment over their own methods.
    const seen = (...events: (typeof session.events)[number][]) => {
      for (const event of events)
        if (event.type === "phase" && event.phase === "sample" && event.step > 1)
          kept.push([event.step, store.saves.get("run")?.summary.step ?? 0]);
      return push(...events);
    };
    Object.defineProperty(session.events, "push", { value: seen });
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "start", runId: "run", config: { ...table, steps: 8, evalEvery: 0 } });
    await finished;
    expect(kept.length).toBeGreaterThan(0);
    for (const [step, stored] of kept) expect(stored).toBeGreaterThanOrEqual(step - 1);
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
