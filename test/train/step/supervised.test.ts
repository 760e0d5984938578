// Supervised training: the mean negative log-prob of the demonstrations' tokens, held against the plain
// forward pass, and a trainer that can be left and taken up again.
import { describe, expect, it } from "vitest";
import { tensorState } from "../../../src/model/model.ts";
import { plainForward, plainLogSoftmax } from "../../../src/model/plainForward.ts";
import { isTimedMetric, type StepRecord } from "../../../src/protocol/records.ts";
import { Random } from "../../../src/rl/random.ts";
import { workOut } from "../../../src/rl/rollout/demonstration.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { prepareRun } from "../../../src/train/start/start.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import "../../support/kernels.ts";

const config = {
  task: "digit-sum",
  kind: "supervised",
  model: "transformer",
  startFrom: "random",
  backend: "wasm",
  threads: 1,
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 2,
  intermediateSize: 32,
  demonstrationsPerStep: 8,
  demonstrationNoise: 0,
  learningRate: 0.01,
  optimizer: "adamw",
  seed: 5,
} as const;

const prepare = (over: object = {}) =>
  prepareRun("run", planRun({ config: { ...config, ...over } }), createNodeHost(), { onPreparing() {}, async pause() {}, onLost() {} });
type Run = Awaited<ReturnType<typeof prepare>>;

async function takeStep(run: Run): Promise<StepRecord> {
  const phases = run.trainer.takeStep(() => {});
  let result = await phases.next();
  while (!result.done) result = await phases.next();
  return result.value;
}

const timeless = ({ step, metrics }: StepRecord) => ({
  step,
  metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
});

describe("supervised training", () => {
  it("has the mean negative log-prob of the answers' tokens as its loss, the prompt not counted", async () => {
    const run = await prepare();
    const weights_N = Float32Array.from(tensorState(await run.model.save()).policy.values);
    const { metrics } = await takeStep(run);
    // The same demonstrations, drawn again.
    const random = new Random(config.seed);
    const problems = run.task.trainLoader().next(config.demonstrationsPerStep);
    const logprobs: number[] = [];
    for (const example of problems) {
      const prompt = run.renderer.renderPrompt({ messages: example.messages });
      const answer = run.renderer.renderCompletion(run.task.demonstration(example, random, 0)({ messages: example.messages }));
      const { logits_TV } = plainForward(run.transformer!, weights_N, [...prompt, ...answer]);
      for (const [i, token] of answer.entries()) logprobs.push(plainLogSoftmax(logits_TV[prompt.length + i - 1]!, 1)[token]!);
    }
    const loss = -logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length;
    expect(Math.abs(metrics.loss! / loss - 1)).toBeLessThan(1e-5);
    expect(metrics.perplexity).toBeCloseTo(Math.exp(metrics.loss!), 12);
    run.model.dispose();
  });

  it("counts every turn of the assistant and nothing that a tool said", async () => {
    const run = await prepare({ task: "calculator", demonstrationsPerStep: 3 });
    const weights_N = Float32Array.from(tensorState(await run.model.save()).policy.values);
    const { metrics } = await takeStep(run);
    const random = new Random(config.seed);
    const logprobs: number[] = [];
    for (const example of run.task.trainLoader().next(3)) {
      const speaker = run.task.demonstration(example, random, 0);
      const { promptTokens, tokens, mask } = workOut({ envs: run.task.envs, renderer: run.renderer }, example, speaker, 0, {
        maxTurns: 4,
        maxPositions: 512,
      });
      expect(mask.join("")).toMatch(/^1+0+1+$/);
      const { logits_TV } = plainForward(run.transformer!, weights_N, [...promptTokens, ...tokens]);
      for (const [i, token] of tokens.entries())
        if (mask[i] === 1) logprobs.push(plainLogSoftmax(logits_TV[promptTokens.length + i - 1]!, 1)[token]!);
    }
    const loss = -logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length;
    expect(Math.abs(metrics.loss! / loss - 1)).toBeLessThan(1e-5);
    run.model.dispose();
  });

  it("learns all that the answers have in common, and no more", async () => {
    // Two digits with the sum 1: the first is 0 or 1, the second follows from it.
    const run = await prepare({ taskOptions: { length: 2, target: 1 }, demonstrationsPerStep: 32 });
    const losses: number[] = [];
    for (let i = 0; i < 150; i++) losses.push((await takeStep(run)).metrics.loss!);
    const reached = losses.slice(-20).reduce((sum, loss) => sum + loss, 0) / 20;
    expect(losses[0]).toBeGreaterThan(2.2);
    expect(Math.abs(reached - Math.log(2) / 2)).toBeLessThan(0.02);
    run.model.dispose();
  });

  it("goes on to the bit from a save", async () => {
    const straight = await prepare({ demonstrationNoise: 0.3 });
    const broken = await prepare({ demonstrationNoise: 0.3 });
    for (let i = 0; i < 3; i++) {
      await takeStep(straight);
      await takeStep(broken);
    }
    const resumed = await prepare({ demonstrationNoise: 0.3 });
    await resumed.model.load(await broken.model.save());
    resumed.trainer.restore(broken.trainer.save());
    for (let i = 0; i < 3; i++) expect(timeless(await takeStep(resumed))).toEqual(timeless(await takeStep(straight)));
    expect(await resumed.model.save()).toEqual(await straight.model.save());
    for (const { model } of [straight, broken, resumed]) model.dispose();
  });

  it("refuses a step whose loss is not a number", async () => {
    const run = await prepare();
    const state = tensorState(await run.model.save());
    await run.model.load({ ...state, policy: { ...state.policy, values: state.policy.values.map(() => Number.NaN) } });
    await expect(takeStep(run)).rejects.toThrow("the loss of step 1 is not a number; the step was not taken");
    expect(run.trainer.step).toBe(0);
    run.model.dispose();
  });
});
