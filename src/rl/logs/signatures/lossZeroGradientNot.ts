// A loss of 0 beside a gradient: the value of the objective is 0 where its slope is not (trl#3452).
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { inSteps, type Signature } from "./signature.ts";

/** Half of the last digit that the trainer prints. */
const ROUNDED = 5e-5;

export const lossZeroGradientNot: Signature = {
  id: "loss-zero-gradient-not",
  title: "The loss is 0 and the gradient is not",
  kind: "normal",
  lesson: "group-advantage",
  explains:
    "The advantages of a group add up to 0, and with one update from each batch every ratio is 1: the value of the loss is 0, whatever the answers earned. Its gradient is not, since each answer is pushed by its own advantage. What is printed is rounded to four decimals, and a small weight times a small KL disappears in it.",
  tries: [
    "Look at the reward, its spread and the gradient norm: these say whether it learns.",
    "A loss of 0 with a gradient norm of 0 is another matter: there all answers earn the same.",
  ],
  find(run) {
    const rows = run.log.rows.filter(({ metrics }) => metrics.loss !== undefined && metrics.grad_norm !== undefined);
    const found = rows.filter(({ metrics }) => Math.abs(metrics.loss!) <= ROUNDED && metrics.grad_norm! > 1e-4);
    if (found.length === 0 || found.length < rows.length / 2) return null;
    const norms = found.map(({ metrics }) => metrics.grad_norm!);
    const kls = found.flatMap(({ metrics }) => metrics.kl ?? []);
    const kl = kls.length > 0 ? `; a KL of ${measureText(meanOf(kls))} times its weight is less than what is printed` : "";
    return `This is no fault: ${inSteps(found.length, rows.length).replace(/^In/, "in")} the loss is printed as 0 and the gradient norm is ${measureText(meanOf(norms))} on average${kl}.`;
  },
};
