// k2 = d²/2: biased as a number; the expectation of its derivative is the gradient of the KL.
import { klEstimator } from "./estimator.ts";

export const k2 = klEstimator({
  id: "k2",
  title: "k2",
  value: (d) => 0.5 * d * d,
  slope: (d) => d,
  tex: (d) => `\\tfrac{1}{2}\\,${d}^{2}`,
  verl: "mse",
});
