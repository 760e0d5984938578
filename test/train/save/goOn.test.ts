// A run that ends at any moment goes on from its save as if nothing had happened: nothing that was told is
// lost, and every later number is the same, to the bit.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isTimedMetric, type StepRecord } from "../../../src/protocol/records.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import { unpackFiles } from "../../../src/train/save/rollout/packedFiles.ts";
import type { SavedState } from "../../../src/train/save/savedState.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { type MemoryStore, memoryStore } from "../../support/memoryStore.ts";
import { saveOf } from "../../support/savedFiles.ts";

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 40, evalEvery: 7, klCoef: 0.05 };
const transformer: RunConfigInput = {
  ...{ task: "digit-sum", algorithm: "grpo", model: "transformer", startFrom: "random", backend: "wasm", threads: 1 },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16, groupSize: 4, promptsPerStep: 1 },
  ...{ steps: 8, evalEvery: 4, evalProblems: 4, klCoef: 0.05 },
};
const RUNS = [
  ["the table", table],
  ["the smallest transformer", transformer],
  ["adapters beside a frozen base", { ...transformer, loraRank: 1 }],
] as const;

const timeless = ({ step, metrics }: StepRecord) => ({
  step,
  metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
});
const told = (session: DrivenSession) => session.all("steps").flatMap(({ records }) => records);
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

async function toEnd(session: DrivenSession, begin: () => Promise<unknown>) {
  const finished = session.next("state", ({ state }) => state === "finished");
  await begin();
  await finished;
  expect(session.all("error")).toEqual([]);
}

async function train(config: RunConfigInput) {
  const session = await driveSession();
  await toEnd(session, () => session.send({ type: "start", runId: "run", config }));
  return { steps: told(session).map(timeless), evaluations: session.all("evaluation").map(({ record }) => record) };
}

const trained = new Map<RunConfigInput, ReturnType<typeof train>>();

/** Steps and evaluations of a run that nothing interrupts, which is trained once. */
function uninterrupted(config: RunConfigInput) {
  const whole = trained.get(config) ?? train(config);
  trained.set(config, whole);
  return whole;
}

/** What a second tab comes to that goes on with the run, and the step at which it began. */
async function goOn(store: MemoryStore) {
  const session = await driveSession({ store: store.otherTab() });
  await toEnd(session, () => session.send({ type: "continue", runId: "run" }));
  const [history] = session.all("history");
  const evaluations = [...(history?.evaluations ?? []), ...session.all("evaluation").map(({ record }) => record)];
  const steps = [...(history?.steps ?? []), ...told(session)].map(timeless);
  return { began: session.all("started")[0]!.step, whole: { steps, evaluations }, notices: session.all("notice"), session };
}

/** A save whose every step is to be repeated. */
const fromTheStart = (state: SavedState) => saveOf("run", { ...state, settings: liveSettingsOf(state.config), checkpoint: null });

describe.each(RUNS)("%s", (_, config) => {
  it.each([0, 1, 2, 3, 4])("paused after %i phases of a step goes on with that step", async (phases) => {
    const store = memoryStore();
    const session = await driveSession({ store });
    await session.send({ type: "start", runId: "run", config, paused: true });
    for (let i = 0; i < 3; i++) await session.send({ type: "advance", unit: "step" });
    for (let i = 0; i < phases; i++) await session.send({ type: "advance", unit: "phase" });
    store.crash();
    const { began, whole, notices } = await goOn(store);
    expect(began).toBe(3);
    expect(whole).toEqual(await uninterrupted(config));
    expect(notices).toEqual([]);
  });

  it("paused or stopped while it goes on has kept every step that it told", async () => {
    for (const type of ["pause", "stop", "save"] as const) {
      const store = memoryStore();
      const session = await driveSession({ store });
      const begun = session.next("steps");
      await session.send({ type: "start", runId: "run", config });
      await begun;
      await session.send({ type });
      const last = told(session).at(-1)!.step;
      store.crash();
      expect(store.saves.get("run")!.summary.step).toBeGreaterThanOrEqual(last);
      const { whole } = await goOn(store);
      expect(whole).toEqual(await uninterrupted(config));
    }
  });

  it("ended at any moment has lost nothing that was told, and goes on to the bit", async () => {
    const expected = await uninterrupted(config);
    for (let trial = 0; trial < 12; trial++) {
      const store = memoryStore();
      const session = await driveSession({ store });
      await session.send({ type: "start", runId: "run", config });
      const turns = 3 + trial * 9;
      for (let i = 0; i < turns; i++) await turn();
      const last = told(session).at(-1)?.step ?? 0;
      store.crash();
      if (!store.saves.has("run")) {
        expect(last).toBe(0);
        continue;
      }
      const { began, whole } = await goOn(store);
      expect(began).toBeGreaterThanOrEqual(last);
      expect(whole).toEqual(expected);
    }
  });
});

