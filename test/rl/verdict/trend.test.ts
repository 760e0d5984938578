// The verdict asked at every step of a run that goes on: rarely a false alarm anywhere along a flat one, soon a rise
// like those recorded, and no number in its sentence that the records do not hold.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { measureText, shareText } from "../../../src/protocol/quantities.ts";
import type { BaselineRecord, EvaluationRecord } from "../../../src/protocol/records.ts";
import { wilsonInterval } from "../../../src/rl/accuracy.ts";
import { Random } from "../../../src/rl/random.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";

const SERIES = 500;
const STEPS = 100;

type Make = (random: Random) => () => number;
const autoregressive = (rho: number): Make => {
  return (random) => {
    let x = random.normal();
    return () => (x = rho * x + Math.sqrt(1 - rho * rho) * random.normal());
  };
};
const FLAT: Readonly<Record<string, Make>> = {
  "independent noise": autoregressive(0),
  "noise of autocorrelation 0.3": autoregressive(0.3),
  "noise near its upper bound": (random) => () => Math.min(1, 0.95 + 0.1 * random.normal()),
  "shares of eight answers": (random) => () => Array.from({ length: 8 }, () => Number(random.uniform() < 0.5)).reduce((a, b) => a + b) / 8,
  "rare successes": (random) => () => Number(random.uniform() < 0.1),
  "skewed noise": (random) => () => -Math.log(random.uniform() + 1e-12),
  constant: () => () => 0.5,
};

function told(values: readonly number[], evaluations: readonly EvaluationRecord[] = [], baselines: readonly BaselineRecord[] = []) {
  const points = { steps: values.map((_, i) => i + 1), values };
  return { metric: (key: string) => (key === "reward" ? points : { steps: [], values: [] }), evaluations, baselines };
}

/** Steps at which a watcher asks: each at first, then ever fewer, to bound the time. */
const ASKED = Array.from({ length: STEPS }, (_, i) => i + 1).filter((n) => n < 40 || n % 5 === 0);

describe("the verdict asked step by step", () => {
  const rates: string[] = [];
  it.each(Object.entries(FLAT))("of 500 flat runs of %s gives less than 5 %% a false alarm anywhere", (kind, make) => {
    let alarms = 0;
    for (let seed = 0; seed < SERIES; seed++) {
      const next = make(new Random(seed).fork(kind));
      const values = Array.from({ length: STEPS }, next);
      if (ASKED.some((n) => judgeRun(told(values.slice(0, n))).verdict !== "no evidence yet")) alarms += 1;
    }
    rates.push(`${kind}: ${((100 * alarms) / SERIES).toFixed(1)} % false alarms`);
    expect(alarms / SERIES).toBeLessThan(0.05);
  });

  // Levels and noise as recorded of the calculator (three seeds) and of the critic's run.
  it.each([
    ["calculator", [0.24, 0.42, 0.58, 0.69, 0.77, 0.83, 0.87, 0.9, 0.9, 0.91], 0.057],
    ["digit sum with a critic", [0.05, 0.11, 0.18, 0.24, 0.32, 0.38, 0.43, 0.46, 0.49, 0.51], 0.053],
  ] as const)("of 500 rises like that of the %s finds 95 %% within 10 steps", (kind, levels, noise) => {
    let found = 0;
    for (let seed = 0; seed < SERIES; seed++) {
      const random = new Random(seed).fork(kind);
      const values = levels.map((level) => level + noise * random.normal());
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

/** What a sentence may quote of the records up to a step, as texts. */
function isRecorded(text: string, values: readonly number[], evaluations: readonly EvaluationRecord[]): boolean {
  const mean = (part: readonly number[]) => part.reduce((sum, each) => sum + each, 0) / part.length;
  const levels = text.matchAll(/(The greedy accuracy|The sampled accuracy|The reward) /g);
  const [, name] = [...levels][0] ?? [];
  for (const [, said, from, to] of text.matchAll(/(\S+) \(mean of steps (\d+) to (\d+)\)/g))
    if (said !== measureText(mean(values.slice(Number(from) - 1, Number(to))))) return false;
  for (const [, said, step] of text.matchAll(/(?:from|to) (\S+(?: %)?) at step (\d+)/g)) {
    const evaluation = evaluations.find((each) => each.step === Number(step));
    const share = name === "The greedy accuracy" ? evaluation?.greedyAccuracy : evaluation?.sampledAccuracy;
    if (said !== (name === "The reward" ? measureText(values[Number(step) - 1]!) : shareText(share ?? Number.NaN))) return false;
  }
  for (const [, right, of, step, surely] of text.matchAll(/(\d+) of (\d+) .* at step (\d+): surely more than (\S+ %)/g)) {
    const { problems, greedyAccuracy, sampledAccuracy, samplesPerProblem } = evaluations.find((each) => each.step === Number(step))!;
    const [count, share] = problems > 1 ? [problems, greedyAccuracy] : [samplesPerProblem, sampledAccuracy];
    if (Number(of) !== count || Number(right) !== Math.round(share * count)) return false;
    if (surely !== shareText(wilsonInterval(Number(right), count)[0])) return false;
  }
  return true;
}

describe("the verdict on the recorded runs, at every step", () => {
  it("sees the calculator rise by step 8 and the router by step 27", () => {
    const rewards = (path: string, count: number) => {
      const { columns, rows } = JSON.parse(readFileSync(path, "utf8")) as Result;
      return rows
        .map((row) => row[columns.indexOf("reward")]!)
        .filter(Number.isFinite)
        .slice(0, count);
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
    for (let n = 1; n <= values.length; n += n < 40 ? 1 : 5) {
      const asked = evaluations.filter(({ step }) => step <= n);
      const { steps } = told(values.slice(0, n)).metric("reward");
      const metric = (key: string) =>
        key === "reward"
          ? { steps, values: values.slice(0, n) }
          : key === "success_rate"
            ? { steps, values: success.slice(0, n) }
            : { steps: [], values: [] };
      const { sentence } = judgeRun({ metric, evaluations: asked, baselines });
      expect(isRecorded(sentence, values, asked), sentence).toBe(true);
    }
  });
});
