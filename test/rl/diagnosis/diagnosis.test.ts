// Diagnoses on real runs: each is found in the preset that goes wrong in its way, and in none that goes well.
// Runs on a transformer were recorded once, since their bits depend on the processor.
import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { readCases } from "../../../src/cli/causes/cases.ts";
import { trainRun } from "../../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { paidParts } from "../../../src/protocol/run/paidParts.ts";
import { entropyCollapse } from "../../../src/rl/diagnosis/entropyCollapse.ts";
import { type Diagnosed, diagnose, diagnoses } from "../../../src/rl/diagnosis/index.ts";
import { learningRateTooHigh } from "../../../src/rl/diagnosis/learningRateTooHigh.ts";
import { memorising } from "../../../src/rl/diagnosis/memorising.ts";
import { neverRight } from "../../../src/rl/diagnosis/neverRight.ts";
import { nothingEarned } from "../../../src/rl/diagnosis/nothingEarned.ts";
import { rewardHacking } from "../../../src/rl/diagnosis/rewardHacking.ts";
import { staleVariance } from "../../../src/rl/diagnosis/staleVariance.ts";
import type { RunHistory } from "../../../src/rl/verdict/history.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";
import { catalog, presets } from "../../../src/train/catalog.ts";
import { failingPresets } from "../../../src/train/failingPresets.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { isLong, longOnly } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import byHeart from "./learntByHeart.json" with { type: "json" };
import recorded from "./quietThenLost.json" with { type: "json" };

async function historyFrom(config: RunConfigInput): Promise<RunHistory> {
  const run = await trainRun(config, createNodeHost());
  const metric = (key: string) => {
    const having = run.steps.filter(({ metrics }) => metrics[key] !== undefined);
    return { steps: having.map(({ step }) => step), values: having.map(({ metrics }) => metrics[key]!) };
  };
  return { config: planRun({ config }).config, metric, evaluations: run.evaluations, baselines: run.baselines };
}

/** A run whose curves are among the results. */
async function historyOfResult(file: string): Promise<RunHistory> {
  const { config, columns, rows, evaluations, baselines } = JSON.parse(await readFile(`results/${file}`, "utf8"));
  const metric = (key: string) => {
    const at = columns.indexOf(key);
    const having = at < 0 ? [] : (rows as (number | null)[][]).filter((row) => row[at] !== null);
    return { steps: having.map(([step]) => step!), values: having.map((row) => row[at]!) };
  };
  const planned = planRun({ config }).config;
  return { config: planned, metric, evaluations, baselines, rewards: paidParts(planned, catalog) };
}

function found(history: RunHistory): readonly Diagnosed[] {
  return diagnose(history, judgeRun(history).verdict);
}

const ids = (list: readonly Diagnosed[]) => list.map(({ diagnosis }) => diagnosis.id);
const table = presets.find(({ id }) => id === "digit-sum-table")!.config;

describe("a preset that goes wrong on purpose", () => {
  it("or a short run of the table of causes is there for each diagnosis but the one that only a task of one's own can earn", async () => {
    const ofTable = (await readCases("configs/causes/failing.yaml")).map(({ cause }) => cause);
    const shown = new Set([...failingPresets.map(({ shows }) => shows), ...ofTable, neverRight.id]);
    expect([...shown].sort()).toEqual(diagnoses.map(({ id }) => id).sort());
  });

  for (const preset of failingPresets) {
    const isSlow = preset.config.model !== "tabular";
    const title = `ends with its diagnosis: ${preset.title}`;
    it.skipIf(isSlow && !isLong)(
      isSlow ? longOnly(title) : title,
      async () => {
        const history = await historyFrom(preset.config);
        const list = found(history);
        expect(ids(list)).toContain(preset.shows);
        // What the settings name is told before what follows from it.
        if (["entropy-collapse", "kl-runaway"].includes(preset.shows ?? "")) expect(ids(list)[0]).toBe(preset.shows);
        if (preset.id === "wrong-entropy") {
          expect(list[0]?.tries[0]).toMatch(/^An entropy bonus of 0: /);
          expect(list[0]?.remedy?.settings).toEqual({ entropyCoef: 0 });
        }
        for (const { evidence, tries, remedy } of list) {
          // One setting, so that what it changes is its doing alone.
          if (remedy) expect(Object.keys(remedy.settings)).toHaveLength(1);
          if (remedy) expect(() => planRun({ config: { ...preset.config, ...remedy.settings } })).not.toThrow();
          expect(evidence).toMatch(/\d/);
          expect(evidence).not.toMatch(/NaN|undefined|Infinity/);
          expect(tries.length).toBeGreaterThan(0);
        }
      },
      120_000,
    );
  }
});

