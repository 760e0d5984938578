// Experiments on real engines in this process: the pool cannot tell them from workers.
import { afterEach, describe, expect, it } from "vitest";
import type { RunConfig } from "../../../../src/protocol/config.ts";
import type { EngineEvent } from "../../../../src/protocol/messages.ts";
import type { ExperimentPlan, Setting } from "../../../../src/protocol/run/experimentPlan.ts";
import { USUAL_READING } from "../../../../src/rl/race/axis.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { createSession } from "../../../../src/train/run/session.ts";
import type { EngineLink, OpenLink } from "../../../../src/ui/engine/openWorkers.ts";
import { resolveInput } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { branchOf, draftedOf, planOf, trunkPlan, withBranch } from "../../../../src/ui/experiment/plan/drafted.ts";
import { baseOf, newSetup } from "../../../../src/ui/experiment/plan/setup.ts";
import { judged } from "../../../../src/ui/experiment/result/judged.ts";
import { EnginePool, type PoolPage } from "../../../../src/ui/experiment/run/enginePool.ts";
import {
  combinationsOfPlan,
  factsOf,
  isAllOver,
  loadedRuns,
  NO_EXPERIMENTS,
  putLoaded,
  setRunStatus,
  showRecords,
  statusOf,
  useExperiments,
} from "../../../../src/ui/experiment/run/experiments.ts";
import { race } from "../../../../src/ui/experiment/shapes/race.ts";
import { createNodeHost } from "../../../support/nodeHost.ts";

const table = resolveInput(catalog, { task: "digit-sum", steps: 30, evalEvery: 15, evalProblems: 4, seed: 0 }).config!;
const ID = "race-1";

/** Counts engines that are open at once. */
function engines(): { readonly open: OpenLink; readonly most: () => number; readonly now: () => number } {
  let now = 0;
  let most = 0;
  const open: OpenLink = ({ onEvents }): EngineLink => {
    now += 1;
    most = Math.max(most, now);
    let closed = false;
    const session = createSession((event: EngineEvent) => queueMicrotask(() => !closed && onEvents([event])), createNodeHost());
    return {
      post: (command) => void session.then((engine) => engine.handle(command)),
      close: () => {
        now -= 1;
        closed = true;
        void session.then((engine) => engine.handle({ id: 0, type: "reset" }));
      },
    };
  };
  return { open, most: () => most, now: () => now };
}

let named = 0;
const newId = () => `run-${++named}`;

function planned(run: RunConfig, values: readonly Setting[], seeds = 1): ExperimentPlan {
  const setup = { ...newSetup(race), base: baseOf(catalog, run), over: [{ field: "learningRate", values }], seeds };
  return planOf(draftedOf(catalog, setup, { presetId: "", edits: {} }), "race 1", newId);
}

/** A pool for a plan, and a promise of its end. */
function enter(plan: ExperimentPlan, open: OpenLink, cores: number, page: Partial<PoolPage> = {}) {
  putLoaded(ID, { combinations: combinationsOfPlan(catalog, plan) });
  let onOver = () => {};
  const over = new Promise<void>((resolve) => {
    onOver = resolve;
  });
  const pool = new EnginePool(ID, open, {
    ...{ cores, keepsRollouts: true, saveOf: () => undefined, onSaved: () => {}, onEnded: () => {}, onOver },
    order: () => plan.runs.map(({ runId }) => runId),
    ...page,
  });
  return { pool, over };
}

const combinations = () => useExperiments.getState().loaded[ID]!.combinations;
const runs = () => loadedRuns(ID);
/** A combination's first run. */
const first = (id: string) => combinations().find((each) => each.id === id)!.runs[0]!;
const metric = (id: string, key: string) => Array.from(first(id).view.metrics.series(key).values);
const rewards = (id: string) => metric(id, "reward");

afterEach(() => {
  useExperiments.setState(NO_EXPERIMENTS);
});

