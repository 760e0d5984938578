// Choosing a pretrained model on the page: looked at before its weights come, brought from the hub, begun with, there
// after a reload without the hub, and deleted. The hub is imitated; the model is tiny.
import type { Page, Route } from "@playwright/test";
import { writeModelFolder } from "../../src/model/folder/checkpoint.ts";
import { readGguf } from "../../src/model/folder/gguf.ts";
import { ggufConfig, ggufTokenizer, ggufTokenizerConfig } from "../../src/model/folder/ggufModel.ts";
import { foreignConfig, foreignTexts } from "../support/foreignModel.ts";
import { ggufFile } from "../support/ggufFile.ts";
import { COMMIT, modelInfo } from "../support/hubServer.ts";
import { sharpWeights } from "../support/tokenBatches.ts";
import { button, engineIsUp, expect, openLab, reach, test } from "./lab.ts";

const weights_N = sharpWeights(foreignConfig, 6);
const gguf = ggufFile({ config: foreignConfig, weights_N }, foreignTexts, "Q8_0");
const header = readGguf(gguf);
const text = (content: string) => new TextEncoder().encode(content);
const folder = writeModelFolder(foreignConfig, weights_N, { dtype: "F16", ids: { bos: null, eos: 2, pad: 2 } });
const FILES = new Map<string, Uint8Array>([
  ["config.json", text(ggufConfig(header))],
  ["tokenizer.json", text(ggufTokenizer(header))],
  ["tokenizer_config.json", text(ggufTokenizerConfig(header))],
  ["model.safetensors", folder.find(({ name }) => name === "model.safetensors")!.bytes],
]);
const ACCESS = { "access-control-allow-origin": "*", "access-control-expose-headers": "content-range" };

/** Imitates the hub; what it was asked for. */
async function imitateHub(page: Page, denies?: number): Promise<string[]> {
  const asked: string[] = [];
  await page.context().route("https://huggingface.co/**", async (route: Route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    asked.push(`${request.method()} ${pathname}`);
    if (denies) return route.fulfill({ status: denies, headers: ACCESS });
    if (pathname.startsWith("/api/models/lab/tiny/")) return route.fulfill({ body: modelInfo(FILES), headers: ACCESS });
    const bytes = FILES.get(pathname.replace(`/lab/tiny/resolve/${COMMIT}/`, ""));
    if (!bytes) return route.fulfill({ status: 404, headers: ACCESS });
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers().range ?? "") ?? [];
    if (first === undefined) return route.fulfill({ body: Buffer.from(bytes), headers: ACCESS });
    const end = last ? Number(last) + 1 : bytes.length;
    const range = { "content-range": `bytes ${first}-${end - 1}/${bytes.length}` };
    return route.fulfill({ status: 206, body: Buffer.from(bytes.subarray(Number(first), end)), headers: { ...ACCESS, ...range } });
  });
  return asked;
}

/** Opens the picker by the keyboard. */
async function openPicker(page: Page): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search commands" }).fill("Choose a model");
  await expect(page.getByRole("menuitem").first()).toContainText("Choose a model");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Choose a model" })).toBeVisible();
}

async function lookAt(page: Page, name: string): Promise<void> {
  await page.getByRole("textbox", { name: /Another model of the Hugging Face hub/ }).fill(name);
  await page.keyboard.press("Enter");
  await button(page, "Look at it").last().click();
}

const row = (page: Page, name: string) => page.getByRole("dialog").getByRole("listitem").filter({ hasText: name });
const TASK = "#/train?task=boxed-arithmetic&algorithm=grpo&steps=1&promptsPerStep=2&groupSize=4&maxCompletionTokens=8&evalEvery=0";

test("a model of the hub is looked at, brought, begun with, kept for later visits, and deleted", async ({ page }) => {
  const asked = await imitateHub(page);
  await openLab(page, TASK);
  await openPicker(page);
  await expect(page.getByText("No model is kept in this browser yet.")).toBeVisible();
  expect(asked).toEqual([]);
  await lookAt(page, "lab/tiny");
  const tiny = row(page, "lab/tiny");
  await expect(tiny).toContainText("512 tokens of context");
  await expect(tiny).toContainText("licence mit");
  await expect(tiny).toContainText(/Memory of the form's run: WebAssembly \d/);
  await tiny.getByRole("button", { name: /^Bring it/ }).click();
  await tiny.getByRole("button", { name: "Begin with it" }).click();
  expect(asked.every((line) => line.startsWith("GET "))).toBe(true);
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expect(await page.evaluate(() => location.hash)).toContain("checkpoint=lab%2Ftiny");
  await page.keyboard.press("Escape");
  await button(page, "Train").click();
  await reach(page, "finished");

  // The hub is gone, and the model is still here.
  await page.context().unrouteAll();
  await page.context().route("https://**", (route) => route.abort());
  await page.reload();
  await engineIsUp(page);
  await openPicker(page);
  await row(page, "lab/tiny").getByRole("button", { name: "Delete tiny" }).click();
  await button(page, "Yes, delete it").click();
  await expect(page.getByText("No model is kept in this browser yet.")).toBeVisible();
});

test("a GGUF file of this machine is kept and begun with; what is no model is refused in a sentence", async ({ page }) => {
  await openLab(page, TASK);
  await openPicker(page);
  const choose = (name: string, buffer: Buffer) =>
    page.getByLabel("A GGUF file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await choose("broken.gguf", Buffer.from(gguf.subarray(0, 2000)));
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("gguf: ");
  await choose("Own.Q8_0.gguf", Buffer.from(gguf));
  await row(page, "own.q8_0").getByRole("button", { name: "Begin with it" }).click();
  expect(await page.evaluate(() => location.hash)).toContain("checkpoint=own.q8_0");
  await button(page, "Train").click();
  await reach(page, "finished");
});

test("what the hub denies is said, and a model of a link that is not here names the way to it", async ({ page }) => {
  await imitateHub(page, 401);
  await openLab(page, `${TASK}&startFrom=checkpoint&checkpoint=lab/tiny&loraRank=8`);
  await button(page, "Train").click();
  await expect(page.getByText(/must be a model that this browser has, got lab\/tiny/).first()).toBeVisible();
  await openPicker(page);
  await lookAt(page, "lab/tiny");
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("may not be read without a key (401)");
});
