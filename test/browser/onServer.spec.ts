// A run whose model lies on a server, driven from the page: chosen in the form, paused with the reason where the server refuses or dies, and gone on
// with; what a server does not tell is said. The server is the project's own small one, behind the page's server.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { serve } from "../../scripts/serve.mjs";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { isLong, longOnly } from "../support/long.ts";
import { serveTinker, type TinkerHttp } from "../support/tinkerHttp.ts";
import { TinkerServer, type TinkerServerOptions } from "../support/tinkerServer.ts";
import {
  button,
  chartColumns,
  choose,
  engineIsUp,
  expect,
  field,
  reach,
  reachStep,
  runButton,
  snapshot,
  start,
  testInEmptyPage,
  timeless,
} from "./lab.ts";
import { overflow, picture, seriousProblems } from "./looks.ts";

const KEY = "tml-very-secret-key";
const SMALL: RunConfigInput = {
  ...{ algorithm: "grpo", backend: "tinker", loraRank: 2, groupSize: 4, promptsPerStep: 2, evalEvery: 0, evalProblems: 4, evalSamples: 1 },
  learningRate: 1e-3,
};

/** The port that the lab's server passes requests on to. */
const portOf = (parallelIndex: number) => 45_650 + parallelIndex;

/** A server of the lab. One for all tests, so that they have one page with one cache. */
let site: ReturnType<typeof serve> | null = null;

const test = testInEmptyPage.extend({
  // biome-ignore lint/correctness/noEmptyPattern: fixtures are told apart by what they take apart
  baseURL: async ({}, use, { parallelIndex }) => {
    process.env.TINKER_API_KEY = KEY;
    site ??= serve({ port: 45_600, host: "localhost", tinker: `http://127.0.0.1:${portOf(parallelIndex)}` });
    await use((await site).url);
  },
});
test.describe.configure({ mode: "default" });
test.afterAll(async () => {
  delete process.env.TINKER_API_KEY;
  (await site)?.close();
});

/** Opens the lab from its server, which passes requests on to a small server with one of the lab's checkpoints. */
async function withServer(page: Page, options: TinkerServerOptions, use: (http: TinkerHttp) => Promise<void>): Promise<void> {
  const http = await serveTinker(new TinkerServer(options), portOf(test.info().parallelIndex));
  try {
    await page.goto("./#/train");
    await engineIsUp(page);
    await use(http);
  } finally {
    http.close();
  }
}

async function chooseServer(page: Page): Promise<void> {
  await field(page, "Engine", "Autosave every");
  await page.locator('[data-field="backend"]').getByRole("button").first().click();
  await page.getByRole("option", { name: "On a server" }).click();
}

test("a run on a server is chosen in the form, pauses where the key is refused or the server dies, and goes on", async ({ page }) => {
  await withServer(page, {}, async (http) => {
    await chooseServer(page);
    const note = page.getByRole("region", { name: "The server" });
    await expect(note).toContainText("/models/base");
    await expect(note).toContainText("one of the lab's own");
    expect(await seriousProblems(page)).toEqual([]);
    await start(page, { ...SMALL, task: "boxed-arithmetic", klCoef: 0.05, steps: 12 });
    await reachStep(page, 2);
    http.refusesKeys = true;
    await reach(page, "paused");
    await expect(page.getByText(/refused the key \(status 401.*set TINKER_API_KEY/)).toBeVisible();
    http.refusesKeys = false;
    // It comes back without anything that was not saved.
    http.tinker.restart();
    await runButton(page).click();
    await reach(page, "finished");
    const { metrics } = await snapshot(page);
    expect(metrics).toHaveLength(12);
    expect(metrics.at(-1)!.metrics).not.toHaveProperty("entropy");
    await expect(page.getByText(/^Entropy not known: a server gives/)).toBeVisible();
    await expect(page.getByText(/^Gradient norm not known/)).toBeVisible();
    expect(http.keys).toEqual(new Set([KEY]));
    expect(await page.content()).not.toContain(KEY);
    expect(JSON.stringify(await snapshot(page))).not.toContain(KEY);
  });
});

test("a run whose server is away for some seconds says so and why, says that it is back, and goes on by itself", async ({ page }) => {
  await withServer(page, {}, async (http) => {
    await start(page, { ...SMALL, task: "boxed-arithmetic", steps: 0 });
    await reachStep(page, 2);
    http.isAway = true;
    const notice = page.locator(".notice");
    await expect(notice).toContainText(/has not answered for \d+ s \(the connection broke off: .*\)\. It is asked again for up to 60 s/);
    expect((await snapshot(page)).state).toBe("running");
    // In sight wherever the page is scrolled to.
    await expect(page.locator(".position-state")).toHaveText("waits for its server");
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 800 });
      expect((await overflow(page)).width).toBe(width);
    }
    expect(await seriousProblems(page)).toEqual([]);
    http.isAway = false;
    await expect(notice).toContainText("answers again; the run goes on.");
    await reachStep(page, (await snapshot(page)).step + 1);
    await page.evaluate(() => window.rolloutLab.stop());
    await reach(page, "finished");
    // Of what has passed nothing is said beside a run that stands still.
    await expect(notice).toHaveCount(0);
  });
});

