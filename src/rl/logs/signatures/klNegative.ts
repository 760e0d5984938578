// A KL that is negative on average: an estimate over samples of the policy itself cannot be, so the samples are another's.
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { inSteps, type Signature, valuesOf } from "./signature.ts";

/** Below noise: nats a token, and nats an answer. */
const MEASURES = [
  { key: "kl", below: -0.02, unit: "nats a token" },
  { key: "kl/answer", below: -1, unit: "nats an answer" },
] as const;

export const klNegative: Signature = {
  id: "kl-negative",
  title: "The KL is negative",
  kind: "fault",
  cause: "sampler",
  hidesInProgress: true,
  lesson: "kl",
  explains:
    "The simplest estimate of the KL is the mean log-ratio of policy and reference over sampled tokens. Single tokens may be negative, their mean over samples of the policy is not. Where it stays negative, the samples were drawn otherwise: top-k or top-p, a forced length, a banned end token, another temperature, or padding that is counted.",
  tries: [
    "Sample without filters: top_k off, top_p 1, no minimal length, temperature as in training.",
    "Leave padding and what follows the end token out of the mean.",
    "The estimate that is never negative (k3: ratio less 1 less its logarithm) shows size, not this fault.",
  ],
  find(run) {
    for (const { key, below, unit } of MEASURES) {
      const values = valuesOf(run, key);
      const negative = values.filter((value) => value < below).length;
      if (values.length > 0 && negative > values.length / 2 && meanOf(values) < below)
        return `${inSteps(negative, values.length)} the KL is below ${below}: ${measureText(meanOf(values))} ${unit} on average.`;
    }
    return null;
  },
};
