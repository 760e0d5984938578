// IcePop (Zhao et al. 2025, "Small Leak Can Sink a Great Ship", ringtech.notion.site/icepop; Ring-1T, arXiv 2510.18855): a token is
// masked where r = trainer / sampler lies outside [alpha, beta]; both bounds belong to the range. Departures: the paper's trainer is that
// before the step's update, here it is whatever trainer wrote the log-probs; the weight r of what is kept is not applied here.
import type { MismatchCorrection } from "./correction.ts";

export const icePop: MismatchCorrection = {
  id: "icepop",
  title: "IcePop",
  does: "drops",
  help: "Drops a token whose ratio of trainer to sampler lies outside α to β.",
  source: "Zhao et al. 2025; Ring-1T, arXiv 2510.18855",
  thresholds: [
    { key: "alpha", title: "α, the least ratio", usual: 0.5, least: 0, most: 1, step: 0.01 },
    { key: "beta", title: "β, the largest ratio", usual: 5, least: 1, most: 10, step: 0.05 },
  ],
  side: ({ ratio }, { alpha = 0, beta = Number.POSITIVE_INFINITY }) => (ratio > beta ? 1 : ratio < alpha ? -1 : 0),
};
