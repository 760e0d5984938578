// A recording tells what the live run told, at every place, and takes nothing else; a fork is the run taken again with one more
// change, to the bit.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import type { EngineEvent } from "../../../src/protocol/messages.ts";
import { isSameStep } from "../../../src/protocol/records.ts";
import { createRunView } from "../../../src/ui/engine/store/runView.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { dice } from "../../support/killedRuns.ts";
import { isLong } from "../../support/long.ts";
import { type MemoryStore, memoryStore } from "../../support/memoryStore.ts";

const table: RunConfigInput = {
  task: "digit-sum",
  model: "tabular",
  promptsPerStep: 2,
  groupSize: 8,
  evalProblems: 8,
  evalSamples: 2,
  keptMegabytes: 100,
};
const SMALL: RunConfigInput = {
  ...{ task: "digit-sum", startFrom: "random", hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, intermediateSize: 16 },
  ...{
    threads: 1,
    backend: "wasm",
    promptsPerStep: 2,
    groupSize: 4,
    learningRate: 0.01,
    evalProblems: 8,
    evalSamples: 1,
    klEstimator: "k3",
  },
};

/** From the shipped checkpoints, as few answers as there can be. */
const SPOKEN = {
  promptsPerStep: 2,
  groupSize: 3,
  evalProblems: 4,
  evalSamples: 1,
  threads: 1,
  backend: "wasm",
} as const satisfies RunConfigInput;
/** Runs of each kind: the first two in every run of the tests, the others in the long one. */
const KINDS: readonly (readonly [kind: string, config: RunConfigInput, steps: number])[] = [
  ["a table", table, 40],
  ["tools", { ...SPOKEN, task: "calculator" }, 5],
  ["one turn", { ...SPOKEN, task: "boxed-arithmetic" }, 5],
  ["several turns", { ...SPOKEN, task: "guess-number" }, 4],
  ["two agents", { ...SPOKEN, task: "checked-arithmetic" }, 4],
  ["a critic", { ...SMALL, model: "transformer", algorithm: "ppo" }, 6],
  ["adapters", { ...SPOKEN, task: "boxed-arithmetic", loraRank: 2, klCoef: 0.1 }, 4],
];

/** A run to its end, step by step, with a session that has seen it and one that has not. */
async function trained(config: RunConfigInput, steps: number) {
  const store = memoryStore();
  const live = await driveSession({ store });
  await live.send({ type: "start", runId: "run", config: { ...config, steps }, paused: true });
  for (let step = 1; step <= steps; step++) await live.send({ type: "advance", unit: "step" });
  await live.send({ type: "save" });
  const other = store.otherTab();
  return { store, live, other, session: await driveSession({ store: other }) };
}

function viewOf(events: readonly EngineEvent[]) {
  const view = createRunView();
  view.apply(events.filter((event) => event.runId !== null));
  return view;
}

/** What a page shows of a run at a step. */
function shownAt(view: ReturnType<typeof viewOf>, step: number) {
  const { evaluations, baselines, step: stands } = view.facts.getState();
  const records = view.metrics.records().filter((record) => record.step <= step);
  return { stands, records, evaluations: evaluations.filter((each) => each.step <= step), baselines };
}

