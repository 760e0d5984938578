// Steps that are faster than storage: whoever asks for such a run while it goes on has an answer, and none is told before it is kept.
import { expect, it } from "vitest";
import type { OpenSave, RunStore } from "../../../src/train/host.ts";
import { driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

/** A store whose writes take so long. */
function slowed(store: RunStore, ms: number): RunStore {
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const slow = (save: OpenSave): OpenSave => ({ ...save, write: (change) => wait().then(() => save.write(change)) });
  return {
    ...store,
    open: async (runId) => {
      const save = await store.open(runId);
      return save && slow(save);
    },
  };
}

it("a run that goes on faster than storage is read as far as it had come", async () => {
  const session = await driveSession({ store: slowed(memoryStore(), 40) });
  await session.send({
    type: "start",
    runId: "fast",
    config: { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 0, evalEvery: 0 },
  });
  for (let asked = 0; asked < 3; asked++) {
    const before = session.all("steps").at(-1)?.records.at(-1)?.step ?? 0;
    const { steps } = await session.send({ type: "records", runId: "fast" });
    expect(steps.at(-1)?.step ?? 0).toBeGreaterThanOrEqual(before);
    await session.next("steps");
  }
  await session.send({ type: "fork", runId: "fast", step: 5, forkAs: "fork", paused: true });
  expect(session.all("error")).toEqual([]);
});

it("a step waits to be kept before it is told, as long as nobody has said that storage does not answer", async () => {
  const store = memoryStore();
  // Its times pass ten times as fast: of the three seconds that storage may take it takes half.
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 10));
  const session = await driveSession({ store: slowed(store, 150), sleep });
  const told: number[] = [];
  const lost: number[] = [];
  void session.next("steps", ({ records }) => {
    const kept = store.saves.get("slow")?.summary.step ?? 0;
    for (const { step } of records) (step > kept ? lost : told).push(step);
    return false;
  });
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({
    type: "start",
    runId: "slow",
    config: { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 40, evalEvery: 10 },
  });
  await finished;
  expect(session.all("storage").filter(({ reason }) => reason !== null)).toEqual([]);
  expect(lost, "steps that a tab closed at once would lose").toEqual([]);
  expect(told).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
});
