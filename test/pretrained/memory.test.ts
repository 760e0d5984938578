// What a run with the real SmolLM2 takes of the memory: 4 prompts x 4 completions of 48 tokens, adapters of rank 8.
import { expect, it } from "vitest";
import { trainRun } from "../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { bytesText } from "../../src/protocol/memory.ts";
import { estimateRun } from "../../src/train/memory/memoryCheck.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { wasmPeak } from "../support/memoryPeak.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { SMOLLM2, smollm2Folder } from "../support/smollm2.ts";

const run: RunConfigInput = {
  ...{ task: "prompts", taskOptions: { prompts: "Ask me one short question about {thing}.", wanted: "question" }, checkpoint: SMOLLM2 },
  ...{ backend: "wasm", threads: 2, steps: 1, promptsPerStep: 4, groupSize: 4, maxCompletionTokens: 48, evalEvery: 0 },
  ...{ loraRank: 8, loraAlpha: 32, learningRate: 3e-4, klCoef: 0, measureUpdate: false },
};

it("SmolLM2-135M trains within 700 MB, and as much as is estimated within a quarter", { timeout: 600_000 }, async () => {
  const folder = await smollm2Folder();
  const host = createNodeHost({ openModel: async () => folder });
  const { bytes, parts } = await estimateRun(planRun({ config: run }), host);
  const ofKernels = parts.filter(({ holder }) => holder === "backend").reduce((sum, part) => sum + part.bytes, 0);
  const before = process.memoryUsage().rss;
  const kernels = await wasmPeak(() => trainRun(run, host));
  // The highest that the process ever stood at, above where it was. Pages that short answers leave untouched are not in it.
  const peak = 1024 * process.resourceUsage().maxRSS - before;
  console.log(`estimated ${bytesText(bytes)}, kernels' memory ${bytesText(kernels)}, the process grew by ${bytesText(peak)}`);
  expect(kernels).toBeLessThan(700e6);
  expect(peak).toBeLessThan(700e6);
  expect(bytes).toBeLessThan(700e6);
  expect(ofKernels / kernels).toBeGreaterThan(0.75);
  expect(ofKernels / kernels).toBeLessThan(1.25);
});
