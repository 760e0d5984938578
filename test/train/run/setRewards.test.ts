import { describe, expect, it } from "vitest";
import { startEngine } from "../../../src/library/startEngine.ts";
import { trainRun } from "../../../src/library/trainRun.ts";
import type { Consent } from "../../../src/protocol/config/customRewards.ts";
import type { RunConfig, RunConfigInput } from "../../../src/protocol/config.ts";
import type { EngineEvent, EventOf } from "../../../src/protocol/messages.ts";
import type { StepRecord } from "../../../src/protocol/records.ts";
import { rewardStarters } from "../../../src/ui/make/customize/reward/starters.ts";
import { memoryStore } from "../../support/memoryStore.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const EVEN = rewardStarters.find(({ id }) => id === "evenDigits")!.source;
const RISING = rewardStarters.find(({ id }) => id === "rising")!.source;
const CONFIG: RunConfigInput = { task: "digit-sum", model: "tabular", algorithm: "builtin", steps: 12, evalEvery: 4 };
const OTHER: Pick<RunConfig, "customRewards" | "rewardWeights"> = {
  customRewards: { mine: { contract: 1, source: EVEN, options: {}, workMs: 50, cases: [] } },
  rewardWeights: { sumCloseness: 0 },
};

/** An engine with what it has told of the steps. */
async function engineWith(host = createNodeHost({ store: memoryStore() })) {
  const events: EngineEvent[] = [];
  const engine = await startEngine(host, (event) => events.push(event));
  const told = <T extends EngineEvent["type"]>(type: T) => events.filter((event): event is EventOf<T> & EngineEvent => event.type === type);
  const records = (): StepRecord[] => told("steps").flatMap(({ records }) => [...records]);
  const config = (): RunConfig => told("settings").at(-1)!.config!;
  return { engine, records, config, told };
}
const rewards = (records: readonly StepRecord[]) => records.map(({ metrics }) => metrics.reward);

/** A run that gets other rewards after its fourth step. */
async function changed() {
  const run = await engineWith();
  await run.engine.ask({ type: "start", runId: "live", config: CONFIG, paused: true });
  for (let step = 0; step < 4; step++) await run.engine.ask({ type: "advance", unit: "step" });
  await run.engine.ask({ type: "set", settings: OTHER });
  for (let step = 4; step < 12; step++) await run.engine.ask({ type: "advance", unit: "step" });
  return run;
}

describe("rewards that a run is given while it goes on", () => {
  it("score from the next step on, and stand in its history", async () => {
    const { records, config } = await changed();
    const before = await trainRun({ ...CONFIG, steps: 4 }, createNodeHost());
    expect(rewards(records().slice(0, 4))).toEqual(rewards(before.steps));
    const parts = records().map(({ metrics }) => "rewards/mine/mean" in metrics);
    expect(parts).toEqual([false, false, false, false, true, true, true, true, true, true, true, true]);
    expect(
      records()
        .slice(4)
        .every(({ metrics }) => metrics.reward === metrics["rewards/mine/mean"]),
    ).toBe(true);
    expect(config().changes.map(({ afterStep, settings }) => [afterStep, Object.keys(settings).toSorted()])).toEqual([
      [0, ["customRewards", "rewardWeights"]],
      [4, ["customRewards", "rewardWeights"]],
    ]);
  });

  it("are taken again to the bit from the configuration alone", async () => {
    const { records, config, told } = await changed();
    const again = await trainRun(config(), createNodeHost());
    expect(rewards(again.steps)).toEqual(rewards(records()));
    const evaluations = told("evaluation").map(({ record }) => record);
    expect(again.evaluations).toEqual(evaluations);
  });

  it("hold in the run's save, and in a fork before them and behind them", async () => {
    const store = memoryStore();
    const run = await engineWith(createNodeHost({ store }));
    await run.engine.ask({ type: "start", runId: "live", config: CONFIG, paused: true });
    for (let step = 0; step < 4; step++) await run.engine.ask({ type: "advance", unit: "step" });
    await run.engine.ask({ type: "set", settings: OTHER });
    for (let step = 4; step < 8; step++) await run.engine.ask({ type: "advance", unit: "step" });
    await run.engine.ask({ type: "save" });
    const whole = await changed();
    for (const [from, at] of [
      ["fork", 2],
      ["fork", 6],
    ] as const) {
      await run.engine.ask({ type: from, runId: "live", step: at, forkAs: `fork-${at}`, paused: true });
      const count = run.records().length;
      await run.engine.ask({ type: "advance", unit: "step" });
      const [next] = run.records().slice(count);
      expect(next!.metrics.reward).toBe(
        at === 6
          ? whole.records()[at]!.metrics.reward
          : (await trainRun({ ...CONFIG, steps: 3 }, createNodeHost())).steps[2]!.metrics.reward,
      );
    }
    const fresh = await engineWith(createNodeHost({ store }));
    await fresh.engine.ask({ type: "continue", runId: "live", paused: true });
    await fresh.engine.ask({ type: "advance", unit: "step" });
    expect(fresh.records().at(-1)!.metrics.reward).toBe(whole.records()[8]!.metrics.reward);
  });

  it("change a fork from its step on", async () => {
    const run = await engineWith();
    await run.engine.ask({ type: "start", runId: "live", config: { ...CONFIG, steps: 6 } });
    while (run.records().length < 6) await new Promise((resolve) => setTimeout(resolve, 20));
    await run.engine.ask({ type: "stop" });
    await run.engine.ask({ type: "fork", runId: "live", step: 4, forkAs: "fork", paused: true, settings: OTHER });
    await run.engine.ask({ type: "advance", unit: "step" });
    expect(run.records().at(-1)!.metrics.reward).toBe((await changed()).records()[4]!.metrics.reward);
  });

  it("are refused as at a start, and leave the run as it is", async () => {
    const { engine, records, told } = await engineWith();
    await engine.ask({ type: "start", runId: "live", config: CONFIG, paused: true });
    const refused = (settings: object, sentence: string) =>
      expect(engine.ask({ type: "set", settings } as never)).rejects.toThrow(sentence);
    await refused({ customRewards: { mine: { source: EVEN, cases: [{ text: "13", earns: 1 }] } } }, '"13" must earn 1, got 0');
    await refused({ rewardWeights: { nobody: 1 } }, "rewardWeights must name rewards of the task digit-sum");
    await refused({ customRewards: { sumCloseness: { source: EVEN } } }, "must have another name");
    expect(told("settings")).toEqual([]);
    await engine.ask({ type: "advance", unit: "step" });
    expect(rewards(records())).toEqual(rewards((await trainRun({ ...CONFIG, steps: 1 }, createNodeHost())).steps));
  });

  it("name the change that a configuration gets wrong", async () => {
    const changes = [{ afterStep: 2, settings: { customRewards: { "1st": { source: EVEN } } } }];
    await expect(trainRun({ ...CONFIG, changes }, createNodeHost())).rejects.toThrow("customRewards must be named by a small letter");
  });
});

