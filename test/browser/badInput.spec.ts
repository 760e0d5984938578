// Input from outside that is wrong: the address, scripts, model files, missing kernels. Each is answered
// by a sentence that names what is wrong, and the page goes on working.
import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { writeModelFolder } from "../../src/model/folder/checkpoint.ts";
import { initialWeights } from "../../src/model/initialWeights.ts";
import { parameterLayout, type TransformerConfig } from "../../src/model/transformerConfig.ts";
import { Random } from "../../src/rl/random.ts";
import {
  button,
  expect,
  field,
  openLab,
  reach,
  runToEnd,
  snapshot,
  start,
  TABLE,
  TINY,
  testInSamePage as test,
  testInEmptyPage,
} from "./lab.ts";

test.describe.configure({ mode: "default" });

/** A run of the default preset can be started and finished: the page still works. */
async function stillWorks(page: Page): Promise<void> {
  expect(await runToEnd(page, TABLE)).toMatchObject({ step: 40, error: null });
  await expect(page.getByText("40 of 40 steps")).toBeVisible();
}

testInEmptyPage("without the kernels another backend takes over and the page says which and why", async ({ page }) => {
  await page.route("**/kernels/*.wasm", (route) => route.fulfill({ status: 404, body: "not found" }));
  await openLab(page);
  const { backend, step } = await runToEnd(page, { ...TINY, steps: 1 });
  expect(step).toBe(1);
  expect(backend?.id).toBe("tfjs-wasm");
  await page.getByRole("button", { name: /^TensorFlow.js, WebAssembly/ }).click();
  const badge = page.getByRole("dialog", { name: "Backend and model" });
  await expect(badge).toContainText("WebAssembly, TensorFlow.js operations");
  const row = badge.locator(".badge-tried > div", { has: page.locator("dt", { hasText: /^WebAssembly$/ }) });
  await expect(row).toContainText("kernels/");
  await expect(row).toContainText("missing");
});

