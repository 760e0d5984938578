// What the policy did not sample has no part in training: tool results have no score at all, and turns of
// an agent that is not trained, or that the frozen start speaks for, have one with weight 0, whatever is put
// there, on every backend and under every kind of credit.
import { describe, expect, it, vi } from "vitest";
import type { Objective, PackedBatch, PartialScores } from "../../../src/model/backend.ts";
import type { UpdateRequest } from "../../../src/model/model.ts";
import { TransformerModel } from "../../../src/model/transformerModel.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { dialogueEnv } from "../../../src/rl/envs/dialogue.ts";
import type { WeightSlot } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { defineReward } from "../../../src/rl/rewards/rewardRule.ts";
import type { EnvBuilder, Example } from "../../../src/rl/types.ts";
import type { SampledStep } from "../../../src/train/step/sampledStep.ts";
import { type SmallTraining, startWeights, trainingBackends, trainSmall } from "../../support/smallTraining.ts";
import { difference, sharpWeights } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 240_000 });

/** Two agents take two turns each; a tool says a digit or two after each turn. A turn earns its share of fives and above. */
const envs: EnvBuilder = {
  build(example: Example, seed) {
    const random = new Random(seed);
    let turn = 0;
    return dialogueEnv({
      opening: { messages: example.messages, agent: "solver" },
      respond({ content }) {
        turn += 1;
        const report = { reward: [...content].filter((digit) => digit >= "5").length / Math.max(1, content.length) };
        if (turn === 4) return { messages: null, turn: report };
        return {
          messages: [{ role: "tool", content: String(random.below(100)) }],
          agent: turn % 2 === 0 ? "solver" : "checker",
          turn: report,
        };
      },
    });
  },
};

const large = defineReward({
  ...{ name: "large", title: "Large", help: "How large the digits are.", weight: 1 },
  score: (_, __, { report }) => report!.turns.reduce((sum, { reward = 0 }) => sum + reward, 0),
  turns: (_, __, { report }) => report!.turns.map(({ reward = 0 }) => reward),
});

const taskOf = (frozenAgents: readonly string[]) => ({ envs, maxTurns: 4, frozenAgents, rewards: [large.part()] });
const [, createFirst] = trainingBackends[0]!;

const trainOnce = (frozenAgents: readonly string[], over: Partial<SmallTraining> = {}) =>
  trainSmall({ backend: createFirst(), task: taskOf(frozenAgents), ...over });

/** Agent of each token of a completion; null where it was inserted. */
function agentsOf(sampled: readonly number[]): readonly (string | null)[] {
  let turn = -1;
  return sampled.map((each, t) => {
    if (each === 1 && (t === 0 || sampled[t - 1] === 0)) turn += 1;
    return each === 0 ? null : turn % 2 === 0 ? "solver" : "checker";
  });
}

/** A model that says anything finite of tokens that are not trained, to the objective and to whoever asks. */
class SpoiltModel extends TransformerModel {
  mask_K: Uint8Array | null = null;
  spoilt = 0;
  readonly #random = new Random(9);