describe("a run that goes well", () => {
  let history: RunHistory;
  beforeAll(async () => {
    history = await historyFrom(table);
  });

  it("has nothing wrong with it at its end", () => {
    expect(judgeRun(history).verdict).toBe("solved");
    expect(found(history)).toEqual([]);
  });

  it.each(diagnoses.map((diagnosis) => [diagnosis.title, diagnosis] as const))("shows no trace of: %s", (_, diagnosis) =>
    expect(diagnosis.find(history)).toBeNull(),
  );

  it("has nothing wrong with it on the way", async () => {
    for (const steps of [1, 20, 100, 160]) expect(ids(found(await historyFrom({ ...table, steps })))).toEqual([]);
  });
});

describe("stale variance in Adam", () => {
  const historyOfRecord = ({
    metrics,
    config,
  }: {
    readonly metrics: Readonly<Record<string, number[]>>;
    readonly config: object;
  }): RunHistory => ({
    config: planRun({ config: { ...failingPresets.find(({ id }) => id === "wrong-variance")?.config, ...config } }).config,
    metric: (key) => ({ steps: metrics[key]?.map((_, i) => i + 1) ?? [], values: metrics[key] ?? [] }),
    evaluations: [],
    baselines: [],
  });

  it("is found where one update after quiet steps throws the policy off", () => {
    const finding = staleVariance.find(historyOfRecord(recorded.usual));
    expect(finding?.evidence).toBe(
      "The update of step 200 moved the policy by 0.685 nats a token, after 10 quiet steps of 1.9e−14, at a gradient norm of 0.166; the reward then fell from 1 to 0.368. β2 is 0.999, ε is 1e-8.",
    );
  });

  it("is not found in the same run with an epsilon of 1e-5, nor with plain gradient descent", () => {
    expect(staleVariance.find(historyOfRecord(recorded.largerEps))).toBeNull();
    expect(staleVariance.find(historyOfRecord({ ...recorded.usual, config: { optimizer: "sgd" } }))).toBeNull();
  });
});

describe("memorising", () => {
  const told = (evaluation: object): RunHistory => ({
    config: planRun({ config: failingPresets.find(({ id }) => id === "wrong-memory")!.config }).config,
    metric: (key) =>
      key === "success_rate"
        ? { steps: byHeart.success_rate.map((_, i) => 101 + i), values: byHeart.success_rate }
        : { steps: [], values: [] },
    evaluations: [{ ...byHeart.evaluation, greedyInterval: [0, 0], sampledInterval: [0, 0.5614970317550455], ...evaluation }],
    baselines: [],
  });

  it("is found where training problems are solved and held-out ones are not", () =>
    expect(memorising.find(told({}))?.evidence).toBe(
      "In the last 20 steps 87 % of the answers to training problems were right; of those to 3 held-out problems 0 % were at step 120, surely between 0 % and 56 %.",
    ));

  it("is not found where held-out problems may be solved as well, or where there are none", () => {
    expect(memorising.find(told({ sampledAccuracy: 0.5, sampledInterval: [0.1, 0.9] }))).toBeNull();
    expect(memorising.find(told({ problems: 1 }))).toBeNull();
  });
});

describe("reward hacking", () => {
  it("is found in a part of weight 0 that falls while the reward rises", async () => {
    const history = await historyFrom({ ...table, rewardWeights: { sumCloseness: -1 }, steps: 200 });
    const honest = (key: string) => (key === "rewards/honesty/mean" ? history.metric("rewards/sumCloseness/mean") : history.metric(key));
    const config = { ...history.config, rewardWeights: { sumCloseness: -1, honesty: 0 } };
    expect(rewardHacking.find({ ...history, config, metric: honest })?.evidence).toContain(
      "“honesty”, which is measured but not rewarded, fell",
    );
  });

  // Rules that pay for capitals, with prompts that come with their answers; what the three seeds recorded.
  it.each([0, 1, 2])("is found where a rule is cheated in place of the answers that prompts come with, seed %i", async (seed) => {
    const history = await historyOfResult(`smollm2-shouting/seed-${seed}.json`);
    const [first] = found(history);
    expect(first?.diagnosis.id).toBe("reward-hacking");
    expect(first?.evidence).toMatch(/^The reward rose from 0\.\d+ to [\d.]+ by step 24, while the .* fell from \d+ % to /);
    // Where the prompts ask for something that has no answer, nobody said that right ones are meant.
    const { taskOptions } = history.config;
    const other = { ...history.config, taskOptions: { ...taskOptions, wanted: "sentence" } };
    expect(ids(found({ ...history, config: other }))).not.toContain("reward-hacking");
  });
});

