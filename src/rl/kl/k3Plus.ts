// k3+: the number of k3 with the derivative of k2, the one whose expectation is the gradient of the KL (verl's "+").
import { klEstimator } from "./estimator.ts";
import { k2 } from "./k2.ts";
import { k3 } from "./k3.ts";

export const k3Plus = klEstimator({
  id: "k3+",
  title: "k3+",
  value: k3.value,
  slope: k2.slope,
  tex: k3.tex,
});
