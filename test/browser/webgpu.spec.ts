// WebGPU in the browser, on whatever adapter there is; on a software adapter "auto" stays with WASM and
// says why.
import type { Page } from "@playwright/test";
import { eventAfter, expect, openLab, reachStep, runToEnd, snapshot, start, TINY, testInSamePage as test, testInEmptyPage } from "./lab.ts";

test.describe.configure({ mode: "default" });

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
  await page.getByRole("button", { name: /^WebGPU/ }).click();
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

/** Keeps the devices that the trainer's worker opens from now on within reach; gives how to destroy them. */
async function holdDevices(page: Page): Promise<() => Promise<void>> {
  const worker = page.workers().find((each) => each.url().includes("trainer-"));
  if (!worker) throw new Error("the page has no trainer worker");
  const held = await worker.evaluateHandle(() => {
    const devices: GPUDevice[] = [];
    const { prototype } = GPUAdapter;
    const open = prototype.requestDevice;
    prototype.requestDevice = async function (descriptor) {
      const device = await open.call(this, descriptor);
      devices.push(device);
      return device;
    };
    return devices;
  });
  return () => held.evaluate((devices) => devices.forEach((device) => void device.destroy()));
}

testInEmptyPage("a GPU lost in the middle of a run is told, and the run's last save stays", async ({ page }) => {
  await openLab(page);
  test.skip((await adapter(page)) === null, "this browser has no WebGPU adapter");
  const destroy = await holdDevices(page);
  const config = { ...TINY, groupSize: 4, promptsPerStep: 1, steps: 0, autosaveEvery: 1, backend: "webgpu", evalProblems: 4 } as const;
  await start(page, config);
  await reachStep(page, 1);
  const { step } = await eventAfter(page, "saved", () => Promise.resolve());
  const told = await eventAfter(page, "error", destroy);
  expect(told).toMatchObject({ recoverable: false, message: expect.stringMatching(/^The GPU device was lost \(.+\)\. The run can go on/) });
  await expect(page.getByRole("alert")).toContainText("The GPU device was lost");
  expect(await snapshot(page)).toMatchObject({ state: "failed", engine: "ready" });
  expect(step).toBeGreaterThan(0);
  await page.getByRole("button", { name: "Continue on WebAssembly" }).click();
  await expect.poll(async () => (await snapshot(page)).state).toBe("running");
  const { backend, step: reached } = await snapshot(page);
  expect(backend?.id).toBe("wasm");
  expect(reached).toBeGreaterThanOrEqual(step);
  await page.reload();
  await expect(page.getByRole("button", { name: /^Continue the saved run at step \d+$/ })).toBeVisible();
});
