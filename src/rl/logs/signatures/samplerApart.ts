// Sampler and trainer give the same tokens other probabilities: the update is computed for another policy than the one that sampled.
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { inSteps, type Signature, valuesOf } from "./signature.ts";

/**
 * What each measure calls far: divergences in nats, of which the Tinker documentation and prime-rl's tests allow 0.01,
 * and a difference of log-probs.
 */
const MEASURES = [
  { key: "sampling/mismatch_kl", far: 0.02, what: "the KL between sampler and trainer" },
  { key: "sampling/half_squared_log_ratio", far: 0.02, what: "half the mean squared log-ratio between sampler and trainer" },
  { key: "sampling/log_ratio/mean", far: 0.02, what: "the mean log-ratio between sampler and trainer" },
  { key: "sampling/sampling_logp_difference/mean", far: 0.05, what: "the mean difference of log-probs between sampler and trainer" },
  { key: "sampling/probability_difference/mean", far: 0.02, what: "the mean difference of probabilities between sampler and trainer" },
] as const;

export const samplerApart: Signature = {
  id: "sampler-apart",
  title: "The sampler is not the policy",
  kind: "fault",
  cause: "sampler",
  hidesInProgress: true,
  lesson: "ratio",
  explains:
    "Training assumes that the policy drew its samples. Another engine, other weights, another number format or a filter on tokens draw from another distribution, and each update corrects for chances that were never taken. Up to 0.01 nats is what engines of the same weights differ by.",
  tries: [
    "The same weights, number format and chat template in sampler and trainer; fresh weights each step.",
    "No top-p, top-k or min-p while training, and a temperature of 1 in both.",
    "Importance weights between the two with a bound, or tokens beyond it left out.",
    "Fewer steps between sampling and training, where they run beside each other.",
  ],
  find(run) {
    for (const { key, far, what } of MEASURES) {
      const values = valuesOf(run, key);
      const over = values.filter((value) => Math.abs(value) > far).length;
      if (values.length > 0 && over > values.length / 2)
        return `${inSteps(over, values.length)} ${what} is above ${far}: ${measureText(meanOf(values))} on average, ${measureText(values.at(-1)!)} at last.`;
    }
    return null;
  },
};