describe("a recording", () => {
  it.each(isLong ? KINDS : KINDS.slice(0, 2))(
    "of %s has the numbers of the live run at 100 random places, metrics and every value of every token",
    async (_, config, steps) => {
      const { live, session } = await trained({ ...config, keptMegabytes: 100, evalEvery: Math.ceil(steps / 2) }, steps);
      const liveView = viewOf(live.events);
      await session.send({ type: "open", runId: "run", paused: true });
      const shown = viewOf(session.events);
      const roll = dice(7);
      for (let place = 0; place < 100; place++) {
        const step = 1 + roll(steps);
        const told = session.events.length;
        await session.send({ type: "seek", step });
        shown.apply(session.events.slice(told));
        expect(shownAt(shown, step)).toEqual({ ...shownAt(liveView, step), stands: step });
        const promptIndex = roll(2);
        const { groups, summaries, config: own } = await session.send({ type: "inspect", step, promptIndex });
        const was = await live.send({ type: "inspect", step, promptIndex });
        expect({ groups, summaries, own }).toEqual({ groups: was.groups, summaries: was.summaries, own: was.config });
      }
      const rewards = { rewardClip: 0.5 };
      const step = Math.ceil(steps / 2);
      expect(await session.send({ type: "otherwise", step, settings: rewards })).toEqual(
        await live.send({ type: "otherwise", step, settings: rewards }),
      );
      await session.send({ type: "seek", step: steps });
      expect(await session.send({ type: "probes" })).toEqual(await live.send({ type: "probes" }));
    },
    120_000,
  );

  it("plays to its end like a run, from its beginning once more, and can be paused, stepped and sped up", async () => {
    const { live, session } = await trained({ ...table, evalEvery: 4 }, 8);
    await session.send({ type: "open", runId: "run", paused: true, step: 0 });
    expect(viewOf(session.events).facts.getState()).toMatchObject({ step: 0, state: "paused", recording: { lastStep: 8 } });
    await session.send({ type: "seek", speed: 100 });
    const over = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "resume" });
    await over;
    expect(shownAt(viewOf(session.events), 8)).toEqual({ ...shownAt(viewOf(live.events), 8), stands: 8 });
    const third = session.next("steps", ({ records }) => records[0]!.step === 3);
    await session.send({ type: "resume" });
    await third;
    await session.send({ type: "pause" });
    const { step } = viewOf(session.events).facts.getState();
    expect(step).toBeGreaterThanOrEqual(3);
    expect(viewOf(session.events).facts.getState().phase?.step).toBe(step);
    expect(step).toBeLessThan(8);
    await session.send({ type: "advance", unit: "phase" });
    expect(viewOf(session.events).facts.getState()).toMatchObject({ step: step + 1, state: "paused" });
  });

  it("says newest what it kept newest of the place it stands at", async () => {
    const { session } = await trained(table, 6);
    await session.send({ type: "open", runId: "run", paused: true });
    const told = session.next("groups", ({ step }) => step === 4);
    await session.send({ type: "seek", step: 4 });
    expect(await told).toMatchObject({ isKept: true });
    expect(viewOf(session.events).groups.latestStep).toBe(4);
    await expect(session.send({ type: "inspect", step: 9 })).rejects.toThrow("the rollouts of step 9 are not in the recording");
  });

  it("refuses what needs the model with a sentence, and is not written", async () => {
    const { store, session } = await trained(table, 3);
    const before = store.saves.get("run");
    await session.send({ type: "open", runId: "run", paused: true });
    const refused = /this is a recording: go on with the run/;
    await expect(session.send({ type: "ask", samples: 1 })).rejects.toThrow(refused);
    await expect(session.send({ type: "set", settings: { learningRate: 1 } })).rejects.toThrow(refused);
    await expect(session.send({ type: "export-model" })).rejects.toThrow(refused);
    await expect(session.send({ type: "start", runId: "b", config: table, inherit: true })).rejects.toThrow(refused);
    await session.send({ type: "reset" });
    expect(store.saves.get("run")).toBe(before);
    await expect(session.send({ type: "seek", step: 1 })).rejects.toThrow("no recording is shown: open one first");
  });

  it("gives way to a run that is started while its files are read", async () => {
    const { session } = await trained(table, 3);
    const opened = session.send({ type: "open", runId: "run", paused: true });
    const started = session.send({ type: "start", runId: "later", config: table, paused: true });
    await expect(opened).rejects.toThrow("a later command put another run in the recording's place");
    await started;
    expect(viewOf(session.events).facts.getState()).toMatchObject({ runId: "later", recording: null });
  });

  it("opens from a file without being kept, and leaves its place to a run that goes on", async () => {
    const { live, store, other, session } = await trained(table, 5);
    const file = await live.send({ type: "read-save", runId: "run" });
    const empty = memoryStore();
    const elsewhere = await driveSession({ store: empty });
    expect(await elsewhere.send({ type: "open", files: [file], paused: true })).toEqual({ runId: "run" });
    expect(empty.saves.size).toBe(0);
    expect(elsewhere.all("history").at(-1)!.steps).toHaveLength(5);
    await expect(elsewhere.send({ type: "open" })).rejects.toThrow(
      "open needs one of these: the runId of a saved run, its files, or files of rollouts as traces",
    );
    // The tab that trained it is gone.
    store.crash();
    await session.send({ type: "open", runId: "run", paused: true });
    await session.send({ type: "continue", runId: "run", paused: true });
    expect(viewOf(session.events).facts.getState()).toMatchObject({ step: 5, recording: null });
    await session.send({ type: "set", settings: { steps: 6 } });
    await session.send({ type: "advance", unit: "step" });
    await session.send({ type: "save" });
    expect(other.saves.get("run")!.summary.step).toBe(6);
  });
});

