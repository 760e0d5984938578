// Races on real engines in this process: the pool cannot tell them from workers.
import { afterEach, describe, expect, it } from "vitest";
import type { EngineEvent } from "../../../../src/protocol/messages.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { createSession } from "../../../../src/train/run/session.ts";
import type { EngineLink, OpenLink } from "../../../../src/ui/engine/openWorkers.ts";
import { resolveInput } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { RacePool } from "../../../../src/ui/experiment/compare/racePool.ts";
import { isRaceOver, NO_RACE, newRacer, runOf, useRace } from "../../../../src/ui/experiment/compare/raceStore.ts";
import { judgedRace } from "../../../../src/ui/experiment/compare/result/raceResult.ts";
import { forkedRacer, type PlannedRacer, plannedRacers, trunkRacer } from "../../../../src/ui/experiment/compare/setup/racePlan.ts";
import { createNodeHost } from "../../../support/nodeHost.ts";

const table = resolveInput(catalog, { task: "digit-sum", steps: 30, evalEvery: 15, evalProblems: 4 }).config!;

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

async function ended(): Promise<void> {
  const isOver = () => isRaceOver(useRace.getState().racers);
  await new Promise<void>((resolve) => {
    const stop = useRace.subscribe(() => {
      if (!isOver()) return;
      stop();
      resolve();
    });
  });
}

function enter(planned: readonly PlannedRacer[]): void {
  useRace.setState({ racers: planned.map((plan) => newRacer(plan)), paused: false });
}

const runs = () => useRace.getState().racers.flatMap((racer) => racer.runs);
/** A racer's first run. */
const first = (id: string) => runs().find((run) => run.id === `${id}1`)!;
const metric = (id: string, key: string) => Array.from(first(id).view.metrics.series(key).values);
const rewards = (id: string) => metric(id, "reward");

afterEach(() => {
  useRace.setState(NO_RACE);
});

describe("a race", () => {
  it("runs every racer to its end, no more at once than there are cores", async () => {
    const { open, most, now } = engines();
    enter(plannedRacers(catalog, table, "learningRate", [0.5, 0.5, 0.05]));
    const pool = new RacePool(open, 2, createRunView());
    pool.launch();
    expect(runs().map(({ status }) => status)).toEqual(["running", "running", "waiting"]);
    await ended();
    expect(
      runs()
        .map(runOf)
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

  it("tells why a racer failed and goes on with the others", async () => {
    const good = plannedRacers(catalog, table, "learningRate", [0.5, 0.1]);
    enter([{ ...good[0]!, input: { ...good[0]!.input, groupSize: 1 } }, good[1]!]);
    new RacePool(engines().open, 1, createRunView()).launch();
    await ended();
    const [bad, fine] = runs().map(runOf);
    expect([bad?.state, bad?.stateReason]).toEqual(["failed", "groupSize must be >= 2, got 1"]);
    expect(fine).toMatchObject({ state: "finished", step: 30 });
  });

  it("runs each racer once from each seed and judges them over the seeds", async () => {
    enter(plannedRacers(catalog, table, "learningRate", [0.5, 0], { seeds: 2, ownEpochs: false }));
    new RacePool(engines().open, 2, createRunView()).launch();
    await ended();
    expect(runs().map(({ id }) => [id, runOf(runs().find((run) => run.id === id)!).config?.seed])).toEqual([
      ["A1", 0],
      ["A2", 1],
      ["B1", 0],
      ["B2", 1],
    ]);
    const bySteps = judgedRace(useRace.getState().racers, "steps", null);
    expect(bySteps).toMatchObject({ at: 30, seeds: 2, measure: "sampled" });
    // The reached values are the engine's own.
    const accuracies = runs().map((run) => runOf(run).evaluations.at(-1)?.sampledAccuracy);
    expect(bySteps.standings.flatMap(({ reached }) => reached.values)).toEqual(accuracies);
    const tokens = runs().map(({ view }) => view.metrics.series("num_tokens").values.at(-1)!);
    expect(judgedRace(useRace.getState().racers, "tokens", null).at).toBe(Math.min(...tokens));
    expect(judgedRace(useRace.getState().racers, "updates", null).at).toBe(30);
  });

  it("stops where it is, and forgets no result", async () => {
    const { open, now } = engines();
    enter(plannedRacers(catalog, { ...table, steps: 100_000, evalEvery: 0 }, "learningRate", [0.5, 0.1]));
    const pool = new RacePool(open, 2, createRunView());
    pool.launch();
    while (first("A").view.metrics.lastStep === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    pool.stop();
    expect(runs().map((run) => [run.status, runOf(run).state, runOf(run).stateReason])).toEqual(
      runs().map(() => ["done", "finished", "stopped"]),
    );
    expect([now(), runOf(runs()[0]!).step > 0]).toEqual([0, true]);
    pool.close();
  });
});

describe("a fork", () => {
  it("is the run to the bit up to its step, and another one after it", async () => {
    const screen = createRunView();
    const session = await createSession((event) => screen.apply([event]), createNodeHost());
    await session.handle({ id: 0, type: "start", runId: "run", config: table });
    while (screen.facts.getState().state !== "finished") await new Promise((resolve) => setTimeout(resolve, 20));
    const config = screen.facts.getState().config!;
    const branch = forkedRacer(catalog, config, 12, "learningRate", 0.02, 1);
    useRace.setState({ racers: [newRacer(trunkRacer(config), true), newRacer(branch)], paused: false });
    const pool = new RacePool(engines().open, 2, screen);
    pool.launch();
    await ended();
    expect(rewards("A")).toHaveLength(30);
    // The change holds from step 13 on; the rewards of step 13 were sampled before its first update.
    expect(rewards("B").slice(0, 13)).toEqual(rewards("A").slice(0, 13));
    expect(rewards("B").slice(13)).not.toEqual(rewards("A").slice(13));
    expect(metric("B", "learning_rate").slice(11, 14)).toEqual([0.5, 0.02, 0.02]);
    pool.close();
  });
});
