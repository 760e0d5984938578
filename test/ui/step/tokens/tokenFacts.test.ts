import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../../src/protocol/config.ts";
import type { TrajectoryRecord } from "../../../../src/protocol/records.ts";
import { klValue } from "../../../../src/rl/kl/index.ts";
import { channelText, tokenChannel } from "../../../../src/ui/step/tokens/channels.ts";
import { clipWords, tokenFacts } from "../../../../src/ui/step/tokens/tokenFacts.ts";

const config = runConfigSchema.parse({ klCoef: 0.1 });
const old = [-1, -0.5, -2, -0.1];
const train = [-0.5, -0.9, -2, -0.1];

function record(advantage: number, refs: readonly number[] | null = [-1.2, -0.5, -1.9, -0.2]): TrajectoryRecord {
  return {
    tokens: [5, 6, 7, 8],
    sampled: [1, 1, 1, 1],
    pieces: ["a", "b", " ", "<|im_end|>"],
    text: "ab ",
    stopReason: "completed",
    messages: [],
    rewardParts: [],
    reward: 1,
    advantage,
    success: true,
    channels: {
      oldLogprobs: old,
      trainLogprobs: train,
      newLogprobs: [-0.4, -1, -2, -0.1],
      refLogprobs: refs,
      sampledEntropies: [1, 0.5, 0.2, 0.1],
      trainEntropies: [0.9, 0.4, 0.1, 0.05],
      advantages: [advantage, advantage, advantage, advantage],
      lossWeights: [-0.25, -0.25, -0.25, 0],
      mask: [1, 1, 1, 0],
      values: null,
    },
  };
}

describe("tokenFacts", () => {
  it("gives the ratio of the training pass to the sampling pass", () => {
    const facts = tokenFacts(record(1), config);
    expect(facts[0]!.ratio).toBeCloseTo(Math.exp(0.5), 12);
    expect(facts[1]!.ratio).toBeCloseTo(Math.exp(-0.4), 12);
    expect(facts[2]!.ratio).toBe(1);
  });

  it("clips above only where the advantage is positive and below only where it is negative", () => {
    expect(tokenFacts(record(1), config).map((token) => token.clipState)).toEqual([1, 0, 0, null]);
    expect(tokenFacts(record(-1), config).map((token) => token.clipState)).toEqual([0, -1, 0, null]);
  });

  it("estimates the KL with the run's estimator", () => {
    const facts = tokenFacts(record(1), { ...config, klEstimator: "k1" });
    expect(facts[0]!.klNats).toBeCloseTo(0.7, 12);
    expect(tokenFacts(record(1), config)[0]!.klNats).toBe(klValue("k3", -0.5, -1.2));
  });

  it("has one ratio for the whole completion at sequence level", () => {
    const facts = tokenFacts(record(1), { ...config, ratioLevel: "sequence" });
    expect(facts[0]!.ratio).toBe(facts[2]!.ratio);
    expect(facts[0]!.ratio).toBeCloseTo(Math.exp((0.5 - 0.4 + 0) / 3), 12);
  });

  it("knows no training value for an untrained token and no KL without a reference", () => {
    const facts = tokenFacts(record(1, null), config);
    expect(facts[3]).toMatchObject({ trained: false, ratio: null, advantage: null, lossWeight: null });
    expect(facts[0]!.klNats).toBeNull();
    expect(channelText(tokenChannel("kl"), facts[0]!)).toContain("no reference log-prob");
  });

  it("knows nothing that hangs on log-probs which nobody recorded, and what was recorded all the same", () => {
    const whole = record(1);
    for (const lacking of [{ oldLogprobs: null }, { trainLogprobs: null }, { advantages: null }]) {
      const [fact] = tokenFacts({ ...whole, channels: { ...whole.channels, ...lacking } }, config);
      expect(fact).toMatchObject({ ratio: null, clipState: null, klNats: null, refLogprob: -1.2 });
    }
    const [fact] = tokenFacts(
      { ...whole, advantage: null, channels: { ...whole.channels, oldLogprobs: null, lossWeights: null, advantages: null } },
      config,
    );
    expect(fact).toMatchObject({ oldLogprob: null, lossWeight: null, advantage: null, newLogprob: -0.4 });
    // What is said of the completion alone holds for each of its trained tokens.
    const shared = tokenFacts({ ...whole, channels: { ...whole.channels, advantages: null } }, config);
    expect(shared.map(({ advantage }) => advantage)).toEqual([1, 1, 1, null]);
  });

  it("has the plain ratio where nobody knows the settings", () => {
    const [fact] = tokenFacts(record(1), null);
    expect(fact!.ratio).toBeCloseTo(Math.exp(0.5), 12);
    expect([fact!.clipState, fact!.klNats]).toEqual([null, null]);
  });

  it("shows nothing of the update before it has run", () => {
    const [first] = tokenFacts(record(1), config, "advantage");
    expect(first).toMatchObject({
      ratio: null,
      newLogprob: null,
      trainEntropy: null,
      lossWeight: null,
      oldLogprob: -1,
    });
  });

  it("survives records whose arrays are shorter than the completion", () => {
    const short = record(1);
    const facts = tokenFacts({ ...short, channels: { ...short.channels, trainLogprobs: [], trainEntropies: [] } }, config);
    expect(facts.map((token) => token.ratio)).toEqual([null, null, null, null]);
  });
});

describe("channels", () => {
  const [token] = tokenFacts(record(1), config);

  it("reads changes as after minus before, and pushes as the descent direction", () => {
    expect(tokenChannel("change").value(token!)).toBeCloseTo(0.6, 12);
    expect(tokenChannel("loss-weight").value(token!)).toBe(0.25);
  });

  it("colours the ratio by its logarithm, so that halving and doubling look alike", () => {
    expect(tokenChannel("ratio").level!(token!)).toBeCloseTo(0.5, 12);
  });

  it("gives values with their unit", () => {
    expect(channelText(tokenChannel("logprob"), token!)).toBe("−1 nats");
    expect(channelText(tokenChannel("advantage"), token!)).toBe("+1");
  });

  it("names the bound that clipped", () => {
    expect(clipWords(1, config)).toBe("clipped: ratio above 1 + ε = 1.2, no push");
    expect(clipWords(-1, config)).toBe("clipped: ratio below 1 − ε = 0.8, no push");
    expect(clipWords(0, { ...config, surrogate: "sapo" })).toBe("the sapo surrogate does not clip");
  });
});
