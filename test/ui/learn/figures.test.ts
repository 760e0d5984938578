// The numbers of the lessons' figures are the engine's, in a hundred random states each: the table policy's own
// update, the trainer's advantages and objective, and formulas written out here once more.

import { describe, expect, it } from "vitest";
import { TabularModel } from "../../../src/model/tabularModel.ts";
import { noSpreadChance } from "../../../src/rl/advantage/statistics.ts";
import { klGradient, klValue } from "../../../src/rl/kl/index.ts";
import { Random } from "../../../src/rl/random.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { advantagesOf, objectiveOf, settingsOf as settings } from "../../../src/ui/kit/words/engineNumbers.ts";
import { clippedTokens } from "../../../src/ui/learn/figures/clipPanel.ts";
import { exactGradient } from "../../../src/ui/learn/lessons/baseline.ts";
import { criticCredit, groupCredit } from "../../../src/ui/learn/lessons/critic.ts";
import { groupState } from "../../../src/ui/learn/lessons/groupAdvantage.ts";
import { ESTIMATORS, klState } from "../../../src/ui/learn/lessons/kl.ts";
import { tokenPushes } from "../../../src/ui/learn/lessons/lengthBias.ts";
import { fallsMost, rowStep } from "../../../src/ui/learn/lessons/policyGradient.ts";
import { maskedPushes } from "../../../src/ui/learn/lessons/toolMask.ts";

const STATES = 100;
const random = new Random(7);
const row = (length: number) => Array.from({ length }, () => random.normal());
const each = (check: (i: number) => void) => {
  for (let i = 0; i < STATES; i++) check(i);
};
const softmax = (logits: readonly number[]) => {
  const sum = logits.reduce((total, logit) => total + Math.exp(logit), 0);
  return logits.map((logit) => Math.exp(logit) / sum);
};

import { flatten, relativeError } from "../../rl/reference.ts";
import { objectiveOf as caseOf, lossCases } from "../../rl/trlCases.ts";
import { reference } from "../../rl/verlCases.ts";

