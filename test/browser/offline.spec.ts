// Downloads that fail while the page is open: the message names the file, the run before goes on, and
// what fails once is tried again.
import type { Page } from "@playwright/test";
import {
  atFullSpeed,
  expect,
  openLab,
  reachStep,
  runToEnd,
  snapshot,
  start,
  startBeside,
  TABLE,
  TINY,
  testInEmptyPage as test,
} from "./lab.ts";

const CHAT = { task: "boxed-arithmetic", steps: 1, promptsPerStep: 2, groupSize: 4, evalEvery: 0, evalProblems: 4 } as const;

/** Lets requests fail as they do without a connection; gives how many there were. */
async function cutOff(page: Page, pattern: string, times = Number.POSITIVE_INFINITY): Promise<() => number> {
  let asked = 0;
  await page.route(pattern, (route) => {
    asked += 1;
    return asked <= times ? route.abort("internetdisconnected") : route.continue();
  });
  return () => asked;
}

/** The run that was halted for another one goes on by itself. */
async function goesOn(page: Page, runId: string): Promise<void> {
  await expect.poll(() => snapshot(page)).toMatchObject({ runId, state: "running" });
  const { step } = await snapshot(page);
  await reachStep(page, step + 2);
}

/** In an order in which none brings what one after it is to lack. */
const LOST = [
  { what: "the kernels", file: "kernels/engine-relaxed-shared.wasm", config: { ...TINY, backend: "wasm", threads: 2 } },
  { what: "TensorFlow.js's kernels", file: "tfjs/tfjs-backend-wasm-simd.wasm", config: { ...TINY, backend: "tfjs-wasm" } },
  { what: "the tokenizer", file: "tokenizers/lab/tokenizer.json", config: CHAT },
  { what: "the checkpoint's weights", file: "models/base/model.safetensors", config: CHAT },
] as const;

test("without a connection a start names the file that it lacks, each in turn, and the run before goes on", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  const runId = await startBeside(page, TABLE);
  for (const { what, file, config } of LOST)
    await test.step(what, async () => {
      const asked = await cutOff(page, `**/${file}`);
      await expect(start(page, config)).rejects.toThrow(`asset "${file}" could not be downloaded (Failed to fetch)`);
      expect(asked()).toBe(2);
      await expect(page.getByRole("alert")).toContainText(file);
      await goesOn(page, runId);
      await page.unrouteAll();
    });
  await atFullSpeed(page);
  for (const config of new Set(LOST.map((lost) => lost.config))) expect((await runToEnd(page, { ...config, steps: 1 })).step).toBe(1);
});

test("a download that fails once is tried again and nobody is bothered", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  const asked = [await cutOff(page, "**/kernels/*.wasm", 1), await cutOff(page, "**/tokenizers/lab/tokenizer.json", 1)];
  expect((await runToEnd(page, CHAT)).backend?.id).toBe("wasm");
  for (const count of asked) expect(count()).toBeGreaterThanOrEqual(2);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("a part of the engine that cannot be fetched is named", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  const runId = await startBeside(page, TABLE);
  await cutOff(page, "**/assets/wasmBackend-*.js");
  await expect(start(page, { ...TINY, backend: "wasm" })).rejects.toThrow(/assets\/wasmBackend-/);
  await goesOn(page, runId);
});
