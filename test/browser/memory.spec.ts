// What a run would take of the memory stands beside its form, follows the form, and what does not fit is
// refused while the run on screen goes on.
import { expect, field, openLab, reach, snapshot, start, TINY, testInSamePage as test } from "./lab.ts";

test.describe.configure({ mode: "default" });

test("the memory of a draft is said, with its parts, and follows the draft", async ({ page }) => {
  await openLab(page);
  const figure = page.locator(".memory-figure");
  await expect(figure).toHaveText(/^\d+(\.\d)? [MG]B$/);
  const before = await figure.textContent();
  // A pointer that has moved before: a tooltip does not open under one that stands still.
  await page.getByText("Preset", { exact: true }).first().hover();
  await figure.hover();
  const parts = page.getByRole("tooltip");
  await expect(parts).toContainText("At its peak, on WebAssembly");
  await expect(parts).toContainText("Optimizer's moments");
  const batch = await field(page, "Sampling", "Prompts per step");
  await batch.fill("256");
  await batch.press("Enter");
  await expect(figure).not.toHaveText(before ?? "");
});

test("a run that does not fit says what to lower, and is refused beside a run that goes on", async ({ page }) => {
  const large = "startFrom=random&hiddenSize=1024&layers=24&heads=16&kvHeads=16&intermediateSize=4096&backend=wasm";
  await openLab(page, `#/train?version=2&${large}`);
  await expect(page.getByText(/must be <= \d+.* to fit in the 2\.0 GB of the kernels' memory, got/)).toBeVisible();
  await start(page, { ...TINY, steps: 0 });
  await reach(page, "running");
  const { runId } = await snapshot(page);
  const refusal = page.evaluate(() =>
    window.rolloutLab
      .start({
        startFrom: "random",
        task: "boxed-arithmetic",
        hiddenSize: 1024,
        layers: 24,
        heads: 16,
        kvHeads: 16,
        intermediateSize: 4096,
      })
      .catch((error: Error) => error.message),
  );
  expect(await refusal).toMatch(/to fit in the 2\.0 GB/);
  await reach(page, "running");
  expect((await snapshot(page)).runId).toBe(runId);
});