  #spoil<Scores extends PartialScores>(scores: Scores, firstToken: number): Scores {
    const spoilt = { ...scores, logprobs_K: scores.logprobs_K.slice(), entropies_K: scores.entropies_K!.slice() };
    for (let k = 0; k < scores.logprobs_K.length; k++) {
      if (this.mask_K![firstToken + k] === 1) continue;
      spoilt.logprobs_K[k] = -80 * this.#random.uniform();
      spoilt.entropies_K[k] = 9 * this.#random.uniform();
      this.spoilt += 1;
    }
    return spoilt;
  }

  override async score(batch: PackedBatch, slot: WeightSlot) {
    return this.#spoil(await super.score(batch, slot), 0);
  }

  override async update(request: UpdateRequest) {
    const objective: Objective = (scores, range) => request.objective(this.#spoil(scores, range.firstToken), range);
    const result = await super.update({ ...request, objective });
    return { ...result, scores: this.#spoil(result.scores, 0) };
  }
}

/** One step as it is, and one whose untrained tokens have any log-probs, entropies and reference log-probs. */
async function trainSpoilt(training: Omit<SmallTraining, "backend">, create: (typeof trainingBackends)[number][1]) {
  const plain = await trainSmall({ ...training, backend: create() });
  let model: SpoiltModel | null = null;
  const random = new Random(8);
  const other = await trainSmall({
    ...training,
    backend: create(),
    modelOf: (backend) => {
      model = new SpoiltModel(backend, async () => []);
      return model;
    },
    spoil(sampled: SampledStep) {
      model!.mask_K = sampled.mask_K;
      for (let k = 0; k < sampled.mask_K.length; k++) {
        if (sampled.mask_K[k] === 1) continue;
        sampled.oldLogprobs_K[k] = -50 * random.uniform();
        sampled.sampledEntropies_K![k] = 9 * random.uniform();
      }
    },
  });
  return { plain, other, spoilt: model!.spoilt };
}

describe("tokens that are not trained", () => {
  it("are those that were inserted: no score, and a loss weight of exactly 0", async () => {
    const { trajectories, sampled } = await trainOnce([]);
    const said = trajectories.flatMap(({ sampled: mask }) => mask);
    expect(sampled.batch.scoreTarget_K).toHaveLength(said.filter((each) => each === 1).length);
    expect(said.filter((each) => each === 0).length).toBeGreaterThan(40);
    const pushed = trajectories.flatMap(({ channels, sampled: mask }) => channels.lossWeights!.filter((_, t) => mask[t] === 1));
    expect(pushed.filter((weight) => weight !== 0).length).toBeGreaterThan(pushed.length / 2);
    for (const { channels, sampled: mask } of trajectories)
      for (const [t, each] of mask.entries()) if (each === 0) expect([channels.lossWeights![t], channels.mask[t]]).toEqual([0, 0]);
  });

  it("are the turns of a frozen agent, while the other's are trained", async () => {
    const { trajectories } = await trainOnce(["checker"]);
    let trained = 0;
    for (const { channels, sampled: mask } of trajectories) {
      for (const [t, agent] of agentsOf(mask).entries()) {
        if (agent === "solver" && channels.lossWeights![t] !== 0) trained += 1;
        if (agent !== "solver") expect([channels.lossWeights![t], channels.mask[t]]).toEqual([0, 0]);
      }
    }
    expect(trained).toBeGreaterThan(20);
  });

  it("are shown with the turn's agent, in messages and in the report", async () => {
    const { trajectories } = await trainOnce(["checker"]);
    for (const { messages, report, turnRewards } of trajectories) {
      const [solver, checker] = [
        ["assistant", "solver"],
        ["assistant", "checker"],
      ];
      const tool = ["tool", undefined];
      expect(messages!.map(({ role, agent }) => [role, agent])).toEqual([solver, tool, checker, tool, solver, tool, checker]);
      expect(report!.turns.map(({ agent }) => agent)).toEqual(["solver", "checker", "solver", "checker"]);
      expect(report!.metrics).toEqual({ turns: 4 });
      expect(turnRewards).toEqual(report!.turns.map(({ reward }) => reward));
    }
  });

  const credits: readonly (readonly [string, RunConfigInput])[] = [
    ["the conversation's credit", {}],
    ["turn-level credit and rewards of one's own", { credit: "turn", agentRewards: "own", turnDiscount: 0.5 }],
    ["a KL in the reward", { klPlacement: "reward", credit: "turn" }],
    ["an entropy bonus of the most uncertain tokens", { entropyCoef: 0.01, topEntropyQuantile: 0.5, agentRewards: "own" }],
  ];

  it.each(credits)("change neither loss, nor weights, nor a metric, whatever finite scores they have: %s", async (_, config) => {
    const { plain, other, spoilt } = await trainSpoilt({ task: taskOf(["checker"]), config }, createFirst);
    expect(spoilt).toBeGreaterThan(100);
    expect(other.metrics).toEqual(plain.metrics);
    expect(other.weights_N).toEqual(plain.weights_N);
  });

  for (const [name, create, reason] of trainingBackends.slice(1))
    it.skipIf(reason !== undefined)(`change nothing on ${name}${reason ? ` (skipped: ${reason})` : ""}`, async () => {
      const training = { task: { ...taskOf(["checker"]), startAgents: ["checker"] }, config: credits[1]![1] };
      const { plain, other } = await trainSpoilt(training, create);
      expect(other.metrics).toEqual(plain.metrics);
      expect(other.weights_N).toEqual(plain.weights_N);
      for (const { channels, sampled: mask } of plain.trajectories)
        for (const [t, agent] of agentsOf(mask).entries()) if (agent !== "solver") expect(channels.lossWeights![t]).toBe(0);
    });
});

describe("an agent that plays the frozen start", () => {
  const task = { ...taskOf(["checker"]), startAgents: ["checker"] };

  it.each([0, 0.05])("speaks with the weights the run began with, however the other moves, with a KL of %s", async (klCoef) => {
    const { taken, weights_N } = await trainOnce([], { task, steps: 3, config: { klCoef, learningRate: 2 } });
    expect(difference(weights_N, startWeights()).largest).toBeGreaterThan(0.05);
    // The same conversations scored by the start: the checker's tokens have its log-probs, the solver's have moved on.
    const backend = await createFirst();
    await backend.setWeights("policy", startWeights());
    const { sampled } = taken.at(-1)!;
    const { logprobs_K } = await backend.score(sampled.batch, "policy");
    backend.dispose();
    const apart = { solver: 0, checker: 0 };
    for (let k = 0; k < logprobs_K.length; k++) {
      const agent = sampled.mask_K[k] === 1 ? "solver" : "checker";
      apart[agent] = Math.max(apart[agent], Math.abs(logprobs_K[k]! - sampled.oldLogprobs_K[k]!));
    }
    expect(apart.checker).toBeLessThan(1e-4);
    expect(apart.solver).toBeGreaterThan(0.1);
  });

  it("is shown with the probabilities that it spoke with, before the update and after, while the other's move", async () => {
    const { trajectories } = await trainOnce([], { task, steps: 3, config: { learningRate: 2, innerEpochs: 2, topEntropyQuantile: 0.5 } });
    let moved = 0;
    for (const { channels, sampled: mask } of trajectories)
      for (const [t, agent] of agentsOf(mask).entries()) {
        const { oldLogprobs, trainLogprobs, newLogprobs, refLogprobs, sampledEntropies, trainEntropies } = channels;
        if (agent === "solver" && newLogprobs![t] !== oldLogprobs![t] && trainLogprobs![t] !== oldLogprobs![t]) moved += 1;
        if (agent !== "checker") continue;
        expect([trainLogprobs![t], newLogprobs![t], trainEntropies![t]]).toEqual([oldLogprobs![t], oldLogprobs![t], sampledEntropies![t]]);
        expect(refLogprobs![t]).toBeCloseTo(oldLogprobs![t]!, 4);
      }
    expect(moved).toBeGreaterThan(20);
  });

  it("says at first what it would say as the policy", async () => {
    const [frozen, shared] = [await trainOnce([], { task }), await trainOnce(["checker"])];
    const firstTurns = ({ trajectories }: typeof frozen) => trajectories.map(({ tokens }) => tokens.slice(0, 4));
    expect(firstTurns(frozen)).toEqual(firstTurns(shared));
    expect(frozen.sampled.mask_K).toEqual(shared.sampled.mask_K);
  });

  it("moves from other weights as they are given", async () => {
    // The reference is what speaks: with another one the checker says other things.
    const plain = await trainOnce([], { task });
    const other = await trainOnce([], {
      task,
      modelOf: (backend) =>
        new (class extends TransformerModel {
          override async refreshReference(mix: number) {
            await super.refreshReference(mix);
            await backend.setWeights("reference", sharpWeights(backend.config, 11));
          }
        })(backend, async () => []),
    });
    const said = ({ trajectories }: typeof plain, agent: string) =>
      trajectories.map(({ messages }) => messages.find((message) => message.agent === agent)!.content);
    expect(said(other, "solver")).toEqual(said(plain, "solver"));
    expect(said(other, "checker")).not.toEqual(said(plain, "checker"));
  });
});
