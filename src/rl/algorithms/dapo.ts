// Decoupled clip and dynamic sampling: Yu et al. (2025, arXiv 2503.14476). Four changes to GRPO without
// KL: a wider upper clip, the mean over tokens, groups with equal rewards replaced by fresh ones, and a
// reward that falls over the last tokens before the limit. Departure: the buffer is 4 tokens, a fifth
// of a short limit as the paper's 4,096 is of 20,480.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const dapo: AlgorithmEntry = {
  id: "dapo",
  title: "DAPO",
  fullName: "decoupled clip and dynamic sampling policy optimization",
  paper: "Yu et al. 2025, arXiv 2503.14476",
  summary: "Clip higher, mean over tokens, refill groups that teach nothing, punish overlong answers softly.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "clip",
    clipLow: 0.2,
    clipHigh: 0.28,
    aggregation: "token-mean",
    klCoef: 0,
    dynamicSampling: true,
    overlongBuffer: 4,
    innerEpochs: 2,
  },
};
