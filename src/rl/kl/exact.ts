// The KL itself, summed over the vocabulary. Where it is measured from sampled tokens it reads as k3.
import { klEstimator } from "./estimator.ts";
import { k3 } from "./k3.ts";

export const exact = klEstimator({
  id: "exact",
  title: "Exact",
  value: k3.value,
  slope: k3.slope,
  isOverRows: true,
  tex: k3.tex,
});
