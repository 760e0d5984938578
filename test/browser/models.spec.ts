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
import { button, engineIsUp, expect, openLab, reach, testInEmptyPage as test } from "./lab.ts";

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

interface HubFaults {
  /** Answers everything so. */
  readonly denies?: number;
  /** Ends an answer of weights after so many bytes of it. */
  readonly cutAfter?: number;
  /** Weights past the cut come once this is over. */
  readonly rest?: Promise<void>;
}

/** Imitates the hub; what it was asked for, ranges behind the address. */
async function imitateHub(page: Page, { denies, cutAfter, rest }: HubFaults = {}): Promise<string[]> {
  const asked: string[] = [];
  await page.context().route("https://huggingface.co/**", async (route: Route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    const { range: asksFor = "" } = request.headers();
    asked.push(`${request.method()} ${pathname} ${asksFor}`.trim());
    if (denies) return route.fulfill({ status: denies, headers: ACCESS });
    if (pathname.startsWith("/api/models/lab/tiny/")) return route.fulfill({ body: modelInfo(FILES), headers: ACCESS });
    const bytes = FILES.get(pathname.replace(`/lab/tiny/resolve/${COMMIT}/`, ""));
    if (!bytes) return route.fulfill({ status: 404, headers: ACCESS });
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers().range ?? "") ?? [];
    if (first === undefined) {
      const isCut = cutAfter !== undefined && pathname.endsWith(".safetensors");
      return route.fulfill({ body: Buffer.from(isCut ? bytes.subarray(0, cutAfter) : bytes), headers: ACCESS });
    }
    if (first !== "0") await rest;
    const end = last ? Number(last) + 1 : bytes.length;
    const range = { "content-range": `bytes ${first}-${end - 1}/${bytes.length}` };
    return (
      route
        .fulfill({ status: 206, body: Buffer.from(bytes.subarray(Number(first), end)), headers: { ...ACCESS, ...range } })
        // Nobody waits any more where it was stopped.
        .catch(() => {})
    );
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

/** Trains a run of one's own whose first step, tried before it starts, earns too little for the page to begin by itself. */
async function trainAllTheSame(page: Page): Promise<void> {
  await button(page, "Train").click();
  await button(page, "Train all the same").click();
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
  await expect(page).toHaveURL(/#.*checkpoint=lab%2Ftiny/);
  await page.keyboard.press("Escape");
  await trainAllTheSame(page);
  await reach(page, "finished");

  // Without a connection the model is still here, and a run begins with it. This route comes before the hub's, which is not taken back:
  // a worker of the page would have to answer to that, at times in vain.
  await page.context().route("https://**", (route) => route.abort());
  await page.reload();
  await engineIsUp(page);
  await trainAllTheSame(page);
  await reach(page, "finished");
  await openPicker(page);
  await row(page, "lab/tiny").getByRole("button", { name: "Delete tiny" }).click();
  await button(page, "Yes, delete it").click();
  await expect(page.getByText("No model is kept in this browser yet.")).toBeVisible();
});

test("what was stopped, or was left by a reload, goes on where it broke off", async ({ page }) => {
  let release = () => {};
  const rest = new Promise<void>((resolve) => {
    release = resolve;
  });
  const asked = await imitateHub(page, { cutAfter: 9_000, rest });
  const ranges = () => asked.filter((line) => line.includes("safetensors bytes=9000-"));
  await openLab(page, TASK);
  await openPicker(page);
  await lookAt(page, "lab/tiny");
  const tiny = row(page, "lab/tiny");
  await tiny.getByRole("button", { name: /^Bring it/ }).click();
  const work = page.getByRole("region", { name: "What is under way" });
  await expect(work).toContainText(/\d+ kB of \d+ kB/);
  await expect.poll(ranges).toHaveLength(1);
  await work.getByRole("button", { name: "Stop here" }).click();
  await expect(work).toHaveCount(0);
  await expect(page.getByRole("dialog").getByRole("alert")).toHaveCount(0);
  await expect(tiny).toContainText("Not brought yet");

  await page.reload();
  await engineIsUp(page);
  await openPicker(page);
  release();
  await tiny.getByRole("button", { name: /^Bring it/ }).click();
  await tiny.getByRole("button", { name: "Begin with it" }).click();
  expect(ranges()).toHaveLength(2);
  await trainAllTheSame(page);
  await reach(page, "finished");
});

test("what the browser does not keep is said in a sentence: full storage, and none at all", async ({ page }) => {
  await imitateHub(page);
  await openLab(page, TASK);
  const session = await page.context().newCDPSession(page);
  await openPicker(page);
  await lookAt(page, "lab/tiny");
  const tiny = row(page, "lab/tiny");
  const bringIt = tiny.getByRole("button", { name: /^Bring it/ });
  await expect(bringIt).toBeVisible();
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(page.url()).origin, quotaSize: 1 });
  await bringIt.click();
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("storage for this page is full");
  await session.send("Storage.overrideQuotaForOrigin", { origin: new URL(page.url()).origin });
  await bringIt.click();
  await expect(tiny.getByRole("button", { name: "Begin with it" })).toBeVisible();

  // As a private window of some browsers.
  const refuses = `Object.defineProperty(StorageManager.prototype, "getDirectory", { value: () => Promise.reject(new DOMException("denied", "SecurityError")) });`;
  await page.context().route(/assets\/models-[\w-]+\.js$/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: refuses + (await response.text()) });
  });
  await page.reload();
  await engineIsUp(page);
  await openPicker(page);
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("keeps no files for this page");
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
  await expect(page).toHaveURL(/#.*checkpoint=own\.q8_0/);
  await trainAllTheSame(page);
  await reach(page, "finished");
});