describe("a run that goes on", () => {
  it("repeats live changes where they were made, from a checkpoint and from the start", async () => {
    const [store, live] = [memoryStore(), memoryStore()];
    const play = async (where: MemoryStore) => {
      const session = await driveSession({ store: where });
      await session.send({
        type: "start",
        runId: "run",
        config: { ...table, changes: [{ afterStep: 2, settings: { learningRate: 0.2 } }] },
        paused: true,
      });
      for (let i = 0; i < 4; i++) await session.send({ type: "advance", unit: "step" });
      await session.send({ type: "advance", unit: "phase" });
      await session.send({ type: "set", settings: { learningRate: 0.1, temperature: 0.7 } });
      for (let i = 0; i < 3; i++) await session.send({ type: "advance", unit: "step" });
      await session.send({ type: "set", settings: { klCoef: 0.3 } });
      return session;
    };
    const session = await play(live);
    await toEnd(session, () => session.send({ type: "resume" }));
    await play(store);
    await new Promise((resolve) => setTimeout(resolve, 300));
    store.crash();
    const { whole, session: second } = await goOn(store);
    expect(whole.steps).toEqual(told(session).map(timeless));
    expect(second.all("started")[0]!.config).toEqual(session.all("settings").at(-1)!.config);
  });

  it("through changes on the way has the configuration in the end that one has which nothing ended", async () => {
    const changes = [
      { afterStep: 2, settings: { learningRate: 0.2 } },
      { afterStep: 5, settings: { learningRate: 0.1, temperature: 0.7 } },
    ];
    const config = { ...table, changes };
    const last = (session: DrivenSession) => [...session.all("started"), ...session.all("settings")].at(-1)!.config;
    const undisturbed = await driveSession();
    await toEnd(undisturbed, () => undisturbed.send({ type: "start", runId: "run", config }));
    for (const ended of [1, 4, 9]) {
      const store = memoryStore();
      const first = await driveSession({ store });
      await first.send({ type: "start", runId: "run", config, paused: true });
      for (let i = 0; i < ended; i++) await first.send({ type: "advance", unit: "step" });
      store.crash();
      const { whole, session } = await goOn(store);
      expect(whole).toEqual(await uninterrupted(config));
      expect(last(session)).toEqual(last(undisturbed));
    }
    expect(last(undisturbed)).toMatchObject({ learningRate: 0.1, temperature: 0.7 });
    expect(undisturbed.all("settings").map(({ settings }) => settings)).toEqual(changes.map(({ settings }) => settings));
  });

  it("and makes up for an evaluation can be exported as it was evaluated", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    await first.send({ type: "start", runId: "run", config: transformer, paused: true });
    for (let i = 0; i < 4; i++) await first.send({ type: "advance", unit: "step" });
    store.crash();
    const { evaluations, ...state } = readSave("run", store.saves.get("run")!.files);
    store.saves.set("run", saveOf("run", { ...state, evaluations: evaluations.filter(({ step }) => step < 4) }));
    const second = await driveSession({ store: store.otherTab() });
    await second.send({ type: "continue", runId: "run", paused: true });
    const exported = second.next("evaluation").then(() => second.send({ type: "export-save" }));
    await toEnd(second, () => second.send({ type: "resume" }));
    expect(readSave("run", unpackFiles((await exported).bytes)).checkpoint!.trainer.step).toBe(4);
  });

  it("in its first step tells what was measured before that", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    await first.send({ type: "start", runId: "run", config: table, paused: true });
    await first.send({ type: "advance", unit: "phase" });
    store.crash();
    const { began, whole, session } = await goOn(store);
    expect(began).toBe(0);
    expect(whole).toEqual(await uninterrupted(table));
    expect(session.all("history")[0]?.baselines).toEqual(first.all("baseline").map(({ record }) => record));
  });

  it("can be inspected at the steps that were repeated", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    await first.send({ type: "start", runId: "run", config: table, paused: true });
    for (let i = 0; i < 3; i++) await first.send({ type: "advance", unit: "step" });
    const before = await first.send({ type: "inspect", step: 2 });
    store.crash();
    const second = await driveSession({ store: store.otherTab() });
    await second.send({ type: "continue", runId: "run", paused: true });
    expect(await second.send({ type: "inspect", step: 2 })).toEqual(before);
  });

  it("can be given up while it repeats, and its save stays as it is", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    await toEnd(first, () => first.send({ type: "start", runId: "run", config: { ...table, steps: 400, evalEvery: 0 } }));
    store.crash();
    store.saves.set("run", fromTheStart(readSave("run", store.saves.get("run")!.files)));
    const kept = store.saves.get("run");
    const second = await driveSession({ store: store.otherTab() });
    const repeating = second.next("preparing", ({ what }) => /^repeating step \d+ of 400$/.test(what));
    const continued = second.send({ type: "continue", runId: "run" });
    const refused = expect(continued).rejects.toThrow("the run was given up before it began");
    await repeating;
    await second.send({ type: "stop" });
    await refused;
    expect(second.all("state").at(-1)?.state).toBe("idle");
    expect(store.saves.get("run")).toBe(kept);
    // And another may take it.
    const third = await driveSession({ store: store.otherTab() });
    await third.send({ type: "continue", runId: "run", paused: true });
  });

  it("shows what it repeated where that came out differently, and says so", async () => {
    const store = memoryStore();
    const first = await driveSession({ store });
    await first.send({ type: "start", runId: "run", config: table, paused: true });
    for (let i = 0; i < 8; i++) await first.send({ type: "advance", unit: "step" });
    store.crash();
    const state = readSave("run", store.saves.get("run")!.files);
    const wrong = state.steps.map(({ step, metrics }) => (step === 5 ? { step, metrics: { ...metrics, reward: 77 } } : { step, metrics }));
    store.saves.set("run", fromTheStart({ ...state, steps: wrong }));
    const { whole, notices } = await goOn(store);
    expect(whole).toEqual(await uninterrupted(table));
    expect(notices.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^1 of the 8 steps since the last checkpoint came out differently/),
    ]);
  });

  it("from a step that was refused finds nothing of that step", async () => {
    const exploding: RunConfigInput = {
      ...transformer,
      learningRate: 10,
      optimizer: "sgd",
      maxGradNorm: 0,
      weightDecay: 1,
      innerEpochs: 2,
      steps: 60,
      evalEvery: 0,
    };
    const store = memoryStore();
    const session = await driveSession({ store });
    const error = session.next("error");
    await session.send({ type: "start", runId: "run", config: exploding });
    expect((await error).recoverable).toBe(true);
    const stateOf = async () => readSave("run", unpackFiles((await session.send({ type: "export-save" })).bytes)).checkpoint!;
    const refused = await stateOf();
    expect(refused.trainer.step).toBe(told(session).length);
    // Taken again, the step draws the same problems and numbers, and is refused as before.
    const again = session.next("error");
    await session.send({ type: "resume" });
    expect((await again).message).toBe((await error).message);
    expect(await stateOf()).toEqual(refused);
  });
});

