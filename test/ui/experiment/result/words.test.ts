// What stands above an experiment and beside its runs: how far each is.
import { describe, expect, it } from "vitest";
import type { RunFacts } from "../../../../src/ui/engine/store/runFacts.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { combinationState, runStates, shareDone, stateText } from "../../../../src/ui/experiment/result/words.ts";
import type { Combination, ExperimentRun, RunStatus } from "../../../../src/ui/experiment/run/experiments.ts";
import { tableConfig } from "../../engine/store/events.ts";

const config = { ...tableConfig, steps: 4 };

function run(seed: number, status: RunStatus, facts: Partial<RunFacts>): ExperimentRun {
  const view = createRunView();
  view.facts.setState({ config, ...facts });
  return { id: `run-${seed}`, seed, config, status, view, isElsewhere: false };
}

/** A combination whose runs are as far as these. */
function combination(id: string, runs: readonly (readonly [RunStatus, Partial<RunFacts>])[]): Combination {
  const own = runs.map(([status, facts], seed) => run(seed, status, facts));
  return { id, label: id, short: id, config, forkStep: null, runs: own };
}

const failed = { state: "failed", step: 1, stateReason: "groupSize must be >= 2, got 1" } as const;
const done = ["done", { state: "finished", step: 4 }] as const;

describe("an experiment in words", () => {
  it("counts runs that go on, are prepared, wait, are finished and have failed apart", () => {
    const combinations = [
      combination("A", [
        ["running", { state: "running" }],
        ["waiting", { state: "idle" }],
        ["done", failed],
      ]),
      combination("B", [["running", { state: "preparing" }], done, ["waiting", { state: "idle" }]]),
    ];
    const counted = "6 runs: 1 finished, 1 running, 1 being prepared, 2 waiting, 1 failed";
    for (const counts of ["configuration", "run"] as const) expect(stateText(combinations, counts)).toBe(counted);
  });

  it("says that all are over by what is counted, and how many failed", () => {
    const two = [combination("A", [done]), combination("B", [done])];
    expect(stateText(two, "configuration")).toBe("Finished: 2 configurations");
    expect(stateText(two, "run")).toBe("Finished: 2 runs");
    expect(stateText([two[0]!, { ...two[1]!, forkStep: 3 }], "configuration")).toBe("Finished: one branch");
    const ended = [two[0]!, combination("B", [["done", failed]])];
    expect(stateText(ended, "configuration")).toBe("Ended; 1 of 2 failed");
    expect(stateText(ended, "run")).toBe("2 runs: 1 finished, 1 failed");
  });

  it("tells runs that stand in the middle from those that have not begun, and where each is", () => {
    const interrupted = ["waiting", { state: "paused", step: 2 }] as const;
    const both = combination("B", [["running", { state: "running", step: 2 }], interrupted]);
    expect(stateText([combination("A", [done, ["done", failed]]), both], "run")).toBe(
      "4 runs: 1 finished, 1 running, 1 interrupted, 1 failed",
    );
    expect(combinationState(both)).toBe("1 running, 1 interrupted");
    expect(shareDone([combination("A", [done, ["done", failed]]), both])).toBeCloseTo((4 + 1 + 2 + 2) / 16);
    expect(runStates(combination("A", [["done", failed]]), false)).toEqual(["step 1 of 4, failed: groupSize must be >= 2, got 1"]);
    expect(runStates(both, true)).toEqual(["seed 0: step 2 of 4, running", "seed 1: step 2 of 4, stopped"]);
    expect(runStates(combination("C", [done, done]), false)).toEqual(["2 seeds: step 4 of 4, finished"]);
  });
});
