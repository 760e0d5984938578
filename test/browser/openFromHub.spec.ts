// A data set of the Hugging Face hub on the page: asked for by its name once somebody says so, brought, and opened as files are. The hub is
// imitated.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page, Route } from "@playwright/test";
import { expect, openLab, testInSamePage as test } from "./lab.ts";
import { overflow, picture, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

const SAMPLES = join(import.meta.dirname, "../reference/traces/trl");
const sample = (step: number) => readFileSync(join(SAMPLES, `completions_0000${step}.parquet`));
const HUB = "https://huggingface.co";
const ACCESS = { "access-control-allow-origin": "*" };

/** Parts of data sets, as the hub lists them. */
const PARTS: Readonly<Record<string, unknown>> = {
  "lab/rollouts": { default: { test: [`${HUB}/files/3`], train: [`${HUB}/files/1`, `${HUB}/files/2`] } },
  "lab/one": { default: { train: [`${HUB}/files/3`] } },
  "lab/portal": { default: { train: [`${HUB}/portal`] } },
  "lab/half": { default: { train: [`${HUB}/half`] } },
  "lab/empty": {},
};

/** Imitates the hub; what it was asked for. Files wait for `held`. */
async function imitateHub(page: Page, held: Promise<void>): Promise<string[]> {
  const asked: string[] = [];
  await page.context().route(`${HUB}/**`, async (route: Route) => {
    const { pathname } = new URL(route.request().url());
    asked.push(pathname);
    const [, name = ""] = /^\/api\/datasets\/(.+)\/parquet$/.exec(pathname) ?? [];
    if (name === "lab/private") return route.fulfill({ status: 401, headers: ACCESS });
    if (name in PARTS) return route.fulfill({ body: JSON.stringify(PARTS[name]), headers: ACCESS });
    if (pathname === "/portal") return route.fulfill({ body: "<html>Sign in</html>", contentType: "text/html", headers: ACCESS });
    if (pathname === "/half") return route.fulfill({ body: sample(1).subarray(0, 400), headers: ACCESS });
    const [, step] = /^\/files\/(\d)$/.exec(pathname) ?? [];
    if (step === undefined) return route.fulfill({ status: 404, headers: ACCESS });
    if (step === "2") await held;
    // Nobody waits any more where it was stopped.
    return route.fulfill({ body: sample(Number(step)), headers: ACCESS }).catch(() => {});
  });
  return asked;
}

test("a data set of the hub is brought by its name and opened, and what stands in the way is said @both", async ({ page }, { project }) => {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const asked = await imitateHub(page, held);
  await openLab(page, "#/open");
  await page.getByRole("button", { name: "Bring a data set of the Hugging Face hub" }).click();
  const main = page.getByRole("main");
  await expect(main).toContainText("This asks huggingface.co");
  await expect(main).toContainText("No key and nothing of this page is sent");
  const name = page.getByRole("textbox", { name: "Name of the data set, as OWNER/NAME" });
  const ask = async (dataset: string) => {
    await name.fill(dataset);
    await name.press("Enter");
  };
  const refused = async (dataset: string, sentence: string) => {
    await ask(dataset);
    await expect(main.getByRole("alert").filter({ hasText: sentence })).toBeVisible();
  };
  await refused("rollouts", "The data set must be named OWNER/NAME, got");
  expect(asked).toEqual([]);
  await refused("lab/private", "the data set lab/private may not be read without a key (401): there is none of that name, it is private");
  await refused("lab/none", "the data set lab/none is not there (404)");
  await refused("lab/empty", "the hub keeps no Parquet of lab/empty");
  await refused("lab/portal", "lab/portal, train did not come: a page came in its place");
  await refused("lab/half", "lab/half, train did not come whole");

  // Of several parts one is chosen, the usual one where nobody does.
  await ask("lab/rollouts");
  const part = page.getByRole("button", { name: /Part of lab\/rollouts/ });
  await expect(part).toContainText("default: train");
  await page.getByRole("button", { name: "Bring these rows" }).click();
  await expect(main).toContainText("file 2 of 2");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(main).not.toContainText("file 2 of 2");
  await picture(page, `open-hub-${project.name}`, true);
  const { width, wide } = await overflow(page);
  expect(wide, `${width}`).toEqual([]);
  expect(await seriousProblems(page)).toEqual([]);
  letGo();
  await page.getByRole("button", { name: "Bring these rows" }).click();
  await expect(page.getByRole("heading", { name: "TRL's completions" })).toBeVisible();
  await expect(main).toContainText("32 rollouts");

  // Where there is one part, it comes at once.
  await ask("lab/one");
  await expect(main).toContainText("16 rollouts");
  expect(asked.filter((path) => path === "/files/3")).toHaveLength(1);
});

test("a hub that cannot be reached is said to be so", async ({ page }) => {
  await page.context().route(`${HUB}/**`, (route) => route.abort("internetdisconnected"));
  await openLab(page, "#/open");
  await page.getByRole("button", { name: "Bring a data set of the Hugging Face hub" }).click();
  await page.getByRole("textbox", { name: "Name of the data set, as OWNER/NAME" }).fill("lab/rollouts");
  await page.getByRole("button", { name: "Ask huggingface.co" }).click();
  const main = page.getByRole("main");
  await expect(main).toContainText("Asking huggingface.co for lab/rollouts");
  await expect(main.getByRole("alert").filter({ hasText: "lab/rollouts cannot be reached at https://huggingface.co" })).toBeVisible();
});