it("an agent that plays the frozen start does so wherever the run goes on, without a KL too", async () => {
  const config: RunConfigInput = {
    ...{ task: "checked-arithmetic", taskOptions: { frozenStart: "checker", largestOperand: 20 }, algorithm: "dr-grpo", klCoef: 0 },
    ...{ backend: "wasm", threads: 1, promptsPerStep: 2, groupSize: 4, steps: 6, evalEvery: 3, evalProblems: 4, learningRate: 0.01 },
  };
  const store = memoryStore();
  const session = await driveSession({ store });
  await session.send({ type: "start", runId: "run", config, paused: true });
  for (let i = 0; i < 3; i++) await session.send({ type: "advance", unit: "step" });
  const { groups } = await session.send({ type: "inspect", step: 3 });
  const agents = groups.flatMap(({ trajectories }) => trajectories.flatMap(({ report }) => report!.turns.map(({ agent }) => agent)));
  expect(new Set(agents)).toEqual(new Set(["solver", "checker"]));
  store.crash();
  const { began, whole, notices } = await goOn(store);
  expect(began).toBe(3);
  expect(whole).toEqual(await uninterrupted(config));
  expect(notices).toEqual([]);
});

it("a reference that speaks for an agent is not to be refreshed", async () => {
  const session = await driveSession();
  const config: RunConfigInput = { task: "checked-arithmetic", taskOptions: { frozenStart: "solver" }, referenceSyncEvery: 5 };
  await expect(session.send({ type: "start", runId: "run", config })).rejects.toThrow(
    "referenceSyncEvery must be 0 where the frozen start plays the solver, got 5",
  );
});