for (const [what, task, taskOptions, checkpoint] of [
  ["that calls tools", "calculator", {}, "tools"],
  ["of two agents", "checked-arithmetic", { frozenStart: "checker" }, "agents"],
] as const)
  test(`a run ${what} is explained, asked and taken on a copy on a server`, async ({ page }) => {
    await withServer(page, { checkpoint }, async () => {
      await start(page, { ...SMALL, task, taskOptions, checkpoint, klCoef: 0.02, steps: 2 });
      await reach(page, "finished");
      await page.getByRole("button", { name: /^Ask the model start and now/ }).click();
      await page.locator(".ask-form").getByRole("button").click();
      await expect(page.locator(".asked-side")).toHaveCount(2);
      await page.evaluate(() => {
        window.location.hash = "#/explain?phase=after";
      });
      await expect(page.getByText("a server gives probabilities only")).toBeVisible();
      await button(page, "You are the reward: another step, on a copy").click();
      await button(page, "Turn them round").click();
      await button(page, "Take this step on a copy").click();
      await expect(page.getByText(/On the copy|on the copy of/i).first()).toBeVisible();
      for (const width of [1280, 375]) {
        await page.setViewportSize({ width, height: 800 });
        // Tables may scroll in frames of their own; the page may not.
        expect((await overflow(page)).width).toBe(width);
      }
    });
  });

const ARITHMETIC: RunConfigInput = { ...SMALL, task: "boxed-arithmetic", klCoef: 0.02, steps: 6, checkpointEvery: 2 };

test(
  longOnly("a run on a server is closed, opened again, forked and raced with the numbers of one that nothing closed"),
  async ({ page }) => {
    test.skip(!isLong);
    test.slow();
    await withServer(page, {}, async (http) => {
      await start(page, ARITHMETIC);
      await reach(page, "finished");
      const quiet = timeless((await snapshot(page)).metrics);
      await page.evaluate(() => window.rolloutLab.reset());

      // Closed in its middle, and the server with it: what the run stands on are the weights that it saved there.
      const runId = await start(page, ARITHMETIC);
      await reachStep(page, 3);
      await page.evaluate(() => window.rolloutLab.pause());
      const paused = (await snapshot(page)).step;
      http.tinker.restart();
      await page.reload();
      await engineIsUp(page);
      await page.evaluate((id) => window.rolloutLab.continue(id), runId);
      expect((await snapshot(page)).step).toBe(paused);
      await page.evaluate(() => window.rolloutLab.resume());
      await reach(page, "finished");
      expect(timeless((await snapshot(page)).metrics)).toEqual(quiet);

      await page.getByRole("link", { name: "Runs", exact: true }).click();
      await page.locator(".runs-table tbody tr").first().getByRole("link").first().click();
      await button(page, "Fork").click();
      const form = page.getByRole("region", { name: "Fork" });
      await form.getByRole("textbox", { name: "After step" }).fill("3");
      await page.keyboard.press("Enter");
      await button(page, "Fork it").click();
      await reach(page, "paused");
      expect((await snapshot(page)).step).toBe(3);
      await page.evaluate(() => window.rolloutLab.resume());
      await reach(page, "finished");
      // The form proposes another learning rate, which the fourth step is the first to take.
      const forked = timeless((await snapshot(page)).metrics);
      expect(forked.slice(0, 3)).toEqual(quiet.slice(0, 3));
      expect(forked[3]!.metrics.reward).toBe(quiet[3]!.metrics.reward);
      expect(forked[3]!.metrics.learning_rate).not.toBe(quiet[3]!.metrics.learning_rate);

      await page.getByRole("link", { name: "Compare", exact: true }).click();
      await choose(page, "What varies", "Learning rate");
      await button(page, "Start the race").click();
      await expect(page.locator(".race-controls [role=status]")).toContainText("Finished", { timeout: 60_000 });
      const { "A reward": rewards = [] } = await chartColumns(page, "Reward");
      expect(rewards).toHaveLength(6);
    });
  },
);

