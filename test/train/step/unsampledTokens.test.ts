// What the policy did not sample has no part in training: tool results have no score at all, and turns of
// an agent that is not trained have one with weight 0, whatever was recorded there.
import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../../src/model/renderers/digits.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { TransformerModel } from "../../../src/model/transformerModel.ts";
import { algorithms } from "../../../src/rl/algorithms/index.ts";
import { dialogueEnv } from "../../../src/rl/envs/dialogue.ts";
import { Random } from "../../../src/rl/random.ts";
import { resolveConfig } from "../../../src/rl/resolveConfig.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import { tasks } from "../../../src/rl/tasks/index.ts";
import type { EnvBuilder } from "../../../src/rl/types.ts";
import { ReinforcementTrainer } from "../../../src/train/step/reinforcement.ts";
import type { SampledStep } from "../../../src/train/step/sampledStep.ts";
import { groupRecord } from "../../../src/train/step/stepRecords.ts";
import { createKernelBackend, kernelVariants } from "../../support/kernels.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const shape: TransformerConfig = {
  vocabularySize: digitsRenderer.vocabularySize,
  hiddenSize: 16,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headSize: 4,
  intermediateSize: 24,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: true,
  maxPositions: 64,
  valueHead: false,
};

/** Two agents take two turns each; a tool says a digit or two after each turn. */
const envs: EnvBuilder = {
  build(example, seed) {
    const random = new Random(seed);
    let turn = 0;
    return dialogueEnv({
      opening: { messages: example.messages, agent: "solver" },
      respond() {
        turn += 1;
        if (turn === 4) return { messages: null };
        const content = String(random.below(100));
        return { messages: [{ role: "tool", content }], agent: turn % 2 === 0 ? "solver" : "checker" };
      },
    });
  },
};

/** One step; `spoil` may change what was sampled before it is learnt from. */
async function trainOnce(frozenAgents: readonly string[], spoil: (sampled: SampledStep) => void = () => {}) {
  const backend = await createKernelBackend(shape, kernelVariants[0]!.options);
  await backend.setWeights("policy", sharpWeights(shape, 3));
  const size = (await backend.getWeights("policy")).length;
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  const given = { task: "digit-sum", algorithm: "grpo", model: "transformer", promptsPerStep: 2, groupSize: 4, optimizer: "sgd" };
  const entries = tasks.map(({ entry }) => entry);
  const config = resolveConfig({ ...given, klCoef: 0.05, learningRate: 0.1 }, entries, algorithms);
  const instance = tasks.find(({ entry }) => entry.id === "digit-sum")!.create({}, config.seed);
  const task = { ...instance, envs, maxTurns: 4, frozenAgents };
  const trainer = new ReinforcementTrainer({
    config,
    model: new TransformerModel(backend, async () => []),
    critic: null,
    task,
    rewards: weightedReward(task, {}),
    renderer: digitsRenderer,
    loader: task.trainLoader(),
    random: new Random(config.seed),
    now: () => 0,
  });
  let sampled: SampledStep | null = null;
  const phases = trainer.takeStep(() => {});
  let next = await phases.next();
  while (!next.done) {
    sampled = next.value.sampled;
    if (next.value.phase === "sample") spoil(sampled!);
    next = await phases.next();
  }
  const { metrics } = next.value;
  const weights_N = await backend.getWeights("policy");
  backend.dispose();
  const groups = [0, 1].map((p) => groupRecord(sampled!, p, task, digitsRenderer));
  return { metrics, weights_N, trajectories: groups.flatMap((group) => group.trajectories), sampled: sampled! };
}

/** Agent of each token of a completion; null where it was inserted. */
function agentsOf(sampled: readonly number[]): readonly (string | null)[] {
  let turn = -1;
  return sampled.map((each, t) => {
    if (each === 1 && (t === 0 || sampled[t - 1] === 0)) turn += 1;
    return each === 0 ? null : turn % 2 === 0 ? "solver" : "checker";
  });
}

describe("tokens that are not trained", () => {
  it("are those that were inserted: no score, and a loss weight of exactly 0", async () => {
    const { trajectories, sampled } = await trainOnce([]);
    const said = trajectories.flatMap(({ sampled: mask }) => mask);
    expect(sampled.batch.scoreTarget_K).toHaveLength(said.filter((each) => each === 1).length);
    expect(said.filter((each) => each === 0).length).toBeGreaterThan(40);
    const pushed = trajectories.flatMap(({ channels, sampled: mask }) => channels.lossWeights.filter((_, t) => mask[t] === 1));
    expect(pushed.filter((weight) => weight !== 0).length).toBeGreaterThan(pushed.length / 2);
    for (const { channels, sampled: mask } of trajectories)
      for (const [t, each] of mask.entries()) if (each === 0) expect([channels.lossWeights[t], channels.mask[t]]).toEqual([0, 0]);
  });

  it("are the turns of a frozen agent, while the other's are trained", async () => {
    const { trajectories } = await trainOnce(["checker"]);
    let trained = 0;
    for (const { channels, sampled: mask } of trajectories) {
      for (const [t, agent] of agentsOf(mask).entries()) {
        if (agent === "solver" && channels.lossWeights[t] !== 0) trained += 1;
        if (agent !== "solver") expect([channels.lossWeights[t], channels.mask[t]]).toEqual([0, 0]);
      }
    }
    expect(trained).toBeGreaterThan(20);
  });

  it("change neither loss, nor weights, nor a metric, whatever finite log-prob was recorded for them", async () => {
    const plain = await trainOnce(["checker"]);
    const random = new Random(9);
    let spoilt = 0;
    const other = await trainOnce(["checker"], (sampled) => {
      for (let k = 0; k < sampled.mask_K.length; k++) {
        if (sampled.mask_K[k] === 1) continue;
        sampled.oldLogprobs_K[k] = -50 * random.uniform();
        spoilt += 1;
      }
    });
    expect(spoilt).toBeGreaterThan(40);
    expect(other.metrics).toEqual(plain.metrics);
    expect(other.weights_N).toEqual(plain.weights_N);
  });

  it("are shown with the turn's agent, in messages and in the report", async () => {
    const { trajectories } = await trainOnce(["checker"]);
    for (const { messages, report } of trajectories) {
      expect(messages!.map(({ role, agent }) => [role, agent])).toEqual([
        ["assistant", "solver"],
        ["tool", undefined],
        ["assistant", "checker"],
        ["tool", undefined],
        ["assistant", "solver"],
        ["tool", undefined],
        ["assistant", "checker"],
      ]);
      expect(report!.turns.map(({ agent }) => agent)).toEqual(["solver", "checker", "solver", "checker"]);
      expect(report!.metrics).toEqual({ turns: 4 });
    }
  });
});
