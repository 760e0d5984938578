// The verdict asked at every step of a run that goes on: rarely a false alarm anywhere along a flat one, soon a rise
// like those recorded, and no number in its sentence that the records do not hold.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { BaselineRecord, EvaluationRecord } from "../../../src/protocol/records.ts";
import { Random } from "../../../src/rl/random.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";
import { tries } from "../../support/long.ts";
import { unrecorded } from "../../support/quotes.ts";
import { FLAT, told, toldUntil } from "./flatSeries.ts";

const SERIES = 500;
/** Far from 5 % a fifth of the series shows it as well: the noises of autocorrelation 0.5 alone come near. */
const seriesOf = (kind: string): number => (kind.endsWith("0.5") ? SERIES : tries(100, SERIES));
const STEPS = 100;

/** Steps at which a watcher asks: each at first, then ever fewer, to bound the time. */
const ASKED = Array.from({ length: STEPS }, (_, i) => i + 1).filter((n) => n < 30 || n % 5 === 0);

describe("the verdict asked step by step", () => {
  const rates: string[] = [];
  it.each(Object.entries(FLAT))("of flat runs of %s gives less than 5 %% a false alarm anywhere", (kind, make) => {
    const series = seriesOf(kind);
    let alarms = 0;
    for (let seed = 0; seed < series; seed++) {
      const next = make(new Random(seed).fork(kind));
      const until = toldUntil(Array.from({ length: STEPS }, next));
      if (ASKED.some((n) => judgeRun(until(n)).verdict !== "no evidence yet")) alarms += 1;
    }
    rates.push(`${kind}: ${((100 * alarms) / series).toFixed(1)} % false alarms`);
    expect(alarms / series).toBeLessThan(0.05);
  });

  // Levels as recorded, means of three seeds drawn smooth, and the noise that the recorded groups of such runs have.
  it.each([
    ["calculator", [0.27, 0.42, 0.57, 0.7, 0.77, 0.83, 0.87, 0.9, 0.9, 0.9], 0.057],
    ["digit sum with a critic", [0.05, 0.11, 0.18, 0.25, 0.32, 0.38, 0.43, 0.46, 0.49, 0.51], 0.053],
    ["tic-tac-toe", [0.32, 0.52, 0.74, 0.87, 0.92, 0.95, 1, 1.06, 1.14, 1.18], 0.115],
    ["guess a number", [0.6, 0.7, 0.79, 0.83, 0.89, 0.98, 1.05, 1.09, 1.13, 1.15], 0.09],
    ["countdown", [0.57, 0.58, 0.65, 0.73, 0.82, 0.88, 0.91, 0.96, 1.03, 1.08], 0.105],
    ["search", [0.3, 0.45, 0.54, 0.6, 0.67, 0.73, 0.73, 0.72, 0.75, 0.79], 0.09],
  ] as const)(`of ${SERIES} rises like that of %s finds 95 %% within 10 steps`, (kind, levels, noise) => {
    let found = 0;
    for (let seed = 0; seed < SERIES; seed++) {
      const random = new Random(seed).fork(kind);
      const values = levels.map((level) => ({ value: level + noise * random.normal(), variance: noise * noise }));
      if ([8, 9, 10].some((n) => ["improving", "plateau"].includes(judgeRun(told(values.slice(0, n))).verdict))) found += 1;
    }
    rates.push(`${kind}: ${((100 * found) / SERIES).toFixed(1)} % found within 10 steps`);
    expect(found / SERIES).toBeGreaterThanOrEqual(0.95);
  });

  it("has these rates", () => process.stdout.write(`\n${rates.join("\n")}\n`));
});

interface Result {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly number[])[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
}

function resultsOf(folder: string): readonly (readonly [string, Result])[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return resultsOf(path);
    return /^seed-\d+\.json$/.test(entry.name) ? [[path, JSON.parse(readFileSync(path, "utf8")) as Result] as const] : [];
  });
}

describe("the verdict on the recorded runs, at every step", () => {
  it("sees the calculator rise by step 8 and the router by step 27", () => {
    const rewards = (path: string, count: number) => {
      const { columns, rows } = JSON.parse(readFileSync(path, "utf8")) as Result;
      return rows
        .map((row) => row[columns.indexOf("reward")]!)
        .filter(Number.isFinite)
        .slice(0, count)
        .map((value) => ({ value }));
    };
    const { verdict, sentence } = judgeRun(told(rewards("results/calculator/seed-0.json", 8)));
    expect([verdict, sentence]).toEqual([
      "improving",
      "The reward rose from 0.312 (mean of steps 1 to 2) to 0.934 (mean of steps 7 to 8); it is too early to say whether the rise goes on.",
    ]);
    for (const seed of [0, 1, 2]) expect(judgeRun(told(rewards(`results/router/seed-${seed}.json`, 27))).verdict).toBe("improving");
  });

  const results = resultsOf("results").filter(([path]) => !/digit-sum\/|arithmetic\/[^/]+\/seed/.test(path) || path.includes("seed-0"));
  it.each(results)("quotes only what is recorded: %s", (_, { columns, rows, evaluations, baselines }) => {
    const column = (key: string) => rows.map((row) => row[columns.indexOf(key)]!).filter(Number.isFinite);
    const [values, success] = [column("reward"), column("success_rate")];
    const recorded = values.map((reward, i) => ({ step: i + 1, metrics: { reward, success_rate: success[i] ?? Number.NaN } }));
    for (let n = 1; n <= values.length; n += n < 40 ? 1 : 5) {
      const asked = evaluations.filter(({ step }) => step <= n);
      const steps = values.slice(0, n).map((_, i) => i + 1);
      const metric = (key: string) =>
        key === "reward"
          ? { steps, values: values.slice(0, n) }
          : key === "success_rate"
            ? { steps, values: success.slice(0, n) }
            : { steps: [], values: [] };
      const { sentence } = judgeRun({ metric, evaluations: asked, baselines });
      expect([sentence, ...unrecorded(sentence, { steps: recorded.slice(0, n), evaluations: asked })]).toEqual([sentence]);
    }
  });
});
