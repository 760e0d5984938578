// Every advantage is 0: not by its mean, which always is, but by its largest and smallest. Where rewards of the step differ, no prompt has
// answers that do, or each answer is a group of its own.
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { EQUAL } from "../../verdict/history.ts";
import { inSteps, type Signature } from "./signature.ts";

export const noAdvantage: Signature = {
  id: "no-advantage",
  title: "Every advantage is 0",
  kind: "fault",
  cause: "tied-groups",
  hidesInProgress: true,
  leadsTo: ["all-equal", "reward-flat", "loss-zero-gradient-not", "loss-starts-at-zero", "clip-ratio-zero", "no-gradient"],
  lesson: "dead-groups",
  explains:
    "The advantage is the reward less the mean of its group. It is 0 for all answers where each group earns the same throughout, however much prompts differ; and where a group is one answer, which is its own mean. Such a step moves nothing but by its KL and entropy terms.",
  tries: [
    "More than one answer to each prompt (verl: rollout.n, TRL: num_generations), and equal prompts under one group id.",
    "Prompts of which about half the answers are right: too easy and too hard ones teach nothing.",
    "Dynamic sampling, which replaces groups that are tied.",
    "A reward that tells more answers apart.",
  ],
  find(run) {
    const rows = run.log.rows.filter(({ metrics }) => metrics["advantages/max"] !== undefined && metrics["advantages/min"] !== undefined);
    const found = rows.filter(
      ({ metrics }) => Math.abs(metrics["advantages/max"]!) <= EQUAL && Math.abs(metrics["advantages/min"]!) <= EQUAL,
    );
    if (found.length === 0 || found.length < 0.8 * rows.length) return null;
    const differ = found.filter(({ metrics }) => metrics["reward/max"]! - metrics["reward/min"]! > EQUAL);
    const rewards = found.flatMap(({ metrics }) => metrics.reward ?? []);
    const told =
      differ.length > 0
        ? `, though rewards go from ${measureText(Math.min(...differ.map(({ metrics }) => metrics["reward/min"]!)))} to ${measureText(Math.max(...differ.map(({ metrics }) => metrics["reward/max"]!)))}: they differ between prompts and not between the answers to one`
        : "";
    return `${inSteps(found.length, rows.length)} the largest and the smallest advantage are 0${told}${rewards.length > 0 ? `; the mean reward is ${measureText(meanOf(rewards))}` : ""}.`;
  },
};
