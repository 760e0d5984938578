// A seed is a promise: the same configuration gives the same metrics to the bit in one browser, and the
// same run in Node, where only the last bits of Math.exp and its like may differ between engine versions.
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import type { StepRecord } from "../../src/protocol/records.ts";
import { expect, openLab, report, runToEnd, TABLE, TINY, test, timeless } from "./lab.ts";

const RUN = { ...TINY, steps: 12, seed: 5, klCoef: 0.02, innerEpochs: 2, backend: "wasm" } as const;

test("the same seed gives the same transformer run twice, another seed another", async ({ page }) => {
  await openLab(page);
  const first = await runToEnd(page, RUN);
  const second = await runToEnd(page, RUN);
  const other = await runToEnd(page, { ...RUN, seed: 6 });
  expect(first.metrics).toHaveLength(12);
  expect(timeless(second.metrics)).toEqual(timeless(first.metrics));
  expect(timeless(other.metrics)).not.toEqual(timeless(first.metrics));
});

/** Largest relative difference of any metric of any step. */
function largestDifference(a: readonly StepRecord[], b: readonly StepRecord[]): number {
  return Math.max(
    ...timeless(a).flatMap(({ metrics }, i) =>
      Object.entries(metrics).map(([key, value]) => {
        const other = b[i]?.metrics[key] ?? Number.NaN;
        return Object.is(value, other) ? 0 : Math.abs(value - other) / Math.max(1e-3, Math.abs(value), Math.abs(other));
      }),
    ),
  );
}

for (const [name, config] of [
  ["transformer", RUN],
  ["logits table", { ...TABLE, seed: 5 }],
] as const) {
  test(`the ${name} trains in the page as it does in Node`, async ({ page }) => {
    await openLab(page);
    const { metrics, evaluations } = await runToEnd(page, config);
    const inNode = await trainRun(config, createNodeHost());
    expect(metrics).toHaveLength(inNode.steps.length);
    report(
      `${name}: largest relative difference between page and Node, in units of 1e-12`,
      largestDifference(metrics, inNode.steps) * 1e12,
      "",
    );
    expect(largestDifference(metrics, inNode.steps)).toBeLessThan(1e-6);
    expect(evaluations.map(({ greedyAccuracy }) => greedyAccuracy)).toEqual(inNode.evaluations.map(({ greedyAccuracy }) => greedyAccuracy));
  });
}
