// The gradient of each part of the objective, measured apart.
import { describe, expect, it } from "vitest";
import { TabularModel } from "../../../../src/model/tabularModel.ts";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { isTimedMetric, type StepRecord } from "../../../../src/protocol/records.ts";
import { computeAdvantages } from "../../../../src/rl/advantages.ts";
import { algorithms } from "../../../../src/rl/algorithms/index.ts";
import { Random } from "../../../../src/rl/random.ts";
import { tasks } from "../../../../src/rl/tasks/index.ts";
import type { TrajectoryGroup } from "../../../../src/rl/types.ts";
import { newSampledStep } from "../../../../src/train/step/sampledStep.ts";
import { activeParts, GRADIENT_PARTS, partGradient } from "../../../../src/train/step/update/gradientSplit.ts";
import { driveSession } from "../../../support/driveSession.ts";
import { resolveConfig } from "../../../support/resolveConfig.ts";
import { setOf } from "../../../support/tensorSets.ts";

const T = 4;
const V = 6;
const random = new Random(3);

function randomGroup(): TrajectoryGroup {
  const trajectories = Array.from({ length: 5 }, () => {
    const tokens = Array.from({ length: 2 + random.below(3) }, () => random.below(V));
    const logprobs = tokens.map(() => -1.5 - 0.5 * random.uniform());
    const mask = tokens.map(() => 1);
    const entropies = tokens.map(() => 1 + random.uniform());
    return { promptTokens: [0], tokens, logprobs, entropies, mask, messages: [], stopReason: "completed" as const };
  });
  return { example: { id: "a", messages: [], answer: "" }, trajectories };
}

/** A table away from its reference, and a step off its policy with its advantages. */
async function weighed(input: RunConfigInput) {
  const entries = tasks.map(({ entry }) => entry);
  const config = resolveConfig({ task: "digit-sum", model: "tabular", ...input }, entries, algorithms);
  const model = new TabularModel(T, V);
  const named = (values: Float64Array) => setOf(values, "logits", [T, V]);
  const logits = () => named(Float64Array.from({ length: T * V }, () => random.normal()));
  const zeros = named(new Float64Array(T * V));
  await model.load({ policy: logits(), reference: logits(), first: zeros, second: zeros, optimizerSteps: 0 });
  const step = newSampledStep(1, [randomGroup(), randomGroup()], config);
  step.refLogprobs_K = (await model.score(step.batch, "reference")).logprobs_K;
  const advantages = computeAdvantages(
    {
      rewards_Q: step.groups.flatMap(({ trajectories }) => trajectories.map(() => random.uniform())),
      groupOf_Q: Int32Array.from([0, 0, 0, 0, 0, 1, 1, 1, 1, 1]),
      tokenCount_Q: step.groups.flatMap(({ trajectories }) => trajectories.map(({ tokens }) => tokens.length)),
      sequenceStart_Q: step.batch.sequenceStart_Q,
      mask_K: step.mask_K,
      oldLogprobs_K: step.oldLogprobs_K,
      refLogprobs_K: step.refLogprobs_K,
      values_K: null,
    },
    config,
  );
  return { config, model, step, advantages };
}

describe("the split of the gradient", () => {
  it.each([
    ["grpo", { klCoef: 0.3 }],
    ["grpo", { klCoef: 0.3, klBiasCorrection: true, ratioLevel: "sequence" }],
    ["builtin", { klCoef: 0.3 }],
    ["cispo", { klCoef: 0.3, klEstimator: "k2" }],
    ["sapo", { klCoef: 0.3, offPolicyThreshold: 0.1 }],
    ["vespo", { klCoef: 0.3, vespoFixedWeight: false, topEntropyQuantile: 0.6 }],
  ] satisfies readonly (readonly [string, RunConfigInput])[])("adds up to the gradient of the whole: %s %o", async (algorithm, extra) => {
    const { config, model, step, advantages } = await weighed({ algorithm, entropyCoef: 0.2, ...extra });
    const whole_N = await partGradient(model, step, advantages, config, "all");
    const parts = await Promise.all(GRADIENT_PARTS.map((part) => partGradient(model, step, advantages, config, part)));
    const sizes = parts.map((part_N) => Math.hypot(...part_N));
    expect(sizes.slice(0, 3).every((size) => size > 1e-3)).toBe(true);
    expect(sizes[3]).toBe(0);
    for (const [i, value] of whole_N.entries()) expect(parts.reduce((sum, part_N) => sum + part_N[i]!, 0)).toBeCloseTo(value, 6);
  });

  it("names the parts that are on", () => {
    const base = resolveConfig(
      { task: "digit-sum", algorithm: "dr-grpo" },
      tasks.map(({ entry }) => entry),
      algorithms,
    );
    expect(activeParts(base, false)).toEqual(["policy"]);
    expect(activeParts({ ...base, klCoef: 0.1, entropyCoef: 0.01 }, true)).toEqual(["policy", "kl", "entropy", "value"]);
    expect(activeParts({ ...base, klCoef: 0.1, klPlacement: "reward" }, false)).toEqual(["policy"]);
  });
});

describe("a run that splits its gradient norm", () => {
  const run = async (config: RunConfigInput): Promise<readonly StepRecord[]> => {
    const session = await driveSession();
    const ended = session.next("state", ({ state }) => state === "finished" || state === "failed");
    await session.send({ type: "start", runId: "run", config });
    await ended;
    expect(session.all("error")).toEqual([]);
    return session.all("steps").flatMap(({ records }) => records);
  };
  const timeless = ({ metrics }: StepRecord) =>
    Object.entries(metrics).filter(([key]) => !isTimedMetric(key) && !key.startsWith("grad_norm/"));
  const table: RunConfigInput = { task: "digit-sum", steps: 5, evalEvery: 0, entropyCoef: 0.01 };
  const transformer: RunConfigInput = {
    task: "digit-sum",
    algorithm: "ppo",
    criticTrunk: "shared",
    model: "transformer",
    startFrom: "random",
    hiddenSize: 16,
    layers: 1,
    heads: 2,
    kvHeads: 2,
    intermediateSize: 32,
    backend: "wasm",
    threads: 1,
    steps: 3,
    evalEvery: 0,
    entropyCoef: 0.01,
  };

  it.each([
    ["table", table, ["policy", "kl", "entropy"], [1, 3, 5]],
    ["transformer with a critic", transformer, ["policy", "entropy", "value"], [1, 3]],
  ] as const)("has the parts at every such step and learns as without: %s", async (_name, config, parts, steps) => {
    const records = await run({ ...config, splitGradNormEvery: 2 });
    const keys = parts.map((part) => `grad_norm/${part}`);
    const measured = records.filter(({ metrics }) => "grad_norm/policy" in metrics);
    expect(measured.map(({ step }) => step)).toEqual(steps);
    for (const { metrics } of measured) expect(Object.keys(metrics).filter((key) => key.startsWith("grad_norm/"))).toEqual(keys);
    const last = measured.at(-1)!.metrics;
    for (const key of keys) expect([key, last[key]! > 0 && Number.isFinite(last[key])]).toEqual([key, true]);
    const without = await run(config);
    expect(records.map(timeless)).toEqual(without.map(timeless));
  });
});
