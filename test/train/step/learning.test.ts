// The promises a user checks first: runs learn, repeat to the bit, and survive numbers going wrong.
import { describe, expect, it } from "vitest";
import { experiments } from "../../../src/cli/experiments.ts";
import { trainRun } from "../../../src/library/trainRun.ts";
import type { Model } from "../../../src/model/model.ts";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import { TabularModel } from "../../../src/model/tabularModel.ts";
import { isTimedMetric, type StepRecord } from "../../../src/protocol/records.ts";
import { Random } from "../../../src/rl/random.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { presets } from "../../../src/train/catalog.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { ReinforcementTrainer } from "../../../src/train/step/reinforcement.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const timeless = ({ step, metrics }: StepRecord) => ({
  step,
  metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
});

const preset = (id: string) => {
  const found = presets.find((entry) => entry.id === id);
  if (!found) throw new Error(`no preset ${id}`);
  return found.config;
};

describe("digit sum on the logits table", () => {
  it.each([0, 1, 2, 3, 4])("succeeds in at least 96 of 100 samples with seed %i", async (seed) => {
    const run = await trainRun(
      { ...preset("digit-sum-table"), seed, evalEvery: 300, evalProblems: 2000, evalSamples: 1 },
      createNodeHost(),
    );
    expect(run.evaluations.at(-1)?.sampledAccuracy).toBeGreaterThanOrEqual(0.96);
    const random = run.baselines.find(({ kind }) => kind === "random");
    expect(random?.interval[0]).toBeLessThan(0.067);
    expect(random?.interval[1]).toBeGreaterThan(0.067);
  });
});

describe("digit sum on a transformer from random weights", () => {
  it("succeeds in at least 90 of 100 samples within 200 steps", async () => {
    const run = await trainRun(
      { ...preset("digit-sum-transformer"), backend: "wasm", evalEvery: 200, evalProblems: 500, evalSamples: 1 },
      createNodeHost(),
    );
    expect(run.steps).toHaveLength(200);
    expect(run.evaluations.at(-1)?.sampledAccuracy).toBeGreaterThanOrEqual(0.9);
  }, 90_000);

  // A policy whose digits do not see each other stays at C(4,2)/2^4 = 0.375: four draws between 4 and 5.
  it.each([
    ["cispo", 1],
    ["gspo", 0],
    ["gspo", 1],
  ])(
    "lets the last digits answer to the first ones under %s with seed %i",
    async (algorithm, seed) => {
      const experiment = experiments.find(({ id }) => id === `digit-sum/${algorithm}`)!;
      const run = await trainRun({ ...experiment.config, seed, backend: "wasm", steps: 100, evalEvery: 100 }, createNodeHost());
      expect(run.evaluations.at(-1)?.sampledAccuracy).toBeGreaterThanOrEqual(0.9);
    },
    60_000,
  );

  it("gives the same bits twice, and with one thread or two", async () => {
    const config = { ...preset("digit-sum-transformer"), backend: "wasm", steps: 6, evalEvery: 3, klCoef: 0.05 } as const;
    const [first, second, single] = [
      await trainRun({ ...config, threads: 2 }, createNodeHost()),
      await trainRun({ ...config, threads: 2 }, createNodeHost()),
      await trainRun({ ...config, threads: 1 }, createNodeHost()),
    ];
    expect(second.steps.map(timeless)).toEqual(first.steps.map(timeless));
    expect(single.steps.map(timeless)).toEqual(first.steps.map(timeless));
    expect(second.evaluations).toEqual(first.evaluations);
  }, 60_000);
});

describe("a loss that is not a number", () => {
  it("is refused with a sentence, and the weights stay as they were", async () => {
    const { config, instance } = planRun({ config: preset("digit-sum-table") });
    const table = new TabularModel(4, 10);
    let poisoned = false;
    const model: Model = Object.assign(Object.create(table) as Model, {
      report: table.report,
      policy: () => table,
      hasReference: () => table.hasReference(),
      refreshReference: (mix: number) => table.refreshReference(mix),
      score: table.score.bind(table),
      save: () => table.save(),
      load: table.load.bind(table),
      update: (request: Parameters<Model["update"]>[0]) =>
        table.update({
          ...request,
          objective: (scores, range) =>
            request.objective(
              poisoned ? { ...scores, logprobs_K: new Float32Array(scores.logprobs_K.length).fill(Number.NaN) } : scores,
              range,
            ),
        }),
    });
    const trainer = new ReinforcementTrainer({
      config,
      model,
      critic: null,
      task: instance,
      rewards: weightedReward(instance, {}),
      renderer: digitsRenderer,
      loader: instance.trainLoader(),
      random: new Random(0),
      now: () => 0,
    });
    const finish = async () => {
      const step = trainer.takeStep(() => {});
      let result = await step.next();
      while (!result.done) result = await step.next();
      return result.value;
    };
    await finish();
    const before = await table.save();
    poisoned = true;
    await expect(finish()).rejects.toThrow(/loss of step 2 is NaN.*weights before it are kept/);
    expect(await table.save()).toEqual(before);
    poisoned = false;
    expect((await finish()).step).toBe(2);
  });
});
