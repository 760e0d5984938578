// What stands above a race that goes on.
import { expect, it } from "vitest";
import type { RunFacts } from "../../../../src/ui/engine/store/runFacts.ts";
import { raceStateText } from "../../../../src/ui/experiment/compare/raceState.ts";
import { newRacer, type RunStatus } from "../../../../src/ui/experiment/compare/raceStore.ts";

/** A racer whose runs are as far as these. */
function racer(id: string, runs: readonly (readonly [RunStatus, RunFacts["state"]])[]) {
  const plan = { id, label: id, short: id, input: {}, config: null, problems: [], seeds: runs.map((_, seed) => seed), forkStep: null };
  const fresh = newRacer(plan);
  for (const [i, run] of fresh.runs.entries()) run.view.facts.setState({ state: runs[i]![1] });
  return { ...fresh, runs: fresh.runs.map((run, i) => ({ ...run, status: runs[i]![0] })) };
}

it("counts runs that go on, are prepared, wait, are finished and have failed apart", () => {
  const racers = [
    racer("A", [
      ["running", "running"],
      ["waiting", "idle"],
      ["done", "failed"],
    ]),
    racer("B", [
      ["running", "preparing"],
      ["done", "finished"],
      ["waiting", "idle"],
    ]),
  ];
  expect(raceStateText(racers, false)).toBe("6 runs: 1 running, 1 preparing, 2 waiting, 1 finished, 1 failed");
  expect(raceStateText(racers, true)).toBe("6 runs: 1 paused, 1 preparing, 2 waiting, 1 finished, 1 failed");
  expect(raceStateText([racer("A", [["done", "finished"]]), racer("B", [["done", "finished"]])], false)).toBe("Finished: 2 racers");
});
