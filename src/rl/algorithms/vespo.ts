// Variational sequence-level soft policy optimization (2026, arXiv 2602.10693), in TRL's form: the product of a
// completion's token ratios weighs its tokens through W^k·exp(λ(1 - W)), which is 1 on policy and fades
// on both sides. The weight is held fixed; see vespoFixedWeight for the other reading.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const vespo: AlgorithmEntry = {
  id: "vespo",
  title: "VESPO",
  fullName: "variational sequence-level soft policy optimization",
  paper: "VESPO, 2026, arXiv 2602.10693",
  summary: "Weigh each completion by a smooth function of its whole importance ratio.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "vespo",
    vespoKPos: 2,
    vespoLambdaPos: 3,
    vespoKNeg: 3,
    vespoLambdaNeg: 2,
    vespoFixedWeight: true,
    aggregation: "token-mean",
    klCoef: 0,
    innerEpochs: 2,
  },
};
