// A part of the reward is the same number in every step, and neither nothing nor all: it does not look at the answers.
import { measureText } from "../../../protocol/quantities.ts";
import { EQUAL } from "../../verdict/history.ts";
import { partNames } from "../logEvidence.ts";
import { type Signature, valuesOf } from "./signature.ts";

/** Steps from which equal means are no chance. */
const FEWEST = 2;

export const partConstant: Signature = {
  id: "part-constant",
  title: "A part of the reward never changes",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["reward-flat", "loss-starts-at-zero", "loss-zero-gradient-not"],
  lesson: "reward-hacking",
  explains:
    "A part whose mean is the same number in every step gives every answer the same: most often it cannot read the expected answer, and gives what it gives then. It tells no answer from another, so the policy learns from the other parts alone.",
  tries: [
    "Call the part by hand with an answer that is right and one that is wrong: does it tell them apart?",
    "Look at the column with the expected answers: is it the one that the reward reads, and in the form it can parse?",
    "Count how often the expected answer could not be read.",
  ],
  find(run) {
    const rows = run.log.rows.length;
    const parts = partNames(run.log).map((name) => ({ name, values: valuesOf(run, `rewards/${name}/mean`) }));
    const found = parts.find(({ values }) => {
      const [first = 0] = values;
      const isPlain = Math.abs(first) <= EQUAL || Math.abs(Math.abs(first) - 1) <= EQUAL || Number.isInteger(first);
      return values.length >= FEWEST && values.length === rows && !isPlain && values.every((value) => Math.abs(value - first) <= EQUAL);
    });
    if (!found) return null;
    return `“${found.name}” is ${measureText(found.values[0]!)} in all ${found.values.length} steps of the log: it gives every answer the same, right or wrong.`;
  },
};
