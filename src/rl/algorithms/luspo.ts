// Length-unbiased sequence policy optimization (2026, arXiv 2602.05261): GSPO whose sequence loss is
// multiplied by the completion's length, so that long completions do not count less per token. Clip
// range as in TRL's recipe. Departure: none at the sequence level.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const luspo: AlgorithmEntry = {
  id: "luspo",
  title: "LUSPO",
  fullName: "length-unbiased sequence policy optimization",
  paper: "Liu et al. 2026, arXiv 2602.05261",
  summary: "GSPO with each completion weighed by its length.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "clip",
    ratioLevel: "sequence",
    clipLow: 0.002,
    clipHigh: 0.0025,
    aggregation: "sequence-sum",
    klCoef: 0,
    innerEpochs: 2,
  },
};
