// What a run with the real SmolLM2 takes of a tab: 4 prompts x 4 completions of 48 tokens, adapters of rank 8. The page
// must be built.
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { expect, it } from "vitest";
import { serve } from "../../scripts/serve.mjs";
import { findBrowser, playwrightFlags } from "../../scripts/testing/browser.mjs";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { bytesText } from "../../src/protocol/memory.ts";
import { estimateRun } from "../../src/train/memory/memoryCheck.ts";
import { planRun } from "../../src/train/start/plan.ts";
import type {} from "../../src/ui/shell/api.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { SMOLLM2, smollm2Folder } from "../support/smollm2.ts";
import { EAGER_MEASURE, tabMemory } from "../support/tabMemory.ts";

const run: RunConfigInput = {
  ...{ task: "prompts", taskOptions: { prompts: "Ask me one short question about {thing}.", wanted: "question" }, checkpoint: SMOLLM2 },
  ...{ backend: "wasm", threads: 2, steps: 1, promptsPerStep: 4, groupSize: 4, maxCompletionTokens: 48, evalEvery: 0 },
  ...{ loraRank: 8, loraAlpha: 32, learningRate: 3e-4, klCoef: 0, measureUpdate: false },
};

it("SmolLM2-135M trains in a tab of at most 700 MB, and as much as is estimated within a quarter", { timeout: 900_000 }, async () => {
  const folder = await smollm2Folder();
  const { bytes: estimate } = await estimateRun(planRun({ config: run }), createNodeHost({ openModel: async () => folder }));
  const models = join(import.meta.dirname, "..", "..", ".cache", "models");
  const server = await serve({ port: 4393, host: "localhost", models });
  const browser = await chromium.launch({ executablePath: findBrowser() ?? "", args: [...playwrightFlags, EAGER_MEASURE] });
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}#/train`);
    await page.waitForFunction(() => window.rolloutLab?.snapshot().engine === "ready");
    const before = await tabMemory(page, browser);
    await page.evaluate((config) => window.rolloutLab.start(config), run);
    await page.waitForFunction(() => window.rolloutLab.snapshot().state === "finished", undefined, { timeout: 800_000 });
    const after = await tabMemory(page, browser);
    const grown = (after.resident ?? 0) - (before.resident ?? 0);
    console.log(`estimated ${bytesText(estimate)}, the tab ${bytesText(after.told)}, its process grew by ${bytesText(grown)}`);
    expect(after.told).toBeLessThan(700e6);
    expect(estimate / (after.told - before.told)).toBeGreaterThan(0.75);
    expect(estimate / (after.told - before.told)).toBeLessThan(1.25);
  } finally {
    await browser.close();
    server.close();
  }
});
