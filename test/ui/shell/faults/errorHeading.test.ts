import { describe, expect, it } from "vitest";
import { NO_RUN, type RunFacts, reduceRun } from "../../../../src/ui/engine/store/runFacts.ts";
import { errorHeading } from "../../../../src/ui/shell/faults/EngineNotice.tsx";
import { event, started } from "../../engine/store/events.ts";

const error = (message: string, recoverable = true) => event({ type: "error", message, recoverable });
const state = (to: RunFacts["state"], reason?: string) => event({ type: "state", state: to, ...(reason ? { reason } : {}) });

/** The heading after these events of a run that has started. */
function headingAfter(...events: Parameters<typeof reduceRun>[1][]): string {
  const facts = [started(), ...events].reduce(reduceRun, NO_RUN);
  if (!facts.error) throw new Error("there is no error to head");
  return errorHeading(facts.error, facts);
}

describe("the heading of an error", () => {
  it.each([
    ["The run is paused", [error("not finite"), state("paused", "not finite")]],
    ["The run failed", [error("out of memory", false), state("failed", "out of memory")]],
    ["That did not work", [state("paused"), error("groupSize must be >= 2, got 1")]],
    ["That did not work", [state("paused", "not finite"), error("groupSize must be >= 2, got 1")]],
    ["That did not work", [state("failed", "out of memory"), error("the run has failed: start it anew or continue its save")]],
    ["That did not work", [state("running"), error("step 3 is no longer kept")]],
  ])("is %j after %j", (heading, events) => {
    expect(headingAfter(...events)).toBe(heading);
  });
});
