// k1 = d: unbiased as a number. In a loss its derivative is 1 at every token, which cancels on average.
import { klEstimator } from "./estimator.ts";

export const k1 = klEstimator({
  id: "k1",
  title: "k1",
  value: (d) => d,
  slope: () => 1,
  tex: (d) => d,
  inLoss: "As k1 its slope is the same at every token, so on average it pulls nowhere.",
  verl: "kl",
});
