// Templates to start from: their code gets its own cases right, the small models can earn in them from the start or nearly,
// and what is meant to be cheated is, until it is mended.
import { describe, expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { fewProblems } from "../../../src/rl/accuracy.ts";
import { brokenCases } from "../../../src/rl/rewards/customReward.ts";
import { templates } from "../../../src/rl/templates/index.ts";
import { SMOLLM2 } from "../../../src/rl/templates/template.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const host = createNodeHost();

const rewardsIn = (found: object | undefined) => runConfigSchema.shape.customRewards.parse(found ?? {});

describe("a template", () => {
  it("has a name that nothing else has, and is a configuration that can be planned", () => {
    const taken = [...catalog.presets, ...catalog.tasks].map(({ id }) => id);
    const ids = templates.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => taken.includes(id))).toEqual([]);
    for (const { id, config } of templates) expect(planRun({ config }).config.task).toBe(id);
  });

  it("holds out problems enough that an evaluation decides something", async () => {
    for (const { id, config } of templates) {
      const { instance, config: planned } = planRun({ config });
      await instance.prepare?.(host);
      const heldOut = instance.evaluation(planned.evalProblems).length;
      expect(fewProblems(heldOut, false), id).toBeNull();
    }
  });

  it.each(templates.map(({ id, config, diagnosis }) => [id, config.customRewards, diagnosis?.mended] as const))(
    "%s gets its own cases right, the mended version too",
    async (_, rewards, mended) => {
      for (const given of [rewards, mended].map(rewardsIn)) {
        for (const { cases } of Object.values(given)) expect(cases.length).toBeGreaterThan(2);
        expect(await brokenCases(given, 0, host.sandbox)).toEqual([]);
      }
    },
  );

  it.each(templates.filter(({ config }) => config.checkpoint !== SMOLLM2).map(({ id, config }) => [id, config] as const))(
    "%s earns something within a few steps of the shipped weights",
    async (_, config) => {
      // The game of rhymes earns nothing before a first rhyme is found.
      const steps = config.task === "word-game" ? 14 : 4;
      const earned = new AbortController();
      const run = trainRun({ ...config, steps, evalEvery: 0, evalProblems: 1, evalSamples: 1, threads: 1 }, createNodeHost(), {
        signal: earned.signal,
        // The rest of the steps is not waited for.
        onStep: ({ metrics }) => (metrics.reward ?? 0) > 0 && earned.abort("earned"),
      });
      await expect(run).rejects.toBe("earned");
    },
  );
});

describe("the reward that is meant to be cheated", () => {
  it("pays more for a digit said again and again than for the sum, and the mended one nothing", async () => {
    const { config, diagnosis } = templates.find(({ id }) => id === "digit-credit")!;
    const spilt = { question: "What is 11 + 31?", answer: "42", text: "\\boxed{4444444444}" };
    const earned = async (given: object | undefined, earns: number) => {
      const one = Object.fromEntries(
        Object.entries(rewardsIn(given)).map(([name, reward]) => [name, { ...reward, cases: [{ ...spilt, earns }] }]),
      );
      return brokenCases(one, 0, host.sandbox);
    };
    expect(await earned(config.customRewards, 5)).toEqual([]);
    expect(await earned(diagnosis?.mended, 0)).toEqual([]);
  });
});
