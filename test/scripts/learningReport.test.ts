import { expect, test } from "vitest";
import { unheld } from "../../scripts/testing/learningReport.mjs";

const said = { sampled: 0.25, greedy: 0.44, gain: 0.15 };
const run = { accuracy: 0.5, lift: 0.25, liftInterval: [0.2, 0.3], greedy: { accuracy: 0.6, lift: 0.16 } } as const;

test("a run that starts where its file says and gains as much holds", () => {
  expect(unheld(said, run)).toEqual([]);
});

test("a run that starts elsewhere, gains too little or perhaps nothing is told with its numbers", () => {
  expect(unheld(said, { ...run, lift: 0.19 })).toEqual(["it starts at 31.0 % right (sampled), not near 25.0 %"]);
  expect(unheld(said, { ...run, greedy: { accuracy: 0.6, lift: 0.1 } })).toEqual(["it starts at 50.0 % right (greedy), not near 44.0 %"]);
  expect(unheld(said, { ...run, accuracy: 0.38, lift: 0.13 })).toEqual(["it gained 13.0 %, not more than 15.0 %"]);
  expect(unheld(undefined, { ...run, liftInterval: [-0.01, 0.3] })).toEqual(["its lift may be -1.0 %"]);
});