describe("a race", () => {
  it("runs every configuration to its end, no more at once than there are cores", async () => {
    const { open, most, now } = engines();
    const plan = planned(table, [0.5, 0.25, 0.05]);
    // The first two are one setting.
    plan.combinations[1]!.settings.learningRate = 0.5;
    const { pool, over } = enter(plan, open, 2);
    pool.launch();
    expect(runs().map(({ status }) => status)).toEqual(["running", "running", "waiting"]);
    await over;
    expect(isAllOver(combinations())).toBe(true);
    expect(
      runs()
        .map(factsOf)
        .map((run) => [run.state, run.step, run.evaluations.length]),
    ).toEqual(runs().map(() => ["finished", 30, 3]));
    expect([most(), now()]).toEqual([2, 0]);
    // Their rollouts are there to be opened: all groups of some steps, from the first to the last.
    for (const { view } of runs()) {
      expect([view.groups.heldSteps()[0], view.groups.heldSteps().at(-1)]).toEqual([1, 30]);
      for (const step of [1, 30]) expect(view.groups.at(step)?.groups).toHaveLength(table.promptsPerStep);
      expect(view.groups.at(30)?.groups[0]?.trajectories).toHaveLength(table.groupSize);
    }
    // One seed: the same value gives the same rewards, another value others.
    expect(rewards("A")).toHaveLength(30);
    expect(rewards("B")).toEqual(rewards("A"));
    expect(rewards("C")).not.toEqual(rewards("A"));
  });

  it("tells why a configuration failed and goes on with the others", async () => {
    const plan = planned(table, [0.5, 0.1]);
    plan.combinations[0]!.settings.groupSize = 1;
    const failures: unknown[] = [];
    const { pool, over } = enter(plan, engines().open, 1, { onEnded: (id, why) => failures.push([id, why]) });
    pool.launch();
    await over;
    const [bad, fine] = runs().map(factsOf);
    expect([bad?.state, bad?.stateReason]).toEqual(["failed", "groupSize must be >= 2, got 1"]);
    expect(fine).toMatchObject({ state: "finished", step: 30 });
    expect(failures).toEqual([
      [plan.runs[0]!.runId, "groupSize must be >= 2, got 1"],
      [plan.runs[1]!.runId, null],
    ]);
  });

  it("runs each configuration once from each seed and judges them over the seeds", async () => {
    const { pool, over } = enter(planned(table, [0.5, 0], 2), engines().open, 2);
    pool.launch();
    await over;
    expect(combinations().map(({ id, runs: own }) => [id, ...own.map((run) => factsOf(run).config?.seed)])).toEqual([
      ["A", 0, 1],
      ["B", 0, 1],
    ]);
    const bySteps = judged(combinations(), USUAL_READING, "race");
    expect(bySteps).toMatchObject({ at: 30, seeds: 2, measure: { id: "sampled" } });
    // The reached values are the engine's own.
    const accuracies = runs().map((run) => factsOf(run).evaluations.at(-1)?.sampledAccuracy);
    expect(bySteps.standings.flatMap(({ reached }) => reached.values)).toEqual(accuracies);
    const tokens = runs().map(({ view }) => view.metrics.series("num_tokens").values.at(-1)!);
    expect(judged(combinations(), { ...USUAL_READING, axis: "tokens" }, "race").at).toBe(Math.min(...tokens));
    expect(judged(combinations(), { ...USUAL_READING, axis: "updates" }, "race").at).toBe(30);
  });

  it("ends where it stands, forgets no result, and goes on from there after a reload, to the same bits", async () => {
    const { open, now } = engines();
    const plan = planned({ ...table, steps: 400, evalEvery: 0 }, [0.5, 0.1]);
    const { pool } = enter(plan, open, 2);
    pool.launch();
    while (first("A").view.metrics.lastStep === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    await pool.close();
    expect(now()).toBe(0);
    const stood = factsOf(first("A"));
    expect([first("A").status, stood.state, stood.stateReason]).toEqual(["waiting", "paused", "kept"]);
    expect(stood.step).toBeGreaterThan(0);
    const kept = first("A").view.metrics.records();
    // The page is opened anew: what the plan, the failures and the saves say is all there is.
    useExperiments.setState(NO_EXPERIMENTS);
    const there = enter(JSON.parse(JSON.stringify(plan)), engines().open, 2);
    showRecords(first("A"), { config: first("A").config, steps: kept, evaluations: [], baselines: [], probed: null });
    setRunStatus(ID, first("A").id, statusOf(undefined, undefined));
    expect([factsOf(first("A")).step, first("A").status, first("B").status]).toEqual([stood.step, "waiting", "waiting"]);
    there.pool.launch();
    await there.over;
    expect(rewards("A").slice(0, kept.length)).toEqual(kept.map(({ metrics }) => metrics.reward));
    expect(runs().map((run) => factsOf(run).step)).toEqual([400, 400]);
  });
});

describe("a fork", () => {
  it("is the run to the bit up to its step, and another one after it; the pool leaves the run itself alone", async () => {
    const branch = branchOf(catalog, table, 12, "learningRate", 0.02);
    const { pool: whole, over: ended } = enter(
      withBranch(trunkPlan("fork", table, "fork 1", null, newId), branch, newId),
      engines().open,
      2,
    );
    whole.launch();
    await ended;
    expect(rewards("A")).toHaveLength(30);
    // The change holds from step 13 on; the rewards of step 13 were sampled before its first update.
    expect(rewards("B").slice(0, 13)).toEqual(rewards("A").slice(0, 13));
    expect(rewards("B").slice(13)).not.toEqual(rewards("A").slice(13));
    expect(metric("B", "learning_rate").slice(11, 14)).toEqual([0.5, 0.02, 0.02]);
    const alone = rewards("B");
    const { pool, over } = enter(withBranch(trunkPlan("fork", table, "fork 2", "run-on-screen", newId), branch, newId), engines().open, 2);
    pool.launch();
    await over;
    expect([first("A").status, first("A").view.metrics.lastStep]).toEqual(["waiting", 0]);
    expect(rewards("B")).toEqual(alone);
  });
});
