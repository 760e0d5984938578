// The button of a run says what it does, in every state.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { NO_RUN } from "../../../src/ui/engine/store/runFacts.ts";
import { isMuch, trainAction } from "../../../src/ui/engine/trainAction.ts";

const run = (state: typeof NO_RUN.state, step: number, steps = 100) => ({
  ...NO_RUN,
  runId: "run",
  state,
  step,
  config: runConfigSchema.parse({ steps }),
});
const same = { isOther: false, steps: 100 };

describe("the button of a run", () => {
  it.each([
    ["starts the first run", NO_RUN, same, { does: "start", label: "Train" }],
    ["goes on with a paused one", run("paused", 40), same, { does: "resume", label: "Train" }],
    ["adds as many steps as a run is given", run("finished", 100), same, { does: "extend", label: "Continue 100 more", more: 100 }],
    ["adds no more the second time", run("finished", 200, 200), same, { does: "extend", label: "Continue 100 more", more: 100 }],
    [
      "adds to a paused one that has taken them all",
      run("paused", 101, 101),
      same,
      { does: "extend", label: "Continue 100 more", more: 100 },
    ],
    ["takes the steps that a stop left", run("finished", 40), same, { does: "resume", label: "Continue 60 more" }],
    ["goes on without a limit", run("finished", 40, 0), same, { does: "resume", label: "Continue" }],
    ["runs a failed one again", run("failed", 3), same, { does: "start", label: "Run again" }],
    ["starts what the form describes", run("finished", 100), { ...same, isOther: true }, { does: "start", label: "Start the next run" }],
    ["leaves a paused one to go on", run("paused", 40), { ...same, isOther: true }, { does: "resume", label: "Train" }],
  ])("%s", (_what, facts, form, action) => {
    expect(trainAction(facts, form)).toEqual(action);
  });
});

describe("giving a run up is asked about", () => {
  it.each([
    [20, 0.1, false],
    [21, 0.1, true],
    [12, 7.9, true],
    [3, 9.9, false],
    [3, 10, true],
    [0, 0, false],
  ])("after many steps, or much time in few of them: %i of %f s", (steps, seconds, isAsked) => {
    expect(isMuch(steps, new Float64Array(steps).fill(seconds))).toBe(isAsked);
  });
});
