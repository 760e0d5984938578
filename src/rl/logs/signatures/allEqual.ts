// All answers earn the same, and not 0: nothing is left to learn from this reward, or it cannot tell answers apart.
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { EQUAL } from "../../verdict/history.ts";
import { partNames } from "../logEvidence.ts";
import { inSteps, type Signature, valuesOf } from "./signature.ts";

const MOST = 0.8;

export const allEqual: Signature = {
  id: "all-equal",
  title: "All answers of a group earn the same",
  kind: "fault",
  cause: "tied-groups",
  leadsTo: ["reward-flat", "loss-zero-gradient-not", "loss-starts-at-zero", "clip-ratio-zero"],
  lesson: "dead-groups",
  explains:
    "An answer is compared with the others of its group. Where all earn the same, every advantage is 0, and the update is nothing but the KL term: loss 0 and gradient 0 are right then. The reward is met by everybody already, or it cannot tell a better answer from a worse one.",
  tries: [
    "Harder prompts, of which about half the answers are right.",
    "A reward that tells more answers apart.",
    "More answers to each prompt, and a temperature of 1.",
    "Dynamic sampling, which replaces tied groups by others.",
  ],
  find(run) {
    const [stds, tied, rewards] = ["reward_std", "frac_reward_zero_std", "reward"].map((key) => valuesOf(run, key));
    // Where no spread is logged, the largest and the smallest reward of a step say whether there is one.
    const ranges = run.log.rows.flatMap(({ metrics }) =>
      metrics["reward/max"] === undefined || metrics["reward/min"] === undefined ? [] : [metrics["reward/max"] - metrics["reward/min"]],
    );
    const spreads = stds!.length > 0 ? stds! : ranges;
    const flat = spreads.filter((spread) => spread <= EQUAL).length;
    const isTied = tied!.length > 0 ? meanOf(tied!) >= MOST : spreads.length > 0 && flat >= MOST * spreads.length;
    if (!isTied || rewards!.length === 0) return null;
    // Parts that differ within the step tell another story.
    if (partNames(run.log).some((name) => meanOf(valuesOf(run, `rewards/${name}/std`)) > EQUAL)) return null;
    const share =
      tied!.length > 0
        ? `${shareText(meanOf(tied!))} of the groups had equal rewards`
        : `the spread of the rewards is ${measureText(meanOf(spreads))}`;
    return `${inSteps(rewards!.length, rewards!.length)} ${share}; the mean reward is ${measureText(meanOf(rewards!))}.`;
  },
};
