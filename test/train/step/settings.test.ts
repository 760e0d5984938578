// Settings along a run: the configuration in force carries what repeats the run from its start.
import { expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { Settings } from "../../../src/train/step/settings.ts";

const change = (afterStep: number, settings: Readonly<Record<string, number>>) => ({ afterStep, settings });

/** The learning rate of each of six steps; `byHand` changes it after that many. */
function ratesOf(settings: Settings, byHand: Readonly<Record<number, number>> = {}): readonly number[] {
  return Array.from({ length: 6 }, (_, step) => {
    settings.applyChanges(step);
    const learningRate = byHand[step];
    if (learningRate !== undefined) settings.set({ learningRate }, step);
    settings.applyChanges(step);
    return settings.config.learningRate;
  });
}

it.each([
  ["scheduled changes", [change(2, { learningRate: 0.5 }), change(4, { learningRate: 0.2, klCoef: 0.1 })], {}],
  ["a change by hand before a scheduled one", [change(4, { learningRate: 0.2 })], { 1: 0.7 }],
  ["a change by hand after a scheduled one", [change(1, { learningRate: 0.2 })], { 3: 0.7 }],
  ["a change before the first step", [change(0, { learningRate: 0.2 }), change(3, { learningRate: 0.1 })], {}],
])("after %s the configuration still begins as the run began", (_, changes, byHand) => {
  const first = new Settings(runConfigSchema.parse({ learningRate: 1, changes }));
  const rates = ratesOf(first, byHand);
  const again = new Settings(first.config);
  expect(ratesOf(again)).toEqual(rates);
  // A repetition writes nothing more down.
  expect(again.config).toEqual(first.config);
});
