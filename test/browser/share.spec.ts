// A run handed on: in a link that carries it, from another host after a question, and as a file that is dropped.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import {
  button,
  engineIsUp,
  expect,
  openLab,
  reach,
  reachStep,
  runToEnd,
  snapshot,
  start,
  TABLE,
  testInSamePage as test,
  testInEmptyPage,
} from "./lab.ts";
import { picture, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

const EXAMPLE = "public/examples/calculator.rollout";
/** Three short steps of a pretrained policy. */
const SUMS = { algorithm: "grpo", steps: 3, promptsPerStep: 4, groupSize: 8, evalEvery: 3, evalProblems: 8 } as const;

test("a link made here opens in a second browser profile and shows the same numbers at the same token", async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openLab(page);
  await runToEnd(page, { ...TABLE, steps: 12, evalEvery: 6, keptMegabytes: 50, promptsPerStep: 1, groupSize: 4 });
  await page.goto("./#/rollouts?step=7&completion=3&token=2");
  await expect(page.getByRole("heading", { name: "Completion 3" })).toBeVisible();
  const strip = (of: Page) => of.locator("#main").innerText();
  await button(page, "Share this").click();
  const dialog = page.getByRole("dialog", { name: "Share this run" });
  await expect(dialog).toContainText("sees step 7, prompt 1, completion 3, token 2 on Rollouts, with the same numbers. It holds ");
  expect(await seriousProblems(page)).toEqual([]);
  await picture(page, "share");
  await button(page, "Copy link to the run").click();
  await expect(dialog.getByText(/^Copied\. [\d,]+ letters\.$/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(new URL(link).hash.length).toBeLessThanOrEqual(32_768);
  // The button that made it has kept the focus.
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  const here = await snapshot(page);
  const shown = (await strip(page)).match(/-?\d+\.\d{3}/g);
  await page.goto("./#/time?from=3");
  await button(page, "Share this").click();
  await expect(dialog).toContainText("sees prompt 1 over time from step 3, with");
  await page.keyboard.press("Escape");

  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(link);
  await expect(stranger.getByRole("heading", { name: "Completion 3" })).toBeVisible();
  await expect(stranger).toHaveURL(/#\/rollouts\?step=7&completion=3&token=2$/);
  const there = await snapshot(stranger);
  expect(there.metrics).toEqual(here.metrics);
  expect(there.evaluations).toEqual(here.evaluations);
  expect((shown ?? []).length).toBeGreaterThan(3);
  await expect.poll(async () => (await strip(stranger)).match(/-?\d+\.\d{3}/g)).toEqual(shown);
  // It is nobody's until it is kept, and then it is there after a reload.
  expect((await stranger.evaluate(() => window.rolloutLab.saves())).length).toBe(0);
  await button(stranger, "Keep").click();
  await expect(stranger.getByRole("button", { name: "Keep" })).toHaveCount(0);
  expect((await stranger.evaluate(() => window.rolloutLab.saves())).length).toBe(1);
  await stranger.context().close();
});

test("a run too long for a link has one that opens on its token with the same numbers, and says before what it leaves out; a reload stays there", async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openLab(page);
  await runToEnd(page, { ...TABLE, steps: 1000, evalEvery: 100, promptsPerStep: 8, groupSize: 16, keptMegabytes: 50 });
  // The token that the page chooses is written into the address.
  await page.goto("./#/explain?step=1000&prompt=3&phase=after");
  await expect(page).toHaveURL(/#\/explain\?step=1000&prompt=3&token=\d+&phase=after$/);
  // The engine is asked for these, so that they come after the rest.
  await expect(page.getByRole("table", { name: "Likeliest tokens here" })).toBeVisible();
  // Everything that is told of the token, and its group with what each answer earned.
  const told = async (of: Page) =>
    (await of.locator(".explain-reply, .explain-formula, .explain-card dl, .explain-card table, .explain-group").allInnerTexts()).join(
      "\n",
    );
  const shown = await told(page);
  await button(page, "Share this").click();
  const dialog = page.getByRole("dialog", { name: "Share this run" });
  await expect(dialog).toContainText(/It holds .*main curves at \d+ of 1,000 steps\. Left out: .*The file below holds all of it\./);
  await button(page, "Copy link to the run").click();
  await expect(dialog.getByText(/^Copied\. [\d,]+ letters\.$/)).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.keyboard.press("Escape");
  const place = new URL(page.url()).hash;
  const stranger = await (await browser.newContext()).newPage();
  await stranger.goto(link);
  await expect.poll(() => new URL(stranger.url()).hash).toBe(place);
  await expect.poll(() => told(stranger)).toBe(shown);
  // Both a recording that came in a link and a run that is saved here are there after a reload, at the same place.
  for (const each of [stranger, page]) {
    const before = await each.locator(".explain-reply").innerText();
    await each.reload();
    await expect(each.locator(".explain-reply")).toHaveText(before);
    expect(new URL(each.url()).hash).toBe(place);
  }
  await stranger.context().close();
});

const AT_A_TOKEN = [
  { name: "the default preset", config: { ...SUMS, task: "boxed-arithmetic" } },
  { name: "a task with tools, after three turns", config: { ...SUMS, task: "search", promptsPerStep: 2 } },
] as const;

for (const { name, config } of AT_A_TOKEN)
  test(`a link to a token shows every number of it at every phase as they were: ${name}`, async ({ page, context, browser }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openLab(page);
    await runToEnd(page, config);
    const place = "#/explain?step=3&prompt=2&completion=2&token=4";
    /** Every number that is written on the token's card and beside it. */
    const numbersOf = async (of: Page) => {
      const texts = of.locator(
        ".explain-reply, .explain-formula, .explain-card h2, .explain-card dl, .explain-card table, .explain-clip, .explain-group",
      );
      return (await texts.allInnerTexts()).join("\n").match(/[−-]?\d[\d.,]*(?:e[−-]?\d+)?/g) ?? [];
    };
    /** The same of each phase. */
    const told = async (of: Page) => {
      const phases: Record<string, readonly string[]> = {};
      for (const phase of ["group", "reward", "advantage", "ratio", "loss", "gradient", "after"]) {
        await of.evaluate((hash) => window.location.replace(hash), `${place}&phase=${phase}`);
        await expect(of.locator(".explain-card")).toContainText(/token 4 of \d+, answer 2/);
        // It is asked for by itself, once the token is there.
        await expect(of.getByRole("table", { name: "Likeliest tokens here" })).toBeVisible();
        phases[phase] = await numbersOf(of);
      }
      return phases;
    };
    const shown = await told(page);
    expect(Math.min(...Object.values(shown).map(({ length }) => length))).toBeGreaterThan(10);
    await button(page, "Share this").click();
    await button(page, "Copy link to the run").click();
    await expect(page.getByRole("dialog", { name: "Share this run" }).getByText(/^Copied\. [\d,]+ letters\.$/)).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("Escape");
    const stranger = await (await browser.newContext()).newPage();
    await stranger.goto(link);
    await expect.poll(() => new URL(stranger.url()).hash).toBe(`${place}&phase=after`);
    await expect.poll(() => numbersOf(stranger)).toEqual(shown.after);
    expect(await told(stranger)).toEqual(shown);
    await stranger.context().close();
  });

/** A host that lets any page read its file, and counts how often it is asked. */
async function fileHost(bytes: Buffer) {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Length": bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://localhost:${port}/run.rollout`, asked: () => asked, close: () => server.close() };
}

test("a recording on another host is fetched after a question that names host and size, and never by the page itself", async ({ page }) => {
  const bytes = readFileSync(EXAMPLE);
  const host = await fileHost(bytes);
  try {
    await page.goto(`./#/replay?from=${encodeURIComponent(host.url)}&bytes=${bytes.length}&at=step%3D40`);
    const question = page.getByRole("dialog", { name: "Open a recording from elsewhere?" });
    await expect(question).toContainText(new URL(host.url).host);
    await expect(question).toContainText("367 kB");
    expect(await seriousProblems(page)).toEqual([]);
    expect(host.asked()).toBe(0);
    await question.getByRole("button", { name: "Fetch and open it" }).click();
    await reach(page, "finished");
    expect((await snapshot(page)).metrics).toHaveLength(40);
    expect(host.asked()).toBe(1);
    // The page, and the worker in which its engine runs, reach nobody.
    const reached = (of: { evaluate: Page["evaluate"] }) =>
      of.evaluate(
        (url: string) =>
          fetch(url).then(
            () => "reached",
            () => "refused",
          ),
        host.url,
      );
    expect(await reached(page)).toBe("refused");
    const trainer = page.workers().find((worker) => worker.url().includes("trainer-"))!;
    expect(
      await trainer.evaluate(
        (url: string) =>
          fetch(url).then(
            () => "reached",
            () => "refused",
          ),
        host.url,
      ),
    ).toBe("refused");
    expect(host.asked()).toBe(1);
    // Another size than the link says is no recording of that link.
    await page.goto(`./#/replay?from=${encodeURIComponent(host.url)}&bytes=1000`);
    await button(page, "Fetch and open it").click();
    await expect(page.getByRole("alert")).toContainText("at most 1000 bytes");
  } finally {
    host.close();
  }
});

test("a recording that is dropped opens beside no run, and is only listed while one trains", async ({ page }) => {
  await openLab(page, "#/learn");
  const drop = async () => {
    const transfer = await page.evaluateHandle((base64) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], "calculator.rollout"));
      return data;
    }, readFileSync(EXAMPLE).toString("base64"));
    await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
  };
  await drop();
  await reach(page, "finished");
  await page.goto("./#/rollouts?step=40");
  await expect(page.getByRole("heading", { name: "Completion 1" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Keep" })).toHaveCount(0);
  await page.reload();
  await engineIsUp(page);
  await start(page, { ...TABLE, steps: 0 });
  const { runId } = await snapshot(page);
  await drop();
  await expect(page.getByRole("region", { name: "Runs from elsewhere" })).toBeFocused();
  expect((await snapshot(page)).runId).toBe(runId);
});

testInEmptyPage("an example plays, and a damaged link or a foreign one is refused in words", async ({ page }) => {
  await openLab(page, "#/replay?example=search");
  await expect(page.getByText("Recording", { exact: true })).toBeVisible();
  await reachStep(page, 2);
  for (const [hash, said] of [
    ["run=cm9sbG91dA", "it is no saved run, or was cut short"],
    ["from=ftp%3A%2F%2Fhost%2Fa", "must name an address that begins with https"],
    ["example=nothing", 'there is no example "nothing"'],
  ] as const) {
    await page.goto(`./#/replay?${hash}`);
    await expect(page.getByRole("dialog").getByRole("alert")).toContainText(said);
    await page.keyboard.press("Escape");
  }
});