describe("the figures' numbers, in a hundred random states,", () => {
  it("of one step on a row are those of the table policy after its own update", async () => {
    for (let i = 0; i < STATES; i++) {
      const V = 10;
      const model = new TabularModel(1, V);
      const optimizer = { kind: "sgd", learningRate: 1, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, maxGradNorm: 0 } as const;
      // From even logits to random ones by steps of the model itself, then the step that the figure shows.
      let logits = Array.from({ length: V }, () => 0);
      for (let step = 0; step < 3; step++) {
        const [token, reward, learningRate] = [random.below(V), random.normal(), 1 + random.uniform()];
        const shown = rowStep(logits, token, reward, learningRate);
        const batch = packGroups([{ promptTokens: [0], completions: [[token]] }], 1);
        const objective = () => ({ logprobs_K: Float32Array.of(-Math.fround(reward)), entropies_K: null, values_K: null });
        await model.update({ batch, objective, exactKlCoef: 0, optimizer: { ...optimizer, learningRate }, microBatchTokens: 64 });
        const after = Array.from({ length: V }, (_, v) => packGroups([{ promptTokens: [0], completions: [[v]] }], 1));
        for (let v = 0; v < V; v++)
          expect(Math.exp((await model.score(after[v]!, "policy")).logprobs_K[0]!)).toBeCloseTo(shown.after[v]!, 5);
        expect(shown.after[fallsMost(shown)]! - shown.before[fallsMost(shown)]!).toBeLessThanOrEqual(0);
        logits = logits.map((logit, v) => logit + learningRate * shown.pushes[v]!);
      }
    }
  });

  it("of a baseline leave the expected gradient where it is", () => {
    each(() => {
      const [logits, rewards] = [row(10), row(10)];
      const [without, with_] = [exactGradient(logits, rewards, 0), exactGradient(logits, rewards, 3 * random.normal())];
      const pi = softmax(logits);
      const mean = pi.reduce((sum, p, v) => sum + p * rewards[v]!, 0);
      for (let v = 0; v < 10; v++) {
        expect(with_[v]).toBeCloseTo(without[v]!, 10);
        expect(without[v]).toBeCloseTo(pi[v]! * (rewards[v]! - mean), 10);
      }
    });
  });

  it("of a group are (r - mean) / (std + 1e-4), and 7/8 of RLOO's without the division", () => {
    each(() => {
      const rewards = Array.from({ length: 8 }, () => random.uniform());
      const mean = rewards.reduce((sum, r) => sum + r, 0) / 8;
      const std = Math.sqrt(rewards.reduce((sum, r) => sum + (r - mean) ** 2, 0) / 7);
      const state = groupState(rewards, "group-mean", "group-std");
      for (let g = 0; g < 8; g++) {
        expect(state.advantages[g]).toBeCloseTo((rewards[g]! - mean) / (std + 1e-4), 10);
        expect(state.centred[g]).toBeCloseTo((7 / 8) * state.leaveOneOut[g]!, 12);
        expect(groupCredit(rewards)[g]).toBe(state.centred[g]);
      }
    });
  });

  it("of dead groups are the share that the trainer calls so", () => {
    each((i) => {
      const [G, p] = [2 + (i % 5), random.uniform()];
      let share = 0;
      for (let outcome = 0; outcome < 2 ** G; outcome++) {
        const rewards = Array.from({ length: G }, (_, g) => (outcome >> g) & 1);
        const right = rewards.filter(Boolean).length;
        const [isDead] = advantagesOf({ rewards, lengths: rewards.map(() => 1) }, settings("grpo")).zeroSpread_P;
        if (isDead) share += p ** right * (1 - p) ** (G - right);
      }
      expect(noSpreadChance(p, G)).toBeCloseTo(share, 12);
    });
  });

  it("of the clip are min(ρA, clip(ρ)A), held only where the push has had its way", () => {
    each(() => {
      const [ratio, advantage, clip] = [Math.exp(random.normal()), random.normal(), 0.05 + 0.4 * random.uniform()];
      const [token] = clippedTokens([ratio], [advantage], clip);
      const clipped = Math.min(1 + clip, Math.max(1 - clip, ratio));
      expect(token!.value).toBeCloseTo(Math.min(ratio * advantage, clipped * advantage), 10);
      expect(token!.isHeld).toBe(advantage > 0 ? ratio > 1 + clip : ratio < 1 - clip);
    });
  });

  it("of the KL are the estimators' expectations and gradients", () => {
    each(() => {
      const [logits, reference] = [row(8), row(8)];
      const state = klState(logits, reference);
      const [pi, ref] = [softmax(logits), softmax(reference)];
      const exact = pi.reduce((sum, p, v) => sum + p * Math.log(p / ref[v]!), 0);
      expect(state.exact).toBeCloseTo(exact, 10);
      expect(state.means.k1).toBeCloseTo(exact, 10);
      expect(state.means.k3).toBeCloseTo(exact, 10);
      for (let v = 0; v < 8; v++) {
        expect(state.gradients.exact[v]).toBeCloseTo(pi[v]! * (Math.log(pi[v]! / ref[v]!) - exact), 10);
        expect(state.gradients.k1[v]).toBeCloseTo(0, 12);
        expect(state.gradients.k2[v]).toBeCloseTo(state.gradients.exact[v]!, 12);
        expect(state.gradients.k3[v]).toBeCloseTo(pi[v]! - ref[v]!, 10);
      }
      const d = random.normal();
      for (const estimator of ESTIMATORS)
        expect((klValue(estimator, d + 1e-6, 0) - klValue(estimator, d - 1e-6, 0)) / 2e-6).toBeCloseTo(klGradient(estimator, d, 0), 5);
    });
  });

  it("of the divisions are A/(Q·|o|), A/ΣT and A/(Q·limit)", () => {
    each(() => {
      const lengths = Array.from({ length: 6 }, () => 1 + random.below(40));
      const rewards = lengths.map(() => random.uniform());
      const tokens = lengths.reduce((sum, length) => sum + length, 0);
      for (const [algorithm, weight] of [
        ["grpo", (q: number) => 1 / (6 * lengths[q]!)],
        ["dapo", () => 1 / tokens],
        ["dr-grpo", () => 1 / (6 * 40)],
      ] as const)
        for (const [q, { advantage, push }] of tokenPushes(algorithm, rewards, lengths).entries())
          expect(push).toBeCloseTo(advantage * weight(q), 12);
    });
  });

  it("of the mask leave inserted tokens without a push, and share it out among the others", () => {
    each(() => {
      const sampled = Array.from({ length: 12 }, (_, t) => (t === 0 || random.uniform() < 0.5 ? 1 : 0));
      const one = { pieces: sampled.map(String), sampled, advantage: random.normal() };
      const written = sampled.filter(Boolean).length;
      for (const { push, isSampled } of maskedPushes(one, true)) expect(push).toBeCloseTo(isSampled ? one.advantage / written : 0, 12);
      for (const { push } of maskedPushes(one, false)) expect(push).toBeCloseTo(one.advantage / 12, 12);
    });
  });

  it("of the critic are generalised advantages, the sum of discounted surprises", () => {
    each(() => {
      const [values, reward, lambda] = [row(8), random.normal(), random.uniform()];
      const shown = criticCredit(reward, values, lambda);
      const delta = values.map((value, t) => (t === 7 ? reward : values[t + 1]!) - value);
      for (let t = 0; t < 8; t++)
        expect(shown[t]).toBeCloseTo(
          delta.slice(t).reduce((sum, d, l) => sum + lambda ** l * d, 0),
          10,
        );
    });
  });
});

