// A gradient norm beyond any that training has: it grew by orders of magnitude, or is enormous from the first step on, beside a loss of
// ordinary size.
import { exactText, measureText } from "../../../protocol/quantities.ts";
import { inSteps, type Signature, thirds, valuesOf } from "./signature.ts";

/** Norms above this belong to no update of a model; a hundredfold rise counts from a norm of so much. */
const ENORMOUS = 1e4;
const TIMES = 100;
const LARGE = 100;
/** A loss up to this is one of ordinary size. */
const ORDINARY = 10;

export const gradientOutOfScale: Signature = {
  id: "gradient-out-of-scale",
  title: "The gradient is out of scale",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["clip-ratio-zero", "loss-starts-at-zero", "loss-zero-gradient-not"],
  lesson: "policy-gradient",
  explains:
    "The norm of the gradient says how long a step the loss asks for, before a clip shortens it. A norm that is enormous from the first step on beside a plain loss is a number scaled wrongly on its way back: a loss scale that was not taken off, sums where means are meant, or an overflow of the number format. One that grows a hundredfold says that some tokens have ratios or log-probs without a bound. A clip keeps the length, not the direction: the update is that of the few tokens that broke.",
  tries: [
    "Look whether the norm is taken before the loss scale is divided out, and over how many processes it is added up.",
    "Find the tokens with the largest log-ratio or advantage of that step, and bound the log-ratio before its exponential.",
    "bfloat16 or float32 in place of float16, log-probs and the loss in float32.",
    "A lower learning rate, and a checkpoint before the norm rose.",
  ],
  find(run) {
    const norms = valuesOf(run, "grad_norm");
    const losses = [...valuesOf(run, "loss"), ...valuesOf(run, "loss/policy")];
    const large = norms.filter((norm) => norm > ENORMOUS);
    const beside =
      losses.length > 0 && losses.every((loss) => Math.abs(loss) <= ORDINARY)
        ? `, beside losses of ${measureText(Math.max(...losses.map(Math.abs)))} at most`
        : "";
    if (large.length > norms.length / 2)
      return `${inSteps(large.length, norms.length)} the gradient norm is above ${ENORMOUS}, ${exactText(Math.max(...norms))} at most${beside}.`;
    const ends = thirds(norms);
    if (!ends || ends.last < LARGE || ends.last < TIMES * ends.first) return null;
    return `The gradient norm went from ${measureText(ends.first)} to ${measureText(ends.last)} (means of the first and the last third)${beside}.`;
  },
};
