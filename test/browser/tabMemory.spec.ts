// What a run with adapters beside a frozen base takes of the tab: as much as its estimate says, by the browser's own
// figures and by what the tab's process stands at.

import { findBrowser, playwrightFlags } from "../../scripts/testing/browser.mjs";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { estimateRun } from "../../src/train/memory/memoryCheck.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { isLong, longOnly } from "../support/long.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { EAGER_MEASURE, tabMemory } from "../support/tabMemory.ts";
import { expect, openLab, reach, test } from "./lab.ts";

/** Wide and deep enough that weights and activations outweigh the page, in a pretrained model's proportions. */
const run: RunConfigInput = {
  ...{ task: "boxed-arithmetic", startFrom: "random", model: "transformer", backend: "wasm", threads: 2, steps: 1, evalEvery: 0 },
  ...{ hiddenSize: 256, layers: 8, heads: 4, kvHeads: 2, intermediateSize: 704, loraRank: 8, klCoef: 0, measureUpdate: false },
  ...{ promptsPerStep: 4, groupSize: 4, maxCompletionTokens: 32, evalProblems: 4, evalSamples: 1 },
};

test.use({ launchOptions: { executablePath: findBrowser() ?? "", args: [...playwrightFlags, EAGER_MEASURE] } });

test(longOnly("a run with adapters takes of the tab what is estimated, within a quarter"), async ({ page, browser }) => {
  test.skip(!isLong);
  test.slow();
  await openLab(page);
  const { bytes: estimate } = await estimateRun(planRun({ config: run }), createNodeHost());
  const before = await tabMemory(page, browser);
  await page.evaluate((config) => window.rolloutLab.start(config), run);
  await reach(page, "finished");
  const after = await tabMemory(page, browser);
  expect(estimate / (after.told - before.told)).toBeGreaterThan(0.75);
  expect(estimate / (after.told - before.told)).toBeLessThan(1.25);
  if (after.resident === null || before.resident === null) return;
  expect(estimate / (after.resident - before.resident)).toBeGreaterThan(0.75);
  expect(estimate / (after.resident - before.resident)).toBeLessThan(1.25);
});
