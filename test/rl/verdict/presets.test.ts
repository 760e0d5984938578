// The verdict's sentence on a live run of every preset, after every step: each number in it is in the records, in the place
// that it names; and what it says of conversations that surely learn is found in time.
import { describe, expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { isLong, longOnly } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { unrecorded } from "../../support/quotes.ts";

const STEPS = 24;
const EVALUATED_EVERY = 6;

describe("the verdict on every preset, after every step", () => {
  for (const { id, config, group } of catalog.presets) {
    const isShort = config.model === "tabular";
    const title = `says what is recorded: ${id}`;
    it.skipIf(!isShort && !isLong)(
      isShort ? title : longOnly(title),
      async () => {
        // A model of the hub is not at hand; its adapters lie beside one of the lab's own then.
        const base = config.checkpoint?.includes("/") ? { checkpoint: "base" } : {};
        const own = group === "Conversations" ? { steps: STEPS, evalEvery: EVALUATED_EVERY, evalProblems: 32, evalSamples: 2 } : {};
        const steps = Math.min(config.steps ?? 100, group === "Conversations" ? STEPS : 100);
        const input = { ...config, ...own, ...base, steps };
        const run = await trainRun(input, createNodeHost());
        for (let n = 0; n <= run.steps.length; n++) {
          const taken = run.steps.slice(0, n);
          const evaluations = run.evaluations.filter(({ step }) => step <= n);
          const metric = (key: string) => {
            const having = taken.filter(({ metrics }) => metrics[key] !== undefined && !Number.isNaN(metrics[key]));
            return { steps: having.map(({ step }) => step), values: having.map(({ metrics }) => metrics[key]!) };
          };
          const { sentence } = judgeRun({ config: planRun({ config: input }).config, metric, evaluations, baselines: run.baselines });
          expect([n, sentence, ...unrecorded(sentence, { steps: taken, evaluations })]).toEqual([n, sentence]);
        }
        expect(run.steps).toHaveLength(steps);
      },
      600_000,
    );
  }

  it("would see a number that is not recorded", () => {
    const steps = [1, 2].map((step) => ({ step, metrics: { reward: step / 10 } }));
    const wrong = (sentence: string) => unrecorded(sentence, { steps, evaluations: [] });
    expect(wrong("The reward rose from 0.100 at step 1 to 0.200 at step 2, and the rise goes on.")).toEqual([]);
    expect(wrong("The reward rose from 0.150 (mean of steps 1 to 2) to 0.200 at step 2.")).toEqual([]);
    expect(wrong("The reward rose from 0.544 at step 1 to 0.200 at step 2.")).toEqual(["0.544 at step 1"]);
    expect(wrong("The greedy accuracy rose from 5 % at step 0 to 9 % at step 2.")).toHaveLength(2);
    expect(wrong("The loss went from 0.100 at step 1 to 0.200 at step 2: no change beyond chance.")).toHaveLength(2);
    expect(wrong("The reward stayed the same for all 2 steps: 0.200 at step 2.")).toHaveLength(1);
    expect(wrong("The sampled accuracy went from 5 % at step 0 to 9 % at step 2, no change beyond chance either.")).toHaveLength(1);
    expect(wrong("The reward of 3 steps shows no change beyond chance.")).toHaveLength(1);
    expect(wrong("It learnt 7 things.")).toHaveLength(1);
  });
});
