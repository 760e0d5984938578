// The temperature divides the logits: a high one makes every token likely, so that answers are noise, and a low one leaves
// one answer, so that all of a group are the same and none is better than another.
import { measureText, shareText } from "../../protocol/quantities.ts";
import { type Diagnosis, NOISE_NATS, SIZES } from "./diagnosis.ts";
import { ofAnswers, ofGroups, recentOf } from "./recent.ts";

/** Entropy of a token under which a group of short answers holds one answer many times. */
const SURE_NATS = 0.05;
const MOST = 0.5;

export const temperature: Diagnosis = {
  id: "temperature",
  title: "The temperature spoils the answers",
  explains:
    "The temperature says how freely tokens are drawn. Well above 1, unlikely tokens are drawn often, and an answer of several tokens is hardly ever right. Well below 1, the most likely answer is drawn every time: all answers of a group are the same, and there is nothing to compare.",
  leadsTo: ["nothing-earned", "tied-groups", "cut-off", "entropy-collapse", "near-misses"],
  needs: { metrics: ["reward", "entropy", "frac_reward_zero_std"], settings: ["temperature", ...SIZES] },
  find(run) {
    const recent = recentOf(run);
    const { temperature: value } = run.config;
    if (!recent || value === undefined || value === 1) return null;
    const entropy = recent.mean("entropy");
    const right = recent.mean("success_rate");
    const tied = recent.mean("frac_reward_zero_std");
    const start = run.evaluations[0];
    const told = `${recent.when} the entropy was ${measureText(entropy)} nats a token at a temperature of ${value}`;
    if (value > 1) {
      const [, most] = ofAnswers(right, recent);
      const isWorse = start !== undefined && start.problems > 1 && start.greedyInterval[0] > most;
      if (!isWorse && !(entropy > NOISE_NATS && right <= 0.05)) return null;
      const greedy =
        start && isWorse ? `, while ${shareText(start.greedyAccuracy)} of the likeliest answers were right at step ${start.step}` : "";
      const evidence = `${told}; ${shareText(right)} of the sampled answers were right${greedy}.`;
      return {
        isCause: true,
        remedy: { settings: { temperature: 1 } },
        evidence,
        tries: ["A temperature of 1, at which the model was trained."],
      };
    }
    if (!(entropy < SURE_NATS) || ofGroups(tied, recent)[0] <= MOST) return null;
    const evidence = `${told}, nearly no choice at all; ${shareText(tied)} of the groups had equal rewards.`;
    return {
      isCause: true,
      remedy: { settings: { temperature: 1 } },
      evidence,
      tries: ["A temperature of 1, so that answers of a group differ.", "More completions in a group."],
    };
  },
};
