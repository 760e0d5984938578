// No KL in the log: at a weight of 0 there is no reference, and nothing to measure (trl#4040).
import { counted } from "../../../protocol/quantities.ts";
import { type Signature, stepsOf, valuesOf } from "./signature.ts";

export const klMissing: Signature = {
  id: "kl-missing",
  title: "There is no KL",
  kind: "normal",
  lesson: "what-the-kl-is-for",
  explains:
    "The KL is measured against a frozen copy of the model. At a weight of 0 programs load no such copy, and so there is no number (TRL leaves it out, and its default weight has been 0 since 0.16). Older ones and those on top of it write nan.",
  tries: [
    "A weight above 0, however small, where the distance from the start should be seen.",
    "Nothing, if the reward cannot be cheated.",
  ],
  find(run) {
    const unknown = run.unknown("kl").length;
    if (valuesOf(run, "kl").length > 0 || stepsOf(run) === 0) return null;
    const weight = run.config.klCoef;
    if (weight !== undefined && weight > 0) return null;
    // Only where the log is TRL's or says the weight: others do not print it by default.
    if (unknown === 0 && weight !== 0 && !(run.log.program.id === "trl" && valuesOf(run, "reward_std").length > 0)) return null;
    const what =
      unknown > 0
        ? `the KL is nan in ${unknown} of ${counted(stepsOf(run), "step")}`
        : `none of the ${counted(stepsOf(run), "step")} of the log has a KL`;
    return `This is no fault: ${what}, as it is with a KL weight of 0${weight === 0 ? ", which is set here" : ", TRL's default"}.`;
  },
};
