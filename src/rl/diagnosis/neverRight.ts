// The reward says that answers are good and the task's rule of success has not called a single one right: the two were
// written apart, as happens with tasks of one's own.
import { measureText } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import type { Diagnosis } from "./diagnosis.ts";

/** Most rules give 0 to 1. */
const HIGH = 0.5;

export const neverRight: Diagnosis = {
  id: "never-right",
  title: "Never right",
  explains:
    "The task's rule of success says what is right. If your own task has no such rule, a reward of 1 or more counts as right. Here answers earn much but none has met the rule, so accuracy does not show what is learnt.",
  hidesInProgress: true,
  needs: { metrics: ["reward", "success_rate"], steps: RECENT_STEPS },
  find(history) {
    const { values } = history.metric("success_rate");
    const reward = meanOf(latest(history, "reward"));
    if (values.length < RECENT_STEPS || !(reward >= HIGH) || Array.from(values).some((share) => share > 0)) return null;
    if (history.evaluations.some(({ sampledAccuracy, greedyAccuracy }) => sampledAccuracy > 0 || greedyAccuracy > 0)) return null;
    return {
      remedy: null,
      evidence: `The mean reward of the last ${RECENT_STEPS} steps is ${measureText(reward)}, and not one answer in ${values.length} steps was right.`,
      tries: [
        "A rule of success that fits the reward: success in a task of your own.",
        "A reward of 1 for what is right, where the task has no such rule.",
        "Read the best rewarded rollouts: what do they lack to be right?",
      ],
    };
  },
};
