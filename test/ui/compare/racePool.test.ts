// Races on real engines in this process: the pool cannot tell them from workers.
import { afterEach, describe, expect, it } from "vitest";
import type { EngineEvent } from "../../../src/protocol/messages.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { createSession } from "../../../src/train/run/session.ts";
import type { EngineLink, OpenLink } from "../../../src/ui/client.ts";
import { forkedRacer, type PlannedRacer, plannedRacers } from "../../../src/ui/compare/racePlan.ts";
import { RacePool } from "../../../src/ui/compare/racePool.ts";
import { NO_RACE, newRacer, runOf, useRace } from "../../../src/ui/compare/raceStore.ts";
import { resolveInput } from "../../../src/ui/store/draftConfig.ts";
import { createRunView } from "../../../src/ui/store/runView.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

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
  const isOver = () => useRace.getState().racers.every(({ status, isScreen }) => status === "done" || isScreen);
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

const racer = (id: string) => useRace.getState().racers.find((each) => each.id === id)!;
const metric = (id: string, key: string) => Array.from(racer(id).view.metrics.series(key).values);
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
    expect(useRace.getState().racers.map(({ status }) => status)).toEqual(["running", "running", "waiting"]);
    await ended();
    const { racers } = useRace.getState();
    expect(racers.map(runOf).map((run) => [run.state, run.step, run.evaluations.length])).toEqual(racers.map(() => ["finished", 30, 3]));
    expect([most(), now()]).toEqual([2, 0]);
    // Their rollouts are there to be opened.
    expect(racers.map(({ view }) => view.groups.at(30)?.groups[0]?.trajectories.length)).toEqual(racers.map(() => table.groupSize));
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
    const [bad, fine] = useRace.getState().racers.map(runOf);
    expect([bad?.state, bad?.stateReason]).toEqual(["failed", "groupSize must be >= 2, got 1"]);
    expect(fine).toMatchObject({ state: "finished", step: 30 });
  });

  it("stops where it is, and forgets no result", async () => {
    const { open, now } = engines();
    enter(plannedRacers(catalog, { ...table, steps: 100_000, evalEvery: 0 }, "learningRate", [0.5, 0.1]));
    const pool = new RacePool(open, 2, createRunView());
    pool.launch();
    while (racer("A").view.metrics.lastStep === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    pool.stop();
    const { racers } = useRace.getState();
    expect(racers.map((each) => [each.status, runOf(each).state, runOf(each).stateReason])).toEqual(
      racers.map(() => ["done", "finished", "stopped"]),
    );
    expect([now(), runOf(racers[0]!).step > 0]).toEqual([0, true]);
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
    const trunk: PlannedRacer = { id: "A", label: "the run", short: "the run", input: config, config, problems: [], forkStep: null };
    const branch = forkedRacer(catalog, config, 12, "learningRate", 0.02, 1);
    useRace.setState({ racers: [newRacer(trunk, true), newRacer(branch)], paused: false });
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
