// WebGPU in the browser, on whatever adapter there is; on a software adapter "auto" stays with WASM and
// says why.
import type { Page } from "@playwright/test";
import { expect, openLab, runToEnd, TINY, test } from "./lab.ts";

/** What the browser says of its adapter; null without one. */
function adapter(page: Page): Promise<{ readonly software: boolean; readonly name: string } | null> {
  return page.evaluate(async () => {
    const found = await navigator.gpu?.requestAdapter();
    if (!found) return null;
    const { architecture, description, isFallbackAdapter } = found.info;
    const name = `${architecture} ${description}`;
    return { name, software: isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(name) };
  });
}

test("a run on WebGPU works when it is chosen, and the badge says so", async ({ page }) => {
  await openLab(page);
  test.skip((await adapter(page)) === null, "this browser has no WebGPU adapter");
  const config = { ...TINY, groupSize: 4, promptsPerStep: 1, steps: 2, backend: "webgpu", evalProblems: 4 } as const;
  const { metrics, backend } = await runToEnd(page, config);
  expect(backend).toMatchObject({ id: "webgpu", reason: "Chosen in the configuration." });
  expect(metrics).toHaveLength(2);
  await page.getByRole("button", { name: /^webgpu/ }).click();
  await expect(page.getByRole("dialog", { name: "Backend and model" })).toContainText("WebGPU, fused kernels");
  const onWasm = await runToEnd(page, { ...config, backend: "wasm" });
  for (const key of ["reward", "loss", "entropy", "grad_norm"])
    expect(metrics[0]?.metrics[key]).toBeCloseTo(onWasm.metrics[0]?.metrics[key] ?? Number.NaN, 3);
});

test("the choice of a backend is explained", async ({ page }) => {
  await openLab(page);
  const found = await adapter(page);
  const { backend } = await runToEnd(page, { ...TINY, steps: 1 });
  const tried = Object.fromEntries(backend?.tried.map(({ id, outcome }) => [id, outcome]) ?? []);
  await page.locator(".badge").click();
  const badge = page.getByRole("dialog", { name: "Backend and model" });
  await expect(badge).toContainText(backend?.reason ?? "?");
  if (found === null) expect(tried.webgpu).toMatch(/no WebGPU|no GPU adapter/);
  else if (found.software) expect(tried.webgpu).toBe("the only adapter is a software one, slower than WebAssembly");
  else expect(["chosen", "slower"]).toContain(tried.webgpu);
  if (found === null || found.software) expect(backend?.id).toBe("wasm");
  await expect(badge).toContainText(tried.webgpu ?? "?");
});