/** Here a task with tools and several turns, in the long run the others as well. */
for (const [task, checkpoint, taskOptions] of [
  ["calculator", "tools", {}],
  ...(isLong
    ? ([
        ["boxed-arithmetic", "base", {}],
        ["checked-arithmetic", "agents", { frozenStart: "checker" }],
      ] as const)
    : []),
] as const)
  test(`every screen shows a run of ${task} on a server, while it trains and when it is over`, async ({ page }) => {
    test.slow();
    await withServer(page, { checkpoint }, async () => {
      await start(page, { ...SMALL, task, taskOptions, checkpoint, klCoef: 0.02, steps: 40 });
      await reachStep(page, 2);
      await lookAround(page, `${task}-training`, ["train", "rollouts"]);
      await page.evaluate(() => window.rolloutLab.stop());
      await reach(page, "finished");
      await lookAround(page, `${task}-over`, ["train", "rollouts", "explain", "compare", "runs"]);
      await page.evaluate(() => {
        window.location.hash = "#/rollouts";
      });
      await page.getByRole("button", { name: "The same rollouts under every algorithm" }).click();
      await expect(page.locator("table.strips tbody tr").first()).toBeVisible();
      await expect(page.getByText("This run's own strip equals the weights its trainer recorded.")).toBeVisible();
      await expect(page.getByRole("alert")).toHaveCount(0);
    });
  });

/** Looks at screens, wide and light, narrow and dark: nothing sticks out, nothing is wrong. */
async function lookAround(page: Page, name: string, screens: readonly string[]): Promise<void> {
  for (const screen of screens) {
    await page.evaluate((to) => {
      window.location.hash = `#/${to}`;
    }, screen);
    for (const [width, colorScheme] of [
      [1280, "light"],
      [375, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
      expect((await overflow(page)).width, `${name}, ${screen}, ${width} px`).toBe(width);
      await picture(page, `${name}-${screen}-${width}`, true);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  }
}

test("of a model of the hub on a server the tokenizer alone is brought", async ({ page }) => {
  const asked: string[] = [];
  await page.context().route("https://huggingface.co/**", async (route) => {
    const { pathname } = new URL(route.request().url());
    const name = pathname.replace("/lab/large/resolve/main/", "");
    // Its template stands in the tokenizer's settings, and it has no others.
    if (name === "chat_template.jinja" || name === "generation_config.json")
      return route.fulfill({ status: 404, headers: { "access-control-allow-origin": "*" } });
    asked.push(pathname);
    const body = name === "config.json" ? '{"model_type":"of_experts","vocab_size":512}' : await readFile(`public/tokenizers/lab/${name}`);
    await route.fulfill({ body, headers: { "access-control-allow-origin": "*" } });
  });
  await withServer(page, { offers: "lab/large" }, async () => {
    await chooseServer(page);
    await expect(start(page, { ...SMALL, task: "boxed-arithmetic", checkpoint: "lab/large", steps: 1 })).rejects.toThrow(
      /checkpoint must be a model whose tokenizer this browser has, got lab\/large: choose it once more beside the backend/,
    );
    expect(asked).toEqual([]);
    await button(page, "Train lab/large").click();
    await expect(page.getByRole("region", { name: "The server" })).toContainText("Chosen");
    expect(asked).toEqual(["config.json", "tokenizer.json", "tokenizer_config.json"].map((file) => `/lab/large/resolve/main/${file}`));
    await start(page, { ...SMALL, task: "boxed-arithmetic", checkpoint: "lab/large", steps: 1 });
    await reach(page, "finished");
  });
});

testInEmptyPage("where no server was named the choice says how to get one, and a start is refused", async ({ page }) => {
  await page.goto("./#/train");
  await engineIsUp(page);
  await chooseServer(page);
  await expect(page.getByText("npm start -- --tinker URL")).toBeVisible();
  await expect(start(page, { ...SMALL, task: "boxed-arithmetic", steps: 1 })).rejects.toThrow(
    /backend tinker needs the lab to be started with a server that speaks the Tinker API: npm start -- --tinker URL/,
  );
});
