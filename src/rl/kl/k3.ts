// k3 = exp(-d) + d - 1: unbiased as a number and never below 0 (Shao et al. 2024, GRPO, arXiv 2402.03300, eq. 4).
import { expm1 } from "../exactMath.ts";
import { klEstimator } from "./estimator.ts";

export const k3 = klEstimator({
  id: "k3",
  title: "k3",
  // expm1 keeps the digits where policy and reference nearly agree.
  value: (d) => expm1(-d) + d,
  slope: (d) => -expm1(-d),
  tex: (d) => `\\bigl(e^{-${d}} + ${d} - 1\\bigr)`,
  trl: true,
  verl: "low_var_kl",
});