test.describe("an address", () => {
  testInEmptyPage("of a newer version is explained and gives way to the default", async ({ page }) => {
    await openLab(page, "#/train?version=4&preset=digit-sum-table&seed=7");
    await expect(page.getByRole("alert")).toContainText("The address was not used: version must be <= 3, got 4");
    await expect(page).toHaveURL(/#\/train$/);
    await stillWorks(page);
  });

  testInEmptyPage("of a screen that is not there is named, on arrival and typed into the page", async ({ page }) => {
    const alert = page.getByRole("alert");
    for (const [hash, sentence] of [
      ["#/rollout", 'screen must be one of the 13 known ones, got "rollout" (did you mean "rollouts"?)'],
      ["#/trian?steps=40", 'got "trian" (did you mean "train"?)'],
      ["#/learn/grpo", 'got "learn/grpo"'],
    ] as const)
      await test.step(hash, async () => {
        await openLab(page, hash);
        await expect(alert).toContainText("Not everything in the address was used");
        await expect(alert).toContainText(sentence);
        await expect(page).toHaveURL(/#\/train(\?version=3&steps=40)?$/);
        await alert.getByRole("button", { name: "Close" }).click();
        await expect(alert).toHaveCount(0);
      });
    // What the form holds by then is not taken from it.
    await expect(await field(page, "Run", "Steps")).toHaveValue("40");
  });

  testInEmptyPage("of noise opens the default", async ({ page }) => {
    await openLab(page, "#/%%%/x?%E0%A4%A&&=&%00=%");
    await expect(button(page, "Train")).toBeEnabled();
    await stillWorks(page);
  });

  // All that can be wrong is tried on the draft by itself.
  const cases = [
    ["task=digit-sun", 'got "digit-sun" (did you mean "digit-sum"?)'],
    ["preset=digit-sum-table&learningRate=fast", 'Learning rate must be a number, got "fast"'],
    ["preset=digit-sum-table&task.target=400", "Target sum must be <= 144, got 400"],
  ] as const;
  test("with something wrong in it is explained and loses that alone, on arrival and typed into the page", async ({ page }) => {
    for (const [query, sentence] of cases)
      await test.step(query, async () => {
        await openLab(page, `#/train?${query}&seed=7`);
        const alert = page.getByRole("alert");
        await expect(alert).toContainText("Not everything in the address was used");
        await expect(alert).toContainText(sentence);
        const preset = query.startsWith("preset=digit") ? "preset=digit-sum-table&" : "";
        await expect(page).toHaveURL(new RegExp(`#/train\\?version=3&${preset}seed=7$`));
        await expect(await field(page, "Run", "Seed")).toHaveValue("7");
        await expect(button(page, "Train")).toBeEnabled();
        await alert.getByRole("button", { name: "Close" }).click();
        await expect(alert).toHaveCount(0);
        await stillWorks(page);
        await page.evaluate(() => window.rolloutLab.reset());
      });
  });

  test("of a rollout that is not there says what is there", async ({ page }) => {
    await openLab(page);
    await runToEnd(page, TABLE);
    await page.goto("/#/rollouts?step=4000&token=-3");
    await expect(page.getByRole("heading", { name: "Step 4000 has not been taken yet" })).toBeVisible();
    await expect(page.getByText("The run stands at step 40.")).toBeVisible();
    await page.getByRole("button", { name: "Follow the newest step" }).click();
    await expect(page.getByRole("heading", { name: "Group of 24" })).toBeVisible();
  });

  testInEmptyPage("of a run that is not kept is named, and one that is deleted leaves it", async ({ page }) => {
    await openLab(page);
    const runId = (await runToEnd(page, TABLE)).runId ?? "";
    // The run on screen cannot be deleted.
    await runToEnd(page, { ...TABLE, seed: 2 });
    await page.goto(`./#/runs?run=${runId.slice(0, -1)}`);
    const missed = page.getByText(`There is no run “${runId.slice(0, -1)}” here. Did you mean`);
    await missed.getByRole("link", { name: /^Digit sum/ }).click();
    await expect(page).toHaveURL(new RegExp(`#/runs\\?run=${runId}$`));
    await expect(page.getByRole("complementary", { name: /^The run/ })).toBeVisible();
    await expect(page.getByText("There is no run")).toHaveCount(0);
    await page.locator(".runs-table tbody tr").nth(1).getByRole("checkbox").check();
    await button(page, "Delete 1").click();
    await expect(page.getByText("1 run deleted.")).toBeVisible({ timeout: 20_000 });
    await expect(page).toHaveURL(/#\/runs$/);
    await expect(page.getByText("There is no run")).toHaveCount(0);
  });
});

test.describe("a script", () => {
  const cases = [
    [{ groupSize: 1 }, "groupSize must be >= 2, got 1", "Group size must be >= 2, got 1"],
    [{ task: "chess" }, 'task must be one of "digit-sum", "boxed-arithmetic", ', 'Task must be one of "digit-sum", '],
    [{ ...TINY, hiddenSize: 18, heads: 4 }, "heads must divide hiddenSize 18", "Heads must divide Width 18"],
  ] as const;
  test("that asks for what cannot be is refused with the reason, and with titles on the page", async ({ page }) => {
    await openLab(page);
    for (const [config, sentence, onThePage] of cases)
      await test.step(sentence, async () => {
        await expect(start(page, config)).rejects.toThrow(sentence);
        await expect(page.getByRole("alert")).toContainText(onThePage);
        expect((await snapshot(page)).state).toBe("idle");
        await stillWorks(page);
        await expect(page.getByRole("alert")).toHaveCount(0);
        await page.evaluate(() => window.rolloutLab.reset());
      });
  });
});

const SHAPE: TransformerConfig = {
  vocabularySize: Object.keys(
    (JSON.parse(readFileSync("public/tokenizers/lab/tokenizer.json", "utf8")) as { model: { vocab: object } }).model.vocab,
  ).length,
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 2,
  headSize: 8,
  intermediateSize: 32,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: true,
  qkvBias: false,
  headNorm: false,
  maxPositions: 512,
  valueHead: false,
};

const freshWeights = (shape: typeof SHAPE) => initialWeights(shape, new Random(1), async () => {});

const MODEL = "**/models/base/*";

/** Serves a small model folder in the place of the shipped one; `change` spoils files on the way. */
async function serveModel(
  page: Page,
  change: (name: string, bytes: Uint8Array) => Uint8Array | null,
  model?: { readonly shape: typeof SHAPE; readonly weights_N: Float32Array },
): Promise<void> {
  const { shape, weights_N } = model ?? { shape: SHAPE, weights_N: await freshWeights(SHAPE) };
  const files = writeModelFolder(shape, weights_N, { dtype: "F32", ids: { bos: null, eos: 1, pad: 0 } });
  await page.route(MODEL, async (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1) ?? "";
    // A folder without a tokenizer would be refused for that.
    if (name.startsWith("tokenizer")) return route.continue();
    const file = files.find((each) => each.name === name);
    const bytes = file && change(name, file.bytes);
    await route.fulfill(bytes ? { body: Buffer.from(bytes), contentType: "application/octet-stream" } : { status: 404, body: "not found" });
  });
}

const CHECKPOINT_RUN = {
  task: "boxed-arithmetic",
  steps: 1,
  evalEvery: 0,
  promptsPerStep: 2,
  groupSize: 2,
  maxCompletionTokens: 4,
} as const;

test.describe("a checkpoint", () => {
  const weights = "model.safetensors";
  // In every way it is spoiled for the engine by itself.
  const spoiled: readonly (readonly [string, string, (bytes: Uint8Array) => Uint8Array | null, string])[] = [
    ["cut short", weights, (bytes) => bytes.slice(0, bytes.length / 2), weights],
    ["missing", weights, () => null, weights],
  ];
  test("that is spoiled is refused by name, and one that is whole is loaded", async ({ page }) => {
    let present = spoiled[0]!;
    let asked = 0;
    await serveModel(page, (name, bytes) => {
      if (name !== present[1]) return bytes;
      asked += 1;
      return present[2](bytes);
    });
    for (const each of spoiled)
      await test.step(each[0], async () => {
        present = each;
        asked = 0;
        await openLab(page, "#/train?preset=boxed-arithmetic");
        await button(page, "Train").click();
        const alert = page.getByRole("alert");
        await expect(alert).toContainText(each[3]);
        expect(asked).toBeGreaterThan(0);
        await expect(alert).not.toContainText(/undefined|NaN|\[object/);
        await reach(page, "idle");
        await expect(button(page, "Train")).toBeEnabled();
        await alert.getByRole("button", { name: "Close" }).click();
        await expect(alert).toHaveCount(0);
        await stillWorks(page);
        await page.evaluate(() => window.rolloutLab.reset());
      });
    await page.unroute(MODEL);
    await serveModel(page, (_, bytes) => bytes);
    expect((await runToEnd(page, CHECKPOINT_RUN)).step).toBe(1);
    await page.unroute(MODEL);
  });
});

test("a loss that is not finite pauses the run, says why and takes no step", async ({ page }) => {
  // An output head near the largest float: every weight is finite, every logit overflows.
  const shape = { ...SHAPE, tiedEmbeddings: false };
  const weights_N = await freshWeights(shape);
  const head = parameterLayout(shape).find(({ name }) => name === "lm_head.weight");
  if (!head) throw new Error("this model has no output head");
  for (let i = head.offset; i < head.offset + head.size; i++) weights_N[i] = Math.sign(weights_N[i] ?? 0) * 3e38;
  await serveModel(page, (_, bytes) => bytes, { shape, weights_N });
  await openLab(page);
  await start(page, CHECKPOINT_RUN);
  await reach(page, "paused");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("The run is paused");
  await expect(alert).toContainText("the update was refused and the weights before it are kept");
  expect(await snapshot(page)).toMatchObject({ step: 0, metrics: [] });
  await stillWorks(page);
  await page.unroute(MODEL);
});
