// Presets that go wrong on purpose, one for each diagnosis, so that its trace can be met before it is met in
// earnest. The logits table shows most of them within a second; the seed belongs to what is shown.

import type { PresetEntry } from "../protocol/catalog.ts";
import { TINY_TRANSFORMER } from "../rl/tasks/digitSum.ts";

const group = "Things that go wrong";
const TABLE = { task: "digit-sum", algorithm: "builtin", model: "tabular" } as const;
const TRANSFORMER = { task: "digit-sum", algorithm: "grpo", ...TINY_TRANSFORMER, klCoef: 0, optimizer: "adamw" } as const;

export const failingPresets: readonly PresetEntry[] = [
  {
    id: "wrong-no-spread",
    title: "A target nobody hits",
    summary: "Only 9999 is right, and near misses earn nothing. All answers of a group are equally bad, so nothing is learnt.",
    group,
    shows: "nothing-earned",
    config: { ...TABLE, taskOptions: { length: 4, target: 36, scale: 0.1 }, steps: 100 },
  },
  {
    id: "wrong-reward",
    title: "Rewarding the wrong thing",
    summary: "The reward has the wrong sign. It rises steadily, while the share of right answers goes to 0.",
    group,
    shows: "reward-hacking",
    config: { ...TABLE, rewardWeights: { sumCloseness: -1 }, steps: 200 },
  },
  {
    id: "wrong-learning-rate",
    title: "Steps too long",
    summary: "Twenty times the learning rate, with groups of four. The first lucky answer is all that the policy says from then on.",
    group,
    shows: "learning-rate-too-high",
    config: { ...TABLE, learningRate: 10, groupSize: 4, klCoef: 0, steps: 60, evalEvery: 10 },
  },
  {
    id: "wrong-entropy",
    title: "Sure too soon",
    summary: "The entropy bonus has the wrong sign. The policy is paid for being sure, and is sure before it is right.",
    group,
    shows: "entropy-collapse",
    config: {
      ...TABLE,
      taskOptions: { length: 4, target: 18, scale: 20 },
      learningRate: 1,
      groupSize: 4,
      klCoef: 0.001,
      entropyCoef: -1,
      seed: 1,
      steps: 200,
    },
  },
  {
    id: "wrong-near-misses",
    title: "Settled beside the target",
    summary:
      "A blunt reward: an answer that is ten off still earns four fifths. Groups of two tie beside the target, and nothing moves them on.",
    group,
    shows: "near-misses",
    config: {
      ...TABLE,
      taskOptions: { length: 4, target: 18, scale: 50 },
      learningRate: 0.5,
      groupSize: 2,
      klCoef: 0,
      entropyCoef: -0.5,
      steps: 200,
    },
  },
  {
    id: "wrong-kl",
    title: "Away from the reference",
    summary: "A KL weight of 0.001 is too small to hold the policy. It leaves its reference and gains no right answers.",
    group,
    shows: "kl-runaway",
    config: {
      ...TABLE,
      taskOptions: { length: 4, target: 18, scale: 50 },
      learningRate: 0.5,
      groupSize: 2,
      klCoef: 0.001,
      entropyCoef: -0.5,
      steps: 200,
    },
  },
  {
    id: "wrong-variance",
    title: "Solved, then lost",
    summary:
      "Solved after 20 steps, with nothing to learn for the next 180. Meanwhile Adam's averages of the gradient shrink, and one odd answer then makes one huge step.",
    group,
    shows: "stale-variance",
    config: { ...TRANSFORMER, groupSize: 64, innerEpochs: 4, learningRate: 3e-2, evalEvery: 20, steps: 220 },
  },
  {
    id: "wrong-memory",
    title: "Learnt by heart",
    summary: "Each problem says which sum it asks for. The model learns some twenty sums one by one, and none of the held-out ones.",
    group,
    shows: "memorising",
    config: {
      ...TRANSFORMER,
      taskOptions: { length: 3, varied: true },
      promptsPerStep: 16,
      groupSize: 16,
      innerEpochs: 2,
      learningRate: 2e-3,
      adamEps: 1e-5,
      evalEvery: 25,
      steps: 120,
    },
  },
];