describe("the lessons' code path agrees with the reference numbers", () => {
  it("of a group's advantages (TRL, verl)", () => {
    const groups = reference.rewards.map((_, q) => Math.floor(q / reference.groupSize));
    const lengths = reference.rewards.map(() => 1);
    const under = (changes: Parameters<typeof settings>[1]) =>
      advantagesOf({ rewards: reference.rewards, lengths, groups }, settings("grpo", changes)).advantages_Q;
    const expected = (name: string) => reference.advantages[name] as number[];
    expect(relativeError(under({}), expected("group mean / (sample std + 1e-4) (TRL scale_rewards=group)"))).toBeLessThan(1e-9);
    expect(relativeError(under({ advantageScale: "none" }), expected("group mean-centred (Dr. GRPO)"))).toBeLessThan(1e-9);
    expect(
      relativeError(under({ advantageBaseline: "leave-one-out", advantageScale: "none" }), expected("leave-one-out (RLOO)")),
    ).toBeLessThan(1e-9);
  });

  it("of the KL's estimators (verl)", () => {
    const { logprobs, refLogprobs, values } = reference.klEstimators;
    for (const estimator of ESTIMATORS) {
      const own = logprobs.map((logprob, k) => klValue(estimator, logprob, refLogprobs[k]!));
      if (values[estimator]) expect(relativeError(own, values[estimator])).toBeLessThan(1e-6);
    }
  });

  it("of ratio, clip and averaging, and their gradients (TRL)", () => {
    const plain = lossCases.filter(
      ({ config }) =>
        ["grpo", "dapo", "dr_grpo"].includes(config.lossType) &&
        config.importanceSamplingLevel === "token" &&
        config.delta === null &&
        config.beta === 0 &&
        config.entropyCoef === 0 &&
        config.topEntropyQuantile === 1 &&
        config.offPolicyMaskThreshold === null,
    );
    expect(plain.length).toBeGreaterThanOrEqual(3);
    for (const one of plain) {
      const { input, config } = caseOf(one);
      const lengths = one.mask.map((row) => row.length);
      const { loss, gradLogprobs_K } = objectiveOf({ ...input, lengths }, config);
      expect(relativeError([loss], [one.expected.loss]), one.name).toBeLessThan(1e-6);
      expect(relativeError(gradLogprobs_K, flatten(one.expected.gradLogprobs)), one.name).toBeLessThan(1e-6);
    }
  });
});
