// Runs that are ended at random moments, in every way a run can end and with everything that may go on beside
// them: none is lost, nothing that was told is, and each goes on to the same numbers, weights and conversations,
// to the bit. A handful here; npm run test:kill makes more. What is tried: KILLED_RUNS (test/support/killedRuns.ts),
// times KINDS of ends, times what is UNDER_WAY.
import { createHash } from "node:crypto";
import { type Page, test } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { asTable, dice, KILLED_RUNS } from "../support/killedRuns.ts";
import { tries } from "../support/long.ts";
import { type Asked, askEngine, openBeside } from "./engineBeside.ts";
import { endBy, ENDS as KINDS, profileFolder, startBrowser } from "./killing.ts";
import { expect, reach, snapshot, start, timeless } from "./lab.ts";

const TRIALS = Number(process.env.KILL_TRIALS ?? tries(2, 6));
const SEED = Number(process.env.KILL_SEED ?? 1);
const FIRST = Number(process.env.KILL_FIRST ?? 0);

const RACED_STEPS = 411;
const UNDER_WAY = ["nothing", "race", "lesson", "ask", "otherwise", "alternatives", "evaluation", "first steps"] as const;
type UnderWay = (typeof UNDER_WAY)[number];

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Conversations, without which steps can still be looked at: those since the weights were last saved, in a run that went on. */
function groupsOf(text: string): string {
  const { oldestStep: _, ...answer } = JSON.parse(text) as { readonly oldestStep: number };
  return JSON.stringify(answer);
}

/** All that a finished run is held to. */
async function recordOf(page: Page) {
  const { metrics, evaluations, baselines, config, step } = await snapshot(page);
  const weights = digest(await askEngine(page, { type: "export-model" }, true));
  const groups = config?.kind === "supervised" ? "" : digest(groupsOf(await askEngine(page, { type: "inspect", step }, true)));
  return { metrics: timeless(metrics), evaluations, baselines, config, weights, groups };
}

interface Reference {
  readonly record: Awaited<ReturnType<typeof recordOf>>;
  readonly durationMs: number;
}

/** What a run comes to that nothing ends, and how long it takes to its end. */
const references = new Map<string, Reference>();
async function reference(page: Page, url: string, name: string, config: RunConfigInput): Promise<Reference> {
  const known = references.get(name);
  if (known) return known;
  await openBeside(page, url);
  const errors: string[] = [];
  const note = ({ message }: Error) => errors.push(message);
  page.on("pageerror", note);
  await start(page, config);
  // From here on, as in the run that is ended: what the engine brings before is here by then.
  const begun = performance.now();
  await reach(page, "finished");
  const durationMs = performance.now() - begun;
  const made = { record: await recordOf(page), durationMs };
  // Nothing of it is left for the run that is ended.
  await page.evaluate(() => window.rolloutLab.reset());
  page.off("pageerror", note);
  expect(errors, "uncaught errors on the page").toEqual([]);
  references.set(name, made);
  return made;
}

/** Resolves at the end of a step, or of the run. */
function untilStep(page: Page, step: number): Promise<void> {
  return page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const look = () => {
          const { state, step: now } = window.rolloutLab.snapshot();
          if (now >= wanted || state === "finished") done();
        };
        const stop = window.rolloutLab.on((event) => (event.type === "steps" || event.type === "state") && look());
        const done = () => {
          stop();
          resolve();
        };
        look();
      }),
    step,
  );
}

const LOOKS: Readonly<Partial<Record<UnderWay, (config: RunConfigInput) => Asked>>> = {
  ask: () => ({ type: "ask", samples: 8 }),
  otherwise: ({ groupSize = 8 }) => ({
    ...{ type: "otherwise", step: 1 },
    byHand: { promptIndex: 0, rewards: Array.from({ length: groupSize }, (_, member) => member % 2) },
    copy: { promptIndex: 0, samples: 8 },
  }),
  alternatives: () => ({ type: "alternatives", step: 1, promptIndex: 0, trajectoryIndex: 0 }),
};

/** Brings what goes on beside a run, which stands still meanwhile, to where it begins. */
async function setUp(page: Page, what: UnderWay, roll: (limit: number) => number): Promise<void> {
  if (what === "race") {
    await page.evaluate(() =>
      location.assign("#/compare?preset=digit-sum-transformer&steps=411&vary=learningRate&values=0.001,0.01,0.1&seeds=2"),
    );
    await page.getByRole("button", { name: "Start the race", exact: true }).click();
  } else if (what === "lesson") {
    const lesson = ["policy-gradient", "ratio", "kl", "critic"][roll(4)];
    await page.evaluate((id) => location.assign(`#/learn?lesson=${id}`), lesson);
    const answers = page.getByRole("radiogroup", { name: "Your prediction" }).locator(".answer");
    const typed = page.locator(".prediction input");
    await answers.or(typed).first().waitFor();
    if ((await answers.count()) > 0) await answers.nth(1).click();
    else await typed.first().fill("0.3");
    await page.getByRole("button", { name: /^Lock in/ }).click();
  }
}

