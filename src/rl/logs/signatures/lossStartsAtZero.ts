// The loss of GRPO starts at 0 and rises with the KL: with one update from a batch the ratio is 1, advantages of a group add up to 0, and
// what is left of the loss is the KL term (trl#2703).
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { type Signature, thirds, valuesOf } from "./signature.ts";

/** How near 0 a loss is that stands for 0 beside those to come. */
const SMALL = 1e-3;

export const lossStartsAtZero: Signature = {
  id: "loss-starts-at-zero",
  title: "The loss starts at 0 and rises",
  kind: "normal",
  lesson: "kl",
  explains:
    "With one update from each batch the ratio is 1, and the advantages of a group add up to 0: the value of the policy's part is 0, while its gradient is not. What remains is the weight times the KL, which is 0 at the start, where policy and reference are one, and grows as the policy learns.",
  tries: ["Look at the reward and at held-out problems: the value of this loss does not measure progress.", "Watch the KL itself."],
  find(run) {
    const rows = run.log.rows.filter(({ metrics }) => metrics.loss !== undefined && (metrics.kl ?? 0) > 0);
    const losses = thirds(rows.map(({ metrics }) => metrics.loss!));
    const kls = thirds(rows.map(({ metrics }) => metrics.kl!));
    if (!losses || !kls || Math.abs(rows[0]!.metrics.loss!) > SMALL || !(losses.last > losses.first) || !(kls.last > kls.first))
      return null;
    // Rounded to 4 decimals, only losses well above that say the weight.
    const weights = rows.filter(({ metrics }) => metrics.loss! >= 10 * 1e-4).map(({ metrics }) => metrics.loss! / metrics.kl!);
    const ratio =
      weights.length > 0
        ? `; it is ${measureText(meanOf(weights))} times the KL${run.config.klCoef ? `, whose weight is ${run.config.klCoef}` : ""}`
        : "";
    return `This is no fault: the loss is ${measureText(rows[0]!.metrics.loss!)} at first and ${measureText(valuesOf(run, "loss").at(-1)!)} at last, as the KL goes from ${measureText(rows[0]!.metrics.kl!)} to ${measureText(valuesOf(run, "kl").at(-1)!)}${ratio}.`;
  },
};
