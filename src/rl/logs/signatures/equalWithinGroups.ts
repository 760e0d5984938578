// reward_std is 0 beside a part that spreads. Since TRL 0.17 the spread of a part is over all answers of a step, that of the reward
// within a group: one part alone can differ between prompts and be equal within each. Two and more can also cancel, and
// a log of means cannot say which.
import { measureText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { EQUAL } from "../../verdict/history.ts";
import { partNames } from "../logEvidence.ts";
import { inSteps, type Signature, valuesOf } from "./signature.ts";

export const equalWithinGroups: Signature = {
  id: "equal-within-groups",
  title: "Parts of the reward differ, its sum within a group does not",
  kind: "fault",
  leadsTo: ["all-equal", "tied-groups", "reward-flat", "loss-zero-gradient-not", "loss-starts-at-zero", "clip-ratio-zero"],
  lesson: "dead-groups",
  explains:
    "The advantage is the reward less the mean of its group. A spread over all answers of a step says nothing of the spread within a group: prompts can earn differently while the answers to each earn the same, and parts can cancel. Either way every advantage is 0, so loss and gradient of 0 are right.",
  tries: [
    "Print the parts of all answers to one prompt: are they equal, or do they add up to the same?",
    "A part that tells answers to the same prompt apart.",
    "More answers to each prompt, and a temperature of 1.",
  ],
  find(run) {
    const rows = run.log.rows.filter(({ metrics }) => metrics.reward_std !== undefined || metrics.frac_reward_zero_std !== undefined);
    const names = partNames(run.log);
    const isTied = ({ metrics }: (typeof rows)[number]) => (metrics.frac_reward_zero_std ?? 0) === 1 || (metrics.reward_std ?? 1) <= EQUAL;
    const spreading = ({ metrics }: (typeof rows)[number]) => names.filter((name) => (metrics[`rewards/${name}/std`] ?? 0) > EQUAL);
    const found = rows.filter((row) => isTied(row) && spreading(row).length > 0);
    if (found.length === 0 || found.length < rows.filter(isTied).length / 2) return null;
    const parts = [...new Set(found.flatMap(spreading))];
    const told = parts.map((name) => `“${name}” by ${measureText(meanOf(valuesOf(run, `rewards/${name}/std`)))}`).join(", ");
    const which =
      Math.max(...found.map((row) => spreading(row).length)) > 1
        ? "The parts cancel, or prompts differ and the answers to each do not: means cannot tell which."
        : "One part alone cannot cancel: the answers to each prompt earn the same, and prompts differ.";
    return `${inSteps(found.length, rows.length)} the reward does not spread within a group, and over the step ${told} on average. ${which}`;
  },
};
