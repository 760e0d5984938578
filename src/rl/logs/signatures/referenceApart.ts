// The KL is large at the first step already, when policy and reference should be one model: before an update there is nothing to part them.
import { measureText } from "../../../protocol/quantities.ts";
import type { Signature } from "./signature.ts";

/** Nats a token that a first step's own updates do not make. */
const FAR = 0.1;

export const referenceApart: Signature = {
  id: "reference-apart",
  title: "The reference is not the start",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["loss-starts-at-zero", "clip-ratio-zero", "loss-zero-gradient-not"],
  lesson: "what-the-kl-is-for",
  explains:
    "Reference and policy are the same weights before the first update, so the KL begins near 0. Where it does not, two things are compared that are not one model: a reference from another checkpoint (the base model, while the policy begins from a fine-tuned one), other number formats or padding, or log-probs of other tokens than those that were sampled.",
  tries: [
    "Load reference and policy from the same checkpoint, adapters included.",
    "Score one batch with both before any update: every log-prob should agree to a few thousandths.",
    "Compare the sampler's log-probs with the trainer's of the same tokens, and look at chat template, temperature and masks.",
  ],
  find(run) {
    const [first] = run.log.rows;
    const kl = first?.metrics.kl;
    // A log that was cut out of a run begins later; one without steps may have been.
    if (!first || kl === undefined || !run.log.hasSteps || first.step > 1 || kl < FAR) return null;
    const approx = first.metrics.approx_kl;
    const old =
      approx !== undefined && Math.abs(approx) > FAR
        ? ` The estimate between the sampling policy and the updated one is ${measureText(approx)} as well: the log-probs of the samples do not fit the policy either.`
        : "";
    return `At step ${first.step} the KL is ${measureText(kl)} nats a token, where it should begin near 0.${old}`;
  },
};
