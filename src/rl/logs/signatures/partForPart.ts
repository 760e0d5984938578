// One part of the reward is learnt and another is lost: the sum may even rise.
import { measureText } from "../../../protocol/quantities.ts";
import { partNames } from "../logEvidence.ts";
import { type Signature, thirds, valuesOf } from "./signature.ts";

const FEWEST = 3;
const RISE = 0.15;
const FALL = 0.4;
/** The share of what one part gained that the other has to lose. */
const WORTH = 0.15;
/** Steps from which a part that never paid is told. */
const PATIENCE = 5;

export const partForPart: Signature = {
  id: "part-for-part",
  title: "One part of the reward is learnt, another is not",
  kind: "fault",
  cause: "reward-hacking",
  hidesInProgress: true,
  leadsTo: ["reward-flat"],
  lesson: "reward-hacking",
  explains:
    "A reward of several parts is their sum, and what is easiest to earn is learnt first: mostly the form. Once all answers have the form, a part that hardly ever pays has to lift them alone, and an update that only wants the form can cost what the model knew.",
  tries: [
    "Read the answers: are they the form with nothing in it?",
    "A smaller weight for the part that is learnt, or one that pays only beside a right answer.",
    "Try the other part by hand on an answer that is right: does it pay?",
    "A lower learning rate, a larger KL weight, or an instruct model that has the form already.",
  ],
  find(run) {
    const parts = partNames(run.log).map((name) => ({ name, values: valuesOf(run, `rewards/${name}/mean`) }));
    const moved = parts.flatMap(({ name, values }) => {
      const third = values.length >= FEWEST ? thirds(values) : null;
      return third ? [{ name, ...third, most: Math.max(...values.map(Math.abs)), steps: values.length }] : [];
    });
    const up = moved
      .filter(({ first, last, most }) => last > 0 && last - first >= RISE * most && last > first)
      .sort((a, b) => b.last - b.first - (a.last - a.first))[0];
    if (!up) return null;
    const down = moved.find(
      ({ name, first, last }) =>
        name !== up.name && first > 0 && last <= (1 - FALL) * first && first - last >= WORTH * (up.last - up.first),
    );
    const never = moved.find(({ name, most, steps }) => name !== up.name && most === 0 && steps >= PATIENCE);
    const other = down ?? never;
    if (!other) return null;
    return `“${up.name}” went from ${measureText(up.first)} to ${measureText(up.last)}, while “${other.name}” ${down ? `fell from ${measureText(other.first)} to ${measureText(other.last)}` : `stayed at 0 in all ${other.steps} steps`}.`;
  },
};
