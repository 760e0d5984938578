// Evaluation, through whole runs: always the same problems and draws, apart from the training around it.
import { describe, expect, it } from "vitest";
import { startEngine } from "../../src/library/startEngine.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { EngineEvent } from "../../src/protocol/messages.ts";
import { type EvaluationRecord, isTimedMetric, type StepRecord } from "../../src/protocol/records.ts";
import { z } from "../../src/protocol/zod.ts";
import { wilsonInterval } from "../../src/rl/accuracy.ts";
import { defineLibraryRule } from "../../src/rl/rewards/library/libraryRule.ts";
import { createNodeHost } from "../support/nodeHost.ts";

/** One digit that must be the target; the untrained table draws each of the ten evenly and its greedy digit is 0. */
const oneDigit = (target: number): RunConfigInput => ({
  task: "digit-sum",
  taskOptions: { length: 1, target },
  steps: 4,
  evalEvery: 1,
  evalProblems: 500,
  evalSamples: 8,
});

const timeless = ({ step, metrics }: StepRecord) => ({
  step,
  metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
});
const figures = ({ step: _, ...rest }: EvaluationRecord) => rest;

describe("an evaluation", () => {
  it.each([
    [0, 1],
    [3, 0],
  ])("decodes greedily: with every digit as likely, 0 is right for the target %i in a share of %i", async (target, accuracy) => {
    const { evaluations } = await trainRun({ ...oneDigit(target), steps: 1 }, createNodeHost());
    const first = evaluations[0]!;
    expect(first).toMatchObject({ step: 0, problems: 1, samplesPerProblem: 4000, greedyAccuracy: accuracy, formRate: 1 });
    // There is one prompt and one greedy answer to it, so chance has no part in it.
    expect(first.greedyInterval).toEqual([accuracy, accuracy]);
  });

  it("of several problems says how surely, though there are no others", async () => {
    const { evaluations } = await trainRun(
      { ...oneDigit(3), taskOptions: { varied: true }, model: "transformer", klEstimator: "k3", steps: 1 },
      createNodeHost(),
    );
    const { problems, greedyAccuracy, greedyInterval } = evaluations[0]!;
    expect(problems).toBeGreaterThan(1);
    expect(problems).toBeLessThan(40);
    expect(greedyInterval).toEqual(wilsonInterval(Math.round(greedyAccuracy * problems), problems));
    expect(greedyInterval[1] - greedyInterval[0]).toBeGreaterThan(0.1);
  });

  it.each([
    ["the only prompt there is", "Say a", [0, 0]],
    ["one prompt that is held out", "Say a\nSay b", wilsonInterval(0, 1)],
  ])("of %s says how surely", async (_, prompts, interval) => {
    const config: RunConfigInput = {
      ...{ task: "prompts", taskOptions: { prompts }, startFrom: "random", loraRank: 0, backend: "wasm", threads: 1 },
      ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 16, promptsPerStep: 1, groupSize: 2, steps: 1 },
    };
    const { evaluations } = await trainRun(config, createNodeHost());
    expect(evaluations[0]).toMatchObject({ problems: 1, greedyAccuracy: 0, greedyInterval: interval });
  });

  it("samples: one in ten is right, and k tries hold a right one in 1 - 0.9^k", async () => {
    const { evaluations } = await trainRun({ ...oneDigit(3), steps: 1 }, createNodeHost());
    const { sampledAccuracy, sampledInterval, passAtK } = evaluations[0]!;
    // 4,000 draws: 0.1 within four standard errors.
    expect(Math.abs(sampledAccuracy - 0.1)).toBeLessThan(4 * Math.sqrt((0.1 * 0.9) / 4000));
    expect(sampledInterval[0]).toBeLessThan(sampledAccuracy);
    expect(sampledInterval[1]).toBeGreaterThan(sampledAccuracy);
    expect(Object.keys(passAtK)).toEqual(["1", "2", "4", "8"]);
    expect(passAtK[1]).toBeCloseTo(sampledAccuracy, 12);
    for (const k of [2, 4, 8]) {
      const solved = 1 - 0.9 ** k;
      expect(Math.abs(passAtK[k]! - solved), `pass@${k}`).toBeLessThan(4 * k * 0.9 ** (k - 1) * Math.sqrt((0.1 * 0.9) / 4000));
    }
  });

  it("is of the step's own reward: without what could not be scored, with the punishment for length", async () => {
    const rule = defineLibraryRule({
      ...{ name: "even", title: "Even", help: "Odd digits cannot be judged.", weight: 1 },
      settingsSchema: z.strictObject({}),
      score: (_, __, { tokens }) => (tokens[0]! % 2 === 0 ? 1 : null),
    });
    const host = createNodeHost({ additions: { rewardRules: [rule] } });
    const over = { rewardRules: { even: {} }, rewardWeights: { sumCloseness: 0 }, learningRate: 0, klCoef: 0, groupSize: 64 };
    const { steps, evaluations, baselines } = await trainRun({ ...oneDigit(3), steps: 1, ...over }, host);
    expect(steps[0]!.metrics.reward).toBe(1);
    expect(evaluations[0]!.meanReward).toBe(1);
    expect(baselines.map(({ meanReward }) => meanReward)).toEqual([1, 1]);
  });

  it("goes on without what a reward failed at, and a step that has no reward at all says why", async () => {
    const rule = (name: string, fails: (digit: number) => boolean) =>
      defineLibraryRule({
        ...{ name, title: name, help: name, weight: 1 },
        settingsSchema: z.strictObject({}),
        score(_, __, { tokens }) {
          if (fails(tokens[0]!)) throw new TypeError("no");
          return 1;
        },
      });
    const host = createNodeHost({
      additions: { rewardRules: [rule("odd", (digit) => digit === 0), rule("most", (digit) => digit < 8), rule("never", () => true)] },
    });
    const run = (name: string) =>
      trainRun({ ...oneDigit(3), steps: 1, groupSize: 64, rewardRules: { [name]: {} }, rewardWeights: { sumCloseness: 0 } }, host);
    const { steps } = await run("odd");
    expect(steps[0]!.metrics["rewards/odd/failed"]).toBeGreaterThan(0);
    expect(steps[0]!.metrics.reward).toBe(1);
    await expect(run("never")).rejects.toThrow("no conversation could be scored: never: TypeError: no");
    await expect(run("most")).rejects.toThrow(/^(?!64)\d\d of 64 conversations could not be scored: most: TypeError: no/);
    const events: EngineEvent[] = [];
    const engine = await startEngine(host, (event) => events.push(event));
    const config = { ...oneDigit(3), steps: 1, rewardRules: { never: {} }, rewardWeights: { sumCloseness: 0 } };
    await engine.ask({ type: "start", runId: "own", config, paused: true });
    await expect(engine.ask({ type: "advance", unit: "step" })).rejects.toThrow("no conversation could be scored");
    expect(events.findLast(({ type }) => type === "error")).toMatchObject({ recoverable: true });
    expect(events.findLast(({ type }) => type === "state")).toMatchObject({ state: "paused" });
  });

  it("asks the same of a policy that has not changed, however much was trained and drawn in between", async () => {
    const { evaluations } = await trainRun({ ...oneDigit(3), learningRate: 0, klCoef: 0 }, createNodeHost());
    expect(evaluations.map(({ step }) => step)).toEqual([0, 1, 2, 3, 4]);
    for (const evaluation of evaluations) expect(figures(evaluation)).toEqual(figures(evaluations[0]!));
  });

  it("leaves training as it is without it", async () => {
    const often = await trainRun(oneDigit(3), createNodeHost());
    const never = await trainRun({ ...oneDigit(3), evalEvery: 0 }, createNodeHost());
    expect(often.steps.map(timeless)).toEqual(never.steps.map(timeless));
    expect(often.evaluations).toHaveLength(5);
    expect(figures(often.evaluations[4]!)).not.toEqual(figures(often.evaluations[0]!));
  });

  it("has the starting policy's figures and those of even draws to be compared with", async () => {
    const { evaluations, baselines } = await trainRun({ ...oneDigit(3), steps: 1 }, createNodeHost());
    const { sampledAccuracy, sampledInterval, meanReward } = evaluations[0]!;
    expect(baselines.find(({ kind }) => kind === "start")).toEqual({
      kind: "start",
      accuracy: sampledAccuracy,
      interval: sampledInterval,
      meanReward,
      samples: 4000,
    });
    const random = baselines.find(({ kind }) => kind === "random")!;
    expect(random.samples).toBeGreaterThanOrEqual(512);
    expect(Math.abs(random.accuracy - 0.1)).toBeLessThan(4 * Math.sqrt(0.09 / random.samples));
  });

  it("keeps how each problem went, and by which problems, so that two evaluations of the same ones are pairs", async () => {
    const sums: RunConfigInput = {
      ...{
        task: "digit-sum",
        taskOptions: { length: 3, varied: true },
        model: "transformer",
        klEstimator: "k3",
        steps: 1,
        evalProblems: 3,
      },
    };
    const { evaluations } = await trainRun({ ...sums, evalEvery: 1 }, createNodeHost());
    for (const { problems, samplesPerProblem, greedyAccuracy, sampledAccuracy, outcomes } of evaluations) {
      const { right_P, greedyRight_P } = outcomes!;
      expect([right_P.length, greedyRight_P.length]).toEqual([problems, problems]);
      const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
      expect(total(greedyRight_P) / problems).toBe(greedyAccuracy);
      expect(total(right_P) / problems / samplesPerProblem).toBeCloseTo(sampledAccuracy, 12);
    }
    const hashes = evaluations.map(({ outcomes }) => outcomes!.problemsHash);
    expect(hashes).toEqual([hashes[0], hashes[0]]);
    const others = await trainRun({ ...sums, evalProblems: 2 }, createNodeHost());
    expect(hashes).not.toContain(others.evaluations[0]!.outcomes!.problemsHash);
  });
});
