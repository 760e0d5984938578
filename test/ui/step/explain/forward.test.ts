// The way forward from the last phase of the newest step.
import { expect, it } from "vitest";
import { takesMore } from "../../../../src/ui/step/explain/forward.ts";

it("goes on with a run that stands still, and with a recording as far as it reaches", () => {
  expect(takesMore({ state: "paused", recording: null, step: 4 })).toBe(true);
  expect(takesMore({ state: "finished", recording: null, step: 4 })).toBe(true);
  expect(takesMore({ state: "running", recording: null, step: 4 })).toBe(false);
  expect(takesMore({ state: "paused", recording: { lastStep: 5 }, step: 4 })).toBe(true);
  expect(takesMore({ state: "finished", recording: { lastStep: 4 }, step: 4 })).toBe(false);
});