test("models that are dropped on the page are kept, and a run's files are still runs", async ({ page }) => {
  await openLab(page, TASK);
  const drop = (names: Readonly<Record<string, readonly number[]>>) =>
    page.evaluate((dropped) => {
      const transfer = new DataTransfer();
      for (const [name, bytes] of Object.entries(dropped)) transfer.items.add(new File([Uint8Array.from(bytes)], name));
      for (const type of ["dragover", "drop"])
        window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, names);
  await drop({ "Dropped.Q8_0.gguf": [...gguf] });
  await row(page, "dropped.q8_0").getByRole("button", { name: "Begin with it" }).click();
  const files = [...FILES].filter(([name]) => name !== "tokenizer.json");
  await drop(Object.fromEntries(files.map(([name, bytes]) => [name, [...bytes]])));
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("tokenizer.json is missing: a model needs config.json");
  await page.keyboard.press("Escape");
  await drop({ "notes.txt": [104, 105] });
  await expect(page.getByRole("main")).toContainText("notes.txt could not be opened");
});

test("a link's model that is not here is told with its size before it comes, brought, and trained with", async ({ page }) => {
  const asked = await imitateHub(page);
  const hash = `${TASK}&startFrom=checkpoint&checkpoint=lab/tiny@${COMMIT.slice(0, 8)}&loraRank=8`;
  await openLab(page, hash);
  await button(page, "Train").click();
  const wanted = page.getByRole("region", { name: "The model of the form's run" });
  await expect(wanted).toContainText(`begins with lab/tiny@${COMMIT.slice(0, 8)}, which is not in this browser yet`);
  expect(asked).toEqual([]);
  await wanted.getByRole("button", { name: "Look at it" }).click();
  const tiny = row(page, "lab/tiny");
  await expect(tiny.getByRole("button", { name: /^Bring it \(\d+ kB\)/ })).toBeVisible();
  await expect(wanted).toHaveCount(0);
  // Of the weights nothing has come but their header.
  expect(asked.filter((line) => line.includes("safetensors") && !line.includes("bytes=0-"))).toEqual([]);
  await tiny.getByRole("button", { name: /^Bring it/ }).click();
  await tiny.getByRole("button", { name: "Train with it" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await reach(page, "finished");
});

test("what the hub denies is said, and a file's model of a link names the way to it", async ({ page }) => {
  await imitateHub(page, { denies: 401 });
  await openLab(page, `${TASK}&startFrom=checkpoint&checkpoint=own.q8_0&loraRank=8`);
  await button(page, "Train").click();
  await expect(page.getByRole("dialog")).toContainText("own.q8_0, a model of files that is not in this browser");
  await lookAt(page, "lab/tiny");
  await expect(page.getByRole("dialog").getByRole("alert")).toContainText("may not be read without a key (401)");
  // The button that was pressed was disabled meanwhile, and keys are heard all the same.
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByText(/must be a model that this browser has, got own\.q8_0/).first()).toBeVisible();
});