/** Sets going what goes on in the run's own engine. */
async function setGoing(page: Page, what: UnderWay, config: RunConfigInput): Promise<void> {
  if (what === "evaluation") await untilEvaluated(page);
  const look = LOOKS[what];
  if (!look) return;
  await untilStep(page, 1);
  for (let times = 0; times < 3; times++) await askEngine(page, look(config), false);
}

/** Resolves once held-out problems are being answered, or the run is over. */
function untilEvaluated(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const stop = window.rolloutLab.on((event) => {
          const isOver = event.type === "state" && event.state === "finished";
          if (!isOver && !(event.type === "phase" && event.phase === "evaluate")) return;
          stop();
          resolve();
        });
        if (window.rolloutLab.snapshot().state === "finished") resolve();
      }),
  );
}

const rows: (readonly (string | number)[])[] = [];

// In one worker, which trains what they are compared with once. They start browsers of their own, and want no page of the tests.
test.describe.configure({ mode: "default", retries: 0 });

test.afterAll(() => {
  if (rows.length === 0) return;
  console.log(asTable([["trial", "run", "ended by", "under way", "after", "told", "kept", "of", "outcome"], ...rows]));
});

for (let trial = FIRST; trial < FIRST + TRIALS; trial++) {
  const roll = dice(SEED * 1000 + trial);
  const kind = KINDS[trial % KINDS.length]!;
  const underWay = UNDER_WAY[(trial + Math.floor(trial / KINDS.length)) % UNDER_WAY.length]!;
  const [name, config] = KILLED_RUNS[(trial * 5 + 3) % KILLED_RUNS.length]!;
  const share = roll(110);

  test(`trial ${trial}: ${name}, ${kind}, ${underWay} under way, after ${share} % of its time`, async ({ baseURL }) => {
    test.setTimeout(120_000);
    const url = `${baseURL}#/train`;
    const profile = profileFolder();
    let browser = await startBrowser(profile.path);
    const row: (string | number)[] = [trial, name, kind, underWay, `${share} %`];
    try {
      let told = 0;
      const { page: first } = browser;
      const { record: expected, durationMs } = await reference(first, url, name, config);
      await first.exposeFunction("noteStep", (step: number) => {
        told = Math.max(told, step);
      });
      await openBeside(first, url);
      await first.evaluate(() => {
        const { noteStep } = window as unknown as { noteStep(step: number): void };
        window.rolloutLab.on((event) => event.type === "steps" && noteStep(event.records.at(-1)?.step ?? 0));
      });
      // One that is ended before it has begun answers nobody.
      const started = first.evaluate((given) => window.rolloutLab.start(given).catch(() => {}), config).catch(() => {});
      if (underWay !== "first steps") {
        await started;
        await first.evaluate(() => window.rolloutLab.pause());
        await setUp(first, underWay, roll);
        await first.evaluate(() => window.rolloutLab.resume().catch(() => {}));
        await setGoing(first, underWay, config);
      }
      await first.waitForTimeout((durationMs * share) / 100);
      browser = await endBy(kind, browser, profile.path, roll(2) * roll(30));
      const { page } = browser;
      await openBeside(page, url);
      const all = await page.evaluate(() => window.rolloutLab.saves());
      // Runs of a race are kept too.
      const saves = all.filter((each) => underWay !== "race" || each.config?.steps !== RACED_STEPS);
      expect(saves.length, "a lesson saves nothing").toBeLessThanOrEqual(1);
      const [save] = saves;
      row.push(told, save?.step ?? "nothing", config.steps ?? 0);
      if (told > 0) expect(save, "the run is there").toBeDefined();
      if (save) {
        expect(save.step, "nothing that was told is lost").toBeGreaterThanOrEqual(told);
        await page.evaluate((id) => window.rolloutLab.continue(id), save.runId);
        expect((await snapshot(page)).step).toBe(save.step);
        await page.evaluate(() => window.rolloutLab.resume().catch(() => {}));
        await reach(page, "finished");
        const record = await recordOf(page);
        // A run that was over takes no step again: its last conversations went with the page that had them.
        const isOver = save.step === config.steps;
        for (const key of Object.keys(expected) as (keyof typeof expected)[])
          if (!(key === "groups" && isOver)) expect(record[key], key).toEqual(expected[key]);
      }
      row.push(save ? "equal" : "nothing to go on with");
    } finally {
      if (row.length < 9) row.push("NOT EQUAL");
      rows.push(row);
      await browser.kill();
      profile.remove();
    }
  });
}