describe("never right", () => {
  it("is found where the reward is high and the rule of success was never met, not where it was once", async () => {
    const history = await historyFrom({ ...table, steps: 30 });
    const never = (rewards: number, right: number): RunHistory => ({
      ...history,
      evaluations: [],
      metric: (key) => {
        const { steps } = history.metric("reward");
        const value = key === "reward" ? rewards : 0;
        return { steps, values: Array.from(steps, (step) => (key === "success_rate" && step === 3 ? right : value)) };
      },
    });
    expect(neverRight.find(never(0.9, 0))?.evidence).toBe(
      "The mean reward of the last 20 steps is 0.900, and not one answer in 30 steps was right.",
    );
    expect(found(never(0.9, 0)).map(({ diagnosis }) => diagnosis.id)).toContain("never-right");
    expect(neverRight.find(never(0.9, 0.01))).toBeNull();
    expect(neverRight.find(never(0.1, 0))).toBeNull();
  });
});

describe("nothing earned", () => {
  const flat = (backend: "auto" | "tinker", norms: readonly number[]): RunHistory => {
    const steps = Array.from({ length: 30 }, (_, i) => i + 1);
    const values: Readonly<Record<string, readonly number[]>> = {
      ...{ frac_reward_zero_std: steps.map(() => 1), "groups/all_wrong": steps.map(() => 1), reward: steps.map(() => 0), grad_norm: norms },
    };
    const onServer = { task: "boxed-arithmetic", algorithm: "grpo", loraRank: 2, backend } as const;
    const metric = (key: string) => ({ steps, values: [...(values[key] ?? [])] });
    return { config: planRun({ config: onServer }).config, metric, evaluations: [], baselines: [] };
  };

  it("is told with the gradient norm where that is known, and with what the run can do about it", () => {
    const here = nothingEarned.find(
      flat(
        "auto",
        Array.from({ length: 30 }, () => 0.5),
      ),
    );
    expect(here?.evidence).toContain("no answer was right; the gradient norm was 0.500.");
    expect(here?.tries.join(" ")).toContain("a higher temperature");
    const there = nothingEarned.find(flat("tinker", []));
    expect(there?.evidence).toMatch(/no answer was right\.$/);
    expect(there?.tries.join(" ")).not.toContain("temperature");
  });
});

describe("a run that recorded a part of what is looked for", () => {
  const steps = Array.from({ length: 60 }, (_, i) => i + 1);
  const all: Readonly<Record<string, readonly number[]>> = {
    entropy: steps.map((step) => 2 / step ** 2),
    "update/kl": steps.map((step) => (step <= 4 ? 0.5 : 0)),
    ...{ success_rate: steps.map(() => 0), reward: steps.map((step) => Math.min(1, step / 30) / 2) },
    ...{
      frac_reward_zero_std: steps.map((step) => (step > 20 ? 1 : 0)),
      "groups/all_wrong": steps.map(() => 1),
      kl: steps.map((step) => step),
    },
  };
  const told = (without: string, config: RunConfigInput = {}): RunHistory => ({
    config: planRun({ config: { task: "digit-sum", algorithm: "grpo", klCoef: 0.1, ...config } }).config,
    metric: (key) => (key === without ? { steps: [], values: [] } : { steps, values: [...(all[key] ?? [])] }),
    evaluations: [],
    baselines: [{ kind: "random", meanReward: 0, accuracy: 0, interval: [0, 0.1], samples: 64 }],
  });

  it.each(["", ...Object.keys(all)])("has no gap where a number belongs, without %j", (without) => {
    for (const { evidence } of diagnoses.flatMap((diagnosis) => diagnosis.find(told(without)) ?? [])) expect(evidence).not.toMatch(/–|NaN/);
  });

  it("counts the updates that moved far among all, those that moved nothing included", () => {
    expect(learningRateTooHigh.find(told(""))?.evidence).toMatch(
      /^4 of 60 updates moved the policy by more than 0.1 nats a token, half of those by more than 0.500, and 56 hardly at all; up to 0.03 is usual/,
    );
  });

  it("has no collapse where nobody counts right answers, and none of the causes of rewards where it learns from worked examples", () => {
    const flat = {
      ...told(""),
      metric: (key: string) => (key === "reward" ? { steps, values: steps.map(() => 0.1) } : told("").metric(key)),
    };
    expect(entropyCollapse.find(flat)?.evidence).toContain("while 0 % of the answers");
    expect(
      entropyCollapse.find({ ...flat, metric: (key) => (key === "success_rate" ? told(key).metric(key) : flat.metric(key)) }),
    ).toBeNull();
    expect(diagnose(flat, "plateau").length).toBeGreaterThan(0);
    expect(diagnose({ ...flat, config: { ...flat.config, kind: "supervised" } }, "plateau")).toEqual([]);
  });
});
