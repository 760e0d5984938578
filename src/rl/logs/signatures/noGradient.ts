// Rewards differ within groups and the gradient is 0: the weights that are trained get none.
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { EQUAL } from "../../verdict/history.ts";
import { inSteps, type Signature } from "./signature.ts";

export const noGradient: Signature = {
  id: "no-gradient",
  title: "No gradient comes, though rewards differ",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["reward-flat", "clip-ratio-zero", "loss-starts-at-zero"],
  lesson: "policy-gradient",
  explains:
    "Answers of a group earn differently, so their advantages are not 0, and the gradient should not be either. Where it is, something between the loss and the weights is cut: nothing is trained, adapters are not attached, all tokens are masked, or the learning rate of a warm-up is still 0 and what is logged is already scaled.",
  tries: [
    "Count the weights that require a gradient, and look whether adapters are among them.",
    "Gradient checkpointing with adapters needs inputs that require gradients (enable_input_require_grads).",
    "Answers that were cut off may all be masked (mask_truncated_completions): look at their share.",
    "Compare the weights after a few steps with those of the start.",
  ],
  find(run) {
    const rows = run.log.rows.filter(({ metrics }) => metrics.grad_norm !== undefined && metrics.reward_std !== undefined);
    const found = rows.filter(
      ({ metrics }) => metrics.grad_norm === 0 && metrics.reward_std! > EQUAL && (metrics.frac_reward_zero_std ?? 0) < 1,
    );
    if (found.length === 0 || found.length < rows.length / 2) return null;
    const kl = found.every(({ metrics }) => metrics.kl === 0) ? ", and the KL is 0: the policy has not moved" : "";
    return `${inSteps(found.length, rows.length)} the rewards spread by ${measureText(meanOf(found.map(({ metrics }) => metrics.reward_std!)))} and the gradient norm is 0${kl}.`;
  },
};
