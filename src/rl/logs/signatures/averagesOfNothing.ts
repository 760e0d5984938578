// Some averages are nan while loss and gradient of the same step are numbers: they were taken over no token at all.
import { inSteps, type Signature } from "./signature.ts";

const CLIPS = ["clip_ratio/region_mean", "clip_ratio/low_mean", "clip_ratio/high_mean"] as const;

export const averagesOfNothing: Signature = {
  id: "averages-of-nothing",
  title: "Some averages are over nothing",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["kl-missing", "cut-short"],
  lesson: "policy-gradient",
  explains:
    "KL and clip ratio are means over the tokens that count. Where a process has answers none of whose tokens count (all cut off and masked, empty, or all of them a tool's), its mean is 0 divided by 0, and one such process makes the mean of all nan. Loss and gradient are divided otherwise and stay numbers, so the training itself goes on.",
  tries: [
    "Look whether answers that were cut off are masked (mask_truncated_completions, overlong_filter), and at their share.",
    "A higher limit of tokens, or more answers on each process, so that some token always counts.",
    "Read the values of each process before they are averaged.",
  ],
  find(run) {
    const found = run.log.rows.filter(
      ({ metrics, unknown }) =>
        (Number.isFinite(metrics.loss) || Number.isFinite(metrics.grad_norm)) &&
        !["loss", "loss/policy", "grad_norm"].some((key) => unknown.includes(key)) &&
        unknown.includes("kl") &&
        CLIPS.some((key) => unknown.includes(key)),
    );
    if (found.length === 0) return null;
    const cut = found.flatMap(({ metrics }) => metrics["completions/clipped_ratio"] ?? []);
    const share = cut.length > 0 ? `; up to ${Math.round(100 * Math.max(...cut))} % of the answers were cut off` : "";
    return `${inSteps(found.length, run.log.rows.length)} KL and clip ratio are nan while ${found.every(({ metrics }) => metrics.loss !== undefined) ? "the loss is" : "the gradient norm is"} a number${share}.`;
  },
};