const changed = { learningRate: 0.003, temperature: 1.2 } as const;

async function toEnd(session: DrivenSession, act: () => Promise<unknown>): Promise<void> {
  const over = session.next("state", ({ state }) => state === "finished");
  await act();
  await over;
}

/** All steps that a run has in its save. */
async function stepsOf(store: MemoryStore, runId: string) {
  const session = await driveSession({ store: store.otherTab() });
  await session.send({ type: "open", runId, paused: true });
  return session.all("history").at(-1)!.steps;
}

describe.each([
  ["a table", { ...table, evalEvery: 5 }],
  ["a transformer", { ...SMALL, evalEvery: 4 }],
] as const)("a fork of %s", (_, config) => {
  it("is the run that had the change from the start, to the bit, and leaves the one it came from", async () => {
    const { store, session } = await trained(config, 10);
    await toEnd(session, () => session.send({ type: "fork", runId: "run", step: 6, settings: changed, forkAs: "fork" }));
    await session.send({ type: "save" });
    const whole = await driveSession({ store: store.otherTab() });
    const changes = [{ afterStep: 6, settings: changed }];
    await toEnd(whole, () => whole.send({ type: "start", runId: "whole", config: { ...config, steps: 10, changes } }));
    await whole.send({ type: "save" });
    const [run, fork, wanted] = [await stepsOf(store, "run"), await stepsOf(store, "fork"), await stepsOf(store, "whole")];
    expect(fork).toHaveLength(10);
    for (const [i, record] of wanted.entries()) expect(isSameStep(fork[i]!, record)).toBe(true);
    expect(isSameStep(run[5]!, fork[5]!)).toBe(true);
    expect(isSameStep(run[7]!, fork[7]!)).toBe(false);
  }, 60_000);

  it("without a change goes the way of its run, from a recording too", async () => {
    const { store, session } = await trained(config, 8);
    await session.send({ type: "open", runId: "run", paused: true });
    await toEnd(session, () => session.send({ type: "fork", runId: "run", step: 3, forkAs: "again" }));
    await session.send({ type: "save" });
    const [run, again] = [await stepsOf(store, "run"), await stepsOf(store, "again")];
    expect(again.map((record, i) => isSameStep(record, run[i]!))).toEqual(run.map(() => true));
  }, 60_000);
});

describe("a copy of a run", () => {
  it("has the rollouts of the run it is a copy of, under its own name", async () => {
    const { store, session } = await trained(table, 4);
    await session.send({ type: "continue", runId: "run", copyAs: "copy", paused: true });
    await session.send({ type: "set", settings: { steps: 5 } });
    await session.send({ type: "advance", unit: "step" });
    await session.send({ type: "save" });
    const again = await driveSession({ store: store.otherTab() });
    await again.send({ type: "open", runId: "copy", paused: true });
    expect(again.all("history").at(-1)!.kept).toEqual([1, 2, 3, 4, 5]);
    const { groups } = await again.send({ type: "inspect", step: 2 });
    await again.send({ type: "open", runId: "run", paused: true });
    expect((await again.send({ type: "inspect", step: 2 })).groups).toEqual(groups);
  });
});

describe("a fork", () => {
  it("is refused where a setting is fixed, where the run has no such step, and under the run's own name", async () => {
    const { session } = await trained(table, 4);
    const fork = (more: object) => session.send({ type: "fork", runId: "run", step: 2, forkAs: "fork", paused: true, ...more });
    await expect(fork({ settings: { seed: 4 } })).rejects.toThrow("must not change seed: it is fixed when a run starts");
    await expect(fork({ settings: { learningRate: -1 } })).rejects.toThrow("learningRate must be >= 0, got -1");
    await expect(fork({ step: 5 })).rejects.toThrow("step must be <= 4, the last step of the run, got 5");
    await expect(fork({ forkAs: "run" })).rejects.toThrow("forkAs must be another name than the run's own, got run");
    await expect(fork({ runId: "none" })).rejects.toThrow("there is no saved run none");
  });
});