/** A host that asks before code runs. */
function asking() {
  const read = new Set<string>();
  const consent: Consent = {
    allows: (source) => read.has(source),
    allow: (sources) => {
      for (const source of sources) read.add(source);
    },
  };
  return createNodeHost({ consent, store: memoryStore() });
}

describe("code that nobody here has read", () => {
  const UNREAD = "must be read and allowed before it runs";
  const withChange = { ...CONFIG, changes: [{ afterStep: 2, settings: { customRewards: { mine: { source: RISING } } } }] };

  it("is not run by a start whose changes bring it, a change on the way, or a look back", async () => {
    const { engine } = await engineWith(asking());
    await expect(engine.ask({ type: "start", runId: "a", config: withChange })).rejects.toThrow(UNREAD);
    await engine.ask({ type: "start", runId: "a", config: CONFIG, paused: true });
    await engine.ask({ type: "advance", unit: "step" });
    await expect(engine.ask({ type: "set", settings: OTHER })).rejects.toThrow(UNREAD);
    const rescore = { type: "otherwise", step: 1, settings: OTHER } as const;
    await expect(engine.ask(rescore)).rejects.toThrow(UNREAD);
    await engine.ask({ type: "allow-code", sources: [EVEN] });
    expect((await engine.ask(rescore)).groups[0]!.trajectories[0]!.rewardParts.map(({ name }) => name)).toContain("mine");
    await engine.ask({ type: "set", settings: OTHER });
  });

  it("is not run by going on, a fork, a race's copy or a recording's rollouts under other weights", async () => {
    const store = memoryStore();
    const made = await engineWith(createNodeHost({ store }));
    await made.engine.ask({ type: "start", runId: "a", config: { ...CONFIG, ...OTHER, steps: 3 }, paused: true });
    for (let step = 0; step < 3; step++) await made.engine.ask({ type: "advance", unit: "step" });
    // Another run lets the first one go.
    await made.engine.ask({ type: "start", runId: "other", config: CONFIG, paused: true });
    const host = { ...asking(), store };
    const { engine } = await engineWith(host);
    await expect(engine.ask({ type: "continue", runId: "a" })).rejects.toThrow(UNREAD);
    await expect(engine.ask({ type: "continue", runId: "a", copyAs: "b" })).rejects.toThrow(UNREAD);
    await expect(engine.ask({ type: "fork", runId: "a", step: 2, forkAs: "c" })).rejects.toThrow(UNREAD);
    await engine.ask({ type: "open", runId: "a", step: 2, paused: true });
    await expect(engine.ask({ type: "otherwise", step: 1, settings: { rewardWeights: { mine: 2 } } })).rejects.toThrow(UNREAD);
    await engine.ask({ type: "allow-code", sources: [EVEN] });
    await engine.ask({ type: "otherwise", step: 1, settings: { rewardWeights: { mine: 2 } } });
    await engine.ask({ type: "continue", runId: "a", paused: true });
  });
});

describe("settings that are set while a run goes on", () => {
  it.each<[RunConfigInput, RunConfigInput, string]>([
    [{ klCoef: 0.05, klTarget: 0.1 }, { klCoef: 0 }, "klCoef must be > 0 with klTarget"],
    [{ warmupSteps: 5 }, { steps: 5 }, "warmupSteps must be < steps 5"],
    [{ algorithm: "grpo", clipHigh: 0.2, clipDelta: 1.3 }, { clipHigh: 0.4 }, "clipDelta must be 0 or > 1 + clipHigh"],
  ])("are checked with those in force and refused whole: %j, then %j", async (config, settings, rule) => {
    const store = memoryStore();
    const { engine, told } = await engineWith(createNodeHost({ store }));
    const given = { ...CONFIG, ...config };
    await engine.ask({ type: "start", runId: "live", config: given, paused: true });
    await engine.ask({ type: "advance", unit: "step" });
    await expect(engine.ask({ type: "set", settings: settings as Partial<RunConfig> })).rejects.toThrow(rule);
    expect(told("settings")).toEqual([]);
    await engine.ask({ type: "advance", unit: "step" });
    await engine.ask({ type: "save" });
    await engine.ask({ type: "reset" }).catch(() => {});
    // A configuration that would come to the same on its way is refused at the start.
    const changes = [{ afterStep: 1, settings: settings as Record<string, number> }];
    await expect(engine.ask({ type: "start", runId: "carried", config: { ...given, changes } })).rejects.toThrow(rule);
  });
});
