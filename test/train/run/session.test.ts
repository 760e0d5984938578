import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { isTimedMetric, type StepRecord } from "../../../src/protocol/records.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import { type DrivenSession, driveSession } from "../../support/driveSession.ts";
import { memoryStore } from "../../support/memoryStore.ts";

const table: RunConfigInput = { task: "digit-sum", algorithm: "builtin", steps: 40, evalEvery: 10 };

/** A transformer whose updates take most of a step. */
const small: RunConfigInput = {
  ...{ algorithm: "grpo", model: "transformer", startFrom: "random", klEstimator: "k3", hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2 },
  ...{ intermediateSize: 32, promptsPerStep: 2, groupSize: 4, threads: 1, backend: "wasm", evalProblems: 4, evalSamples: 1 },
};

/** Metrics that do not measure time. */
const timeless = ({ step, metrics }: StepRecord) => ({
  step,
  metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
});

async function runToEnd(session: DrivenSession, config: RunConfigInput, runId = "run"): Promise<readonly StepRecord[]> {
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId, config });
  await finished;
  return session.all("steps").flatMap(({ records }) => records);
}

describe("a session", () => {
  it("announces its catalog", async () => {
    const session = await driveSession();
    const [ready] = session.all("ready");
    expect(ready?.catalog.tasks.map(({ id }) => id)).toContain("digit-sum");
    expect(ready?.catalog.fields.find(({ key }) => key === "groupSize")).toMatchObject({ min: 2, kind: "integer" });
  });

  it("runs to the step limit, evaluating and measuring baselines on the way", async () => {
    const session = await driveSession();
    const records = await runToEnd(session, table);
    expect(records.map(({ step }) => step)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(session.all("evaluation").map(({ record }) => record.step)).toEqual([0, 10, 20, 30, 40]);
    expect(session.all("baseline").map(({ record }) => record.kind)).toEqual(["random", "start"]);
    expect(session.all("error")).toEqual([]);
  });

  it("tells steps in batches also where saves are due and nothing can be stored", async () => {
    // On a clock that stands still: the first step at once, all others when the run ends.
    const session = await driveSession({ store: null, now: () => 0 });
    expect(await runToEnd(session, { ...table, autosaveEvery: 1 })).toHaveLength(40);
    expect(session.all("steps")).toHaveLength(2);
  });

  it("gives the same metrics for the same seed, and others for another", async () => {
    const [first, second, other] = await Promise.all(
      [0, 0, 1].map(async (seed) => (await runToEnd(await driveSession(), { ...table, seed })).map(timeless)),
    );
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it("pauses after one step, or one phase, when asked to advance", async () => {
    const session = await driveSession();
    const paused = session.next("state", ({ state }) => state === "paused");
    await session.send({ type: "start", runId: "run", config: table, paused: true });
    await paused;
    const phases: string[] = [];
    for (let i = 0; i < 4; i++) {
      const stopped = session.next("state", ({ state }) => state === "paused");
      const groups = session.next("groups");
      await session.send({ type: "advance", unit: "phase" });
      phases.push((await groups).phase);
      await stopped;
    }
    expect(phases).toEqual(["sample", "score", "advantage", "update"]);
    expect(session.all("steps")).toEqual([]);
    const stopped = session.next("state", ({ state }) => state === "paused");
    await session.send({ type: "advance", unit: "step" });
    await stopped;
    expect(session.all("steps").flatMap(({ records }) => records.map(({ step }) => step))).toEqual([1]);
  });

  it("stands, once paused, before a step's update or behind the step, and evaluates what is due when it goes on", async () => {
    const config: RunConfigInput = { ...table, ...small, steps: 60, evalEvery: 3 };
    const [session, whole] = [await driveSession(), await driveSession()];
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "start", runId: "run", config });
    const phases: string[] = [];
    for (let i = 0; session.all("state").at(-1)?.state !== "finished"; i++) {
      await new Promise((resolve) => setTimeout(resolve, (i * 7) % 23));
      await session.send({ type: "pause" }).catch(() => {});
      if (session.all("state").at(-1)?.state !== "paused") continue;
      const step = session.all("steps").at(-1)?.records.at(-1)?.step ?? 0;
      const inFlight = await session.send({ type: "inspect", step: step + 1 }).catch(() => null);
      if (inFlight) phases.push(inFlight.phase);
      await session.send({ type: "resume" });
    }
    await finished;
    expect(phases).not.toContain("update");
    const records = await runToEnd(whole, config);
    expect(session.all("steps").flatMap(({ records: some }) => some.map(timeless))).toEqual(records.map(timeless));
    const evaluated = ({ all }: DrivenSession) => all("evaluation").map(({ record }) => [record.step, record.sampledAccuracy]);
    expect(evaluated(session)).toEqual(evaluated(whole));
  });

  it("continues a saved run exactly as if it had never stopped", async () => {
    const whole = (await runToEnd(await driveSession(), table)).map(timeless);
    const store = memoryStore();
    const first = await driveSession({ store });
    await runToEnd(first, { ...table, steps: 17 });
    expect(store.saves.get("run")?.summary.step).toBe(17);
    store.crash();
    const second = await driveSession({ store: store.otherTab() });
    expect((await second.first("saves")).runs.map(({ runId }) => runId)).toEqual(["run"]);
    await second.send({ type: "continue", runId: "run", paused: true });
    expect(second.all("state").at(-1)).toMatchObject({ state: "finished", reason: "reached 17 steps" });
    const finished = second.next("state", ({ state }) => state === "finished");
    await second.send({ type: "set", settings: { steps: 40 } });
    expect(second.all("state").at(-1)).toMatchObject({ state: "paused" });
    await second.send({ type: "resume" });
    await finished;
    const history = second.all("history").flatMap(({ steps }) => steps);
    const rest = second.all("steps").flatMap(({ records }) => records);
    expect([...history, ...rest].map(timeless)).toEqual(whole);
  });

  it("says what is wrong with a save that cannot be read, and stays where it was", async () => {
    const store = memoryStore();
    const session = await driveSession({ store });
    await runToEnd(session, table);
    const { summary, files } = store.saves.get("run")!;
    store.saves.set("cut", { summary, files: new Map(files).set("run", files.get("run")!.slice(0, 400)) });
    for (const [runId, sentence] of [
      ["cut", "the saved run cut cannot be read: run is damaged or cut short"],
      ["gone", "there is no saved run gone"],
    ] as const) {
      await expect(session.send({ type: "continue", runId })).rejects.toThrow(sentence);
      expect(session.all("state").at(-1)?.state).toBe("finished");
    }
  });

  it.each([
    [{ groupSize: 1 }, "groupSize must be >= 2, got 1"],
    [{ task: "digit-sun" }, `task must be one of the ${tasks.length} known ones, got "digit-sun" (did you mean "digit-sum"?)`],
    [{ learningRate: -1 }, "learningRate must be >= 0, got -1"],
    [{ grupSize: 4 }, 'unknown field "grupSize" (did you mean "groupSize"?)'],
    [{ taskOptions: { target: 99 } }, "taskOptions.target must be <= 36"],
  ])("refuses %j in words and keeps the run that was there", async (bad, message) => {
    const session = await driveSession();
    await runToEnd(session, table);
    await expect(session.send({ type: "start", runId: "bad", config: { ...table, ...bad } as RunConfigInput })).rejects.toThrow(message);
    expect(session.all("answer").at(-1)).toMatchObject({ outcome: "failed", field: expect.stringContaining(Object.keys(bad)[0]!) });
    expect(await session.send({ type: "inspect", step: 40 })).toMatchObject({ step: 40, phase: "update" });
  });

  it("takes live changes of the learning rate at the next step", async () => {
    const session = await driveSession();
    await session.send({ type: "start", runId: "run", config: { ...table, steps: 2 }, paused: true });
    await session.send({ type: "set", settings: { learningRate: 0 } });
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "resume" });
    await finished;
    expect(session.all("steps").flatMap(({ records }) => records.map(({ metrics }) => metrics.learning_rate))).toEqual([0, 0]);
  });

  it("writes live changes down, so that the configuration reproduces the run", async () => {
    const live = await driveSession();
    await live.send({ type: "start", runId: "run", config: { ...table, steps: 5 }, paused: true });
    const paused = live.next("state", ({ state }) => state === "paused");
    await live.send({ type: "advance", unit: "step" });
    await paused;
    await live.send({ type: "set", settings: { learningRate: 0.1, klCoef: 0.5 } });
    const finished = live.next("state", ({ state }) => state === "finished");
    await live.send({ type: "resume" });
    await finished;
    const changes = [{ afterStep: 1, settings: { learningRate: 0.1, klCoef: 0.5 } }];
    const replayed = await runToEnd(await driveSession(), { ...table, steps: 5, changes });
    expect(live.all("steps").flatMap(({ records }) => records.map(timeless))).toEqual(replayed.map(timeless));
    expect(replayed.map(({ metrics }) => metrics.learning_rate)).toEqual([0.5, 0.1, 0.1, 0.1, 0.1]);
    const written = live.all("settings").at(-1)?.config;
    expect(written?.changes.at(-1)).toEqual(changes[0]);
    const again = await runToEnd(await driveSession(), written ?? {});
    expect(again.map(timeless)).toEqual(replayed.map(timeless));
  });

  it("writes an added stretch of steps down with the limit that held before it, so that a repetition falls and ends alike", async () => {
    const config: RunConfigInput = { ...table, steps: 7, schedule: "linear", evalEvery: 5 };
    const live = await driveSession();
    await runToEnd(live, config);
    const finished = live.next("state", ({ state }) => state === "finished");
    await live.send({ type: "set", settings: { steps: 12, temperature: 0.5 } });
    await live.send({ type: "resume" });
    await finished;
    const written = live.all("settings").at(-1)?.config;
    expect(written).toMatchObject({
      steps: 12,
      changes: [
        { afterStep: 0, settings: { steps: 7, temperature: 1 } },
        { afterStep: 7, settings: { steps: 12, temperature: 0.5 } },
      ],
    });
    const repetition = await driveSession();
    const again = await runToEnd(repetition, written ?? {});
    expect(again.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(again.map(timeless)).toEqual(live.all("steps").flatMap(({ records }) => records.map(timeless)));
    const evaluated = (session: typeof live) => session.all("evaluation").map(({ record }) => record);
    expect(evaluated(repetition)).toEqual(evaluated(live));
    expect(evaluated(live).map(({ step }) => step)).toEqual([0, 5, 7, 10, 12]);
  });

  it("refuses changes of what is fixed when a run starts", async () => {
    const session = await driveSession();
    const changes = [{ afterStep: 2, settings: { seed: 4 } }];
    await expect(session.send({ type: "start", runId: "run", config: { ...table, changes } })).rejects.toThrow(
      "changes.0.settings must not change seed: it is fixed when a run starts",
    );
  });

  it("goes on until the end of a step that is asked for, pauses there with the step kept, and takes its limit again after", async () => {
    const session = await driveSession();
    await session.send({ type: "start", runId: "a", config: { ...table, steps: 600, evalEvery: 0 }, paused: true });
    const paused = session.next("state", ({ state }) => state === "paused");
    await session.send({ type: "resume", until: 7 });
    await paused;
    expect(session.all("steps").at(-1)?.records.at(-1)?.step).toBe(7);
    await session.send({ type: "inspect", step: 7 });
    await expect(session.send({ type: "resume", until: 7 })).rejects.toThrow("until must be greater than the run's step 7, got 7");
    const finished = session.next("state", ({ state }) => state === "finished");
    await session.send({ type: "resume" });
    await finished;
    expect(session.all("steps").at(-1)?.records.at(-1)?.step).toBe(600);
  });

  it("keeps the last 200 steps for inspection and says which", async () => {
    const session = await driveSession();
    await runToEnd(session, { ...table, steps: 250, evalEvery: 0 });
    expect(session.all("groups").at(-1)?.oldestStep).toBe(51);
    await expect(session.send({ type: "inspect", step: 50 })).rejects.toThrow("step 50 is no longer kept");
  });
});
