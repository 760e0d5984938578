// What waits for the screen is small, and says the same in the end as every event by itself.
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { EngineEvent, StepGroups } from "../../src/protocol/messages.ts";
import { EngineClient } from "../../src/ui/engine/client.ts";
import { EventQueue } from "../../src/ui/engine/eventQueue.ts";
import type { LinkListeners } from "../../src/ui/engine/openWorkers.ts";
import { createRunView } from "../../src/ui/engine/store/runView.ts";
import { event, started, steps, tableConfig } from "./engine/store/events.ts";

function groups(step: number, prompt = "", runId = "run-a"): EngineEvent {
  const summaries = [{ step, promptIndex: 0, prompt, meanReward: 0, rewardStd: 0, successRate: 0, largestAdvantage: 0 }];
  const held: StepGroups = { step, phase: "update", config: tableConfig, summaries, groups: [], oldestStep: 0 };
  return event({ type: "groups", ...held }, runId);
}

const phase = (step: number, done: number, runId = "run-a") => event({ type: "phase", step, phase: "sample", done, total: 100 }, runId);

function queued(events: readonly EngineEvent[]): readonly EngineEvent[] {
  const queue = new EventQueue();
  for (const each of events) queue.add(each);
  return queue.take();
}

describe("events that wait", () => {
  it("are the newest of what only the newest counts of, and every step", () => {
    const waiting = queued([phase(1, 5), steps(1, 2), groups(2), phase(3, 5), steps(3, 3), groups(3), phase(4, 9)]);
    expect(waiting).toEqual([steps(1, 3), groups(3), phase(4, 9)]);
  });

  it("are not gathered across the begin of a run, whether or not it is the same run", () => {
    const events = [steps(1, 3), phase(4, 1), started("run-a", 2), steps(3, 4), phase(5, 1)];
    expect(queued(events)).toEqual(events);
  });

  it("leave the events that brought them as they were", () => {
    const first = steps(1, 2);
    queued([first, steps(3, 4)]);
    expect(first).toEqual(steps(1, 2));
  });

  it("give the same facts and metrics as every event by itself", () => {
    const runs = fc.constantFrom("run-a", "run-b");
    const small = fc.integer({ min: 0, max: 9 });
    const any: fc.Arbitrary<EngineEvent> = fc.oneof(
      fc.tuple(small, runs).map(([step, run]) => started(run, step)),
      fc.tuple(small, small, runs).map(([first, more, run]) => steps(first + 1, first + 1 + more, run)),
      fc.tuple(small, small, runs).map(([step, done, run]) => phase(step, done, run)),
      fc.tuple(small, runs).map(([step, run]) => groups(step, "", run)),
      fc.tuple(small, runs).map(([step, run]) => event({ type: "saved", step, bytes: 8, kept: [] }, run)),
      fc.tuple(small, runs).map(([done, run]) => event({ type: "preparing", what: "weights", done, total: 9 }, run)),
      fc.tuple(fc.constantFrom("idle", "preparing", "running", "paused"), runs).map(([state, run]) => event({ type: "state", state }, run)),
      fc.tuple(fc.string(), runs).map(([message, run]) => event({ type: "notice", message }, run)),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), (events) => {
        const [apart, together] = [createRunView(), createRunView()];
        for (const each of events) apart.apply([each]);
        together.apply(queued(events));
        expect(together.facts.getState()).toEqual(apart.facts.getState());
        expect(together.metrics.records()).toEqual(apart.metrics.records());
        expect(together.groups.latestStep ?? -1).toBeLessThanOrEqual(apart.groups.latestStep ?? -1);
      }),
    );
  });
});

describe("a page whose timers rest", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    vi.stubGlobal("setTimeout", () => 0);
    vi.stubGlobal("setInterval", () => 0);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it("hands on what it is told about once a second, and never holds much more than a second of it", () => {
    const view = createRunView();
    const batches: number[] = [];
    const watched = {
      ...view,
      apply: (events: readonly EngineEvent[]) => {
        batches.push(JSON.stringify(events).length);
        view.apply(events);
      },
    };
    const engine = new EngineClient(watched);
    let tell: LinkListeners["onEvents"] = () => {};
    engine.connect(({ onEvents }) => {
      tell = onEvents;
      return { post: () => {}, close: () => {} };
    });
    tell([started()]);
    engine.flush();
    batches.length = 0;
    // A minute of a fast run: 100 messages a second, each with ten steps, a position and a group.
    const text = "x".repeat(20_000);
    const message = (i: number) => [phase(10 * i, 1), steps(10 * i - 9, 10 * i), groups(10 * i, text)];
    let told = 0;
    for (let i = 1; i <= 6000; i++) {
      vi.advanceTimersByTime(10);
      tell(message(i));
      told += JSON.stringify(message(i)).length;
      expect(10 * i - view.facts.getState().step).toBeLessThanOrEqual(1020);
    }
    engine.flush();
    expect(view.metrics.lastStep).toBe(60_000);
    expect(batches.length).toBeGreaterThan(50);
    expect(batches.length).toBeLessThan(70);
    const most = Math.max(...batches);
    expect(most).toBeLessThan(told / 60);
    expect(most).toBeLessThan(100_000);
  });
});

describe("a refusal", () => {
  /** A client whose engine refuses whatever it is asked. */
  function refusing() {
    const engine = new EngineClient(createRunView());
    engine.connect(({ onEvents }) => ({
      post: ({ id }) => queueMicrotask(() => onEvents([{ type: "answer", runId: null, outcome: "failed", id, message: `no: ${id}` }])),
      close: () => {},
    }));
    return engine;
  }

  it("of a look is the asker's alone and leaves no banner over the run", async () => {
    const engine = refusing();
    await expect(engine.request({ type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 0 })).rejects.toThrow("no: 0");
    await expect(engine.request({ type: "inspect", step: 1 })).rejects.toThrow("no: 1");
    expect(engine.view.facts.getState().error).toBeNull();
    engine.close();
  });

  it("of what would change the run is said where the run is", async () => {
    const engine = refusing();
    await expect(engine.request({ type: "advance", unit: "step" })).rejects.toThrow("no: 0");
    expect(engine.view.facts.getState().error).toBe("no: 0");
    engine.close();
  });
});
