// TIS, truncated importance sampling (Yao et al. 2025, "Your Efficient RL Framework Secretly Brings You Off-Policy RL Training",
// fengyao.notion.site/off-policy-rl): a token's gradient has the weight min(r, C), r = trainer / sampler. It drops nothing. Departure:
// r of tokens alone; verl and TRL can also take one r for a whole sequence.
import type { MismatchCorrection } from "./correction.ts";

export const truncated: MismatchCorrection = {
  id: "tis",
  title: "TIS",
  does: "cuts",
  help: "Weighs a token by its ratio of trainer to sampler, and holds the weight at C where the ratio is larger.",
  source: "Yao et al. 2025, fengyao.notion.site/off-policy-rl",
  thresholds: [{ key: "cap", title: "C, the largest weight", usual: 2, least: 1, most: 10, step: 0.05 }],
  side: ({ ratio }, { cap = Number.POSITIVE_INFINITY }) => (ratio > cap ? 1 : 0),
};
