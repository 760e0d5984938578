// The look-ups that verdicts and diagnoses read records with.
import { expect, test } from "vitest";
import { historyOf, latest, rewardVariances, valuesAt } from "../../../src/rl/verdict/history.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { evaluationRecord } from "./syntheticRuns.ts";

const records = [
  { step: 1, metrics: { reward: 0.5, kl: 0.1 } },
  { step: 2, metrics: { reward: Number.NaN, kl: 0.2 } },
  { step: 5, metrics: { reward: 0.75 } },
];
const history = historyOf({ config: planRun({ config: {} }).config, steps: records, evaluations: [], baselines: [] });

test("points of a metric are the finite values of the steps that have it", () => {
  const pointsOf = (key: string) => [Array.from(history.metric(key).steps), Array.from(history.metric(key).values)];
  expect(pointsOf("reward")).toEqual([
    [1, 5],
    [0.5, 0.75],
  ]);
  expect(pointsOf("loss")).toEqual([[], []]);
});

test("a value is looked up by its step, and a step between two has none", () => {
  const at = valuesAt(history.metric("kl"));
  expect([0, 1, 2, 3, 9].map(at)).toEqual([undefined, 0.1, 0.2, undefined, undefined]);
});

test("the latest values are as many as there are, at most", () => {
  expect(latest(history, "reward", 1)).toEqual([0.75]);
  expect(latest(history, "reward", 20)).toEqual([0.5, 0.75]);
});

test("one group a step tells the noise of its reward where its problem is the only one, and not where others are asked in turn", () => {
  const metric = (key: string) => (key === "reward/group_std" ? { steps: [1, 2], values: [0.5, 0.25] } : { steps: [], values: [] });
  const asked = (low: number, high: number) => [{ ...evaluationRecord(1, 1, 1), greedyInterval: [low, high] as const }];
  const config = { promptsPerStep: 1, groupSize: 16 };
  expect(rewardVariances({ metric, config, evaluations: asked(1, 1) }, [1, 2, 3])).toEqual([0.25 / 16, 0.0625 / 16, Number.NaN]);
  expect(rewardVariances({ metric, config, evaluations: asked(0.2, 1) }, [1])).toEqual([Number.NaN]);
  expect(rewardVariances({ metric, config, evaluations: [] }, [1])).toEqual([Number.NaN]);
});
