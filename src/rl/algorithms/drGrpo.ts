// GRPO done right: Liu et al., "Understanding R1-Zero-Like Training" (2025, arXiv 2503.20783). Dividing
// by each completion's length rewards long wrong answers, dividing by the group's spread favours very
// easy and very hard prompts; both divisions go. No departures: the constant is the completion limit.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const drGrpo: AlgorithmEntry = {
  id: "dr-grpo",
  title: "Dr. GRPO",
  fullName: "GRPO done right",
  paper: "Liu et al. 2025, arXiv 2503.20783",
  summary: "GRPO without its two biases: no division by length, none by the standard deviation.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "none",
    surrogate: "clip",
    clipLow: 0.2,
    clipHigh: 0.2,
    aggregation: "constant-length",
    klCoef: 0,
    innerEpochs: 1,
  },
};
