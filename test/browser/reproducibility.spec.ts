// A seed is a promise: the same configuration gives the same metrics to the bit, twice in a browser and in Node.
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { expect, openLab, runToEnd, TABLE, TINY, testInSamePage as test, timeless } from "./lab.ts";

test.describe.configure({ mode: "default" });

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

for (const [name, config] of [
  ["transformer", RUN],
  ["logits table", { ...TABLE, seed: 5 }],
] as const) {
  test(`the ${name} trains in the page as it does in Node`, async ({ page }) => {
    await openLab(page);
    const { metrics, evaluations } = await runToEnd(page, config);
    const inNode = await trainRun(config, createNodeHost());
    expect(metrics).toHaveLength(inNode.steps.length);
    expect(timeless(metrics)).toEqual(timeless(inNode.steps));
    expect(evaluations).toEqual(inNode.evaluations);
  });
}
