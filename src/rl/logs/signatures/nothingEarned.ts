// Every reward is 0: no answer is better than another, so nothing can be learnt.
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { EQUAL } from "../../verdict/history.ts";
import { inSteps, type Signature, valuesOf } from "./signature.ts";

/** What says of one step alone that nobody earned anything: a mean of 0 may be of rewards above and below it. */
const NOBODY = [
  { key: "reward_std", is: 0 },
  { key: "reward/max", is: 0 },
  { key: "success_rate", is: 0 },
  { key: "groups/all_wrong", is: 1 },
] as const;

export const nothingEarned: Signature = {
  id: "nothing-earned",
  title: "Nothing earns anything",
  kind: "fault",
  cause: "nothing-earned",
  leadsTo: ["all-equal", "no-advantage", "reward-flat", "loss-zero-gradient-not", "loss-starts-at-zero", "tied-groups"],
  lesson: "nothing-moves",
  explains:
    "An advantage compares an answer with the others of its group. Where all earn 0, every advantage is 0, and so are loss and gradient. Either no answer is right yet, or the reward never says so.",
  tries: [
    "Try the reward by hand on an answer that is right: does it pay?",
    "An easier task first, so that some answers are right from the start.",
    "A reward that gives something for being near.",
    "A warm start on worked examples.",
  ],
  find(run) {
    const rewards = valuesOf(run, "reward");
    const stds = valuesOf(run, "reward_std");
    const none = rewards.filter((reward) => Math.abs(reward) <= EQUAL).length;
    const isSure = rewards.length >= 2 || NOBODY.some(({ key, is }) => valuesOf(run, key).some((value) => value === is));
    if (rewards.length === 0 || !isSure || none < 0.8 * rewards.length || meanOf(stds) > EQUAL) return null;
    const norm = valuesOf(run, "grad_norm");
    return `${inSteps(none, rewards.length)} the mean reward is 0${stds.length > 0 ? ` and its spread ${measureText(meanOf(stds))}` : ""}${norm.length > 0 ? `; the gradient norm is ${measureText(meanOf(norm))} on average` : ""}.`;
  },
};
