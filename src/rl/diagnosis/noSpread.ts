// Groups whose answers all earn the same have advantages of 0 and teach nothing (Yu et al. 2025, DAPO,
// arXiv 2503.14476, section 3.2). Here none of them is right: the reward is out of reach.
import { measureText, shareText } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import type { Diagnosis } from "./diagnosis.ts";
import { partialReward } from "./nearMisses.ts";

const FLAT_SHARE = 0.8;
const WRONG_SHARE = 0.8;

export const noSpread: Diagnosis = {
  id: "no-spread",
  title: "No spread in the groups",
  explains:
    "An advantage compares an answer with the others of its group. Where all answers of a group earn the same, every advantage is 0 and the update learns nothing from them. Here they are equally bad: hardly any answer earns something that others do not.",
  find(history) {
    const flat = latest(history, "frac_reward_zero_std");
    const wrong = latest(history, "groups/all_wrong");
    if (flat.length < RECENT_STEPS || meanOf(flat) < FLAT_SHARE || !(meanOf(wrong) >= WRONG_SHARE)) return null;
    if (partialReward(history) !== null) return null;
    const norms = latest(history, "grad_norm");
    const isOnServer = history.config.backend === "tinker";
    return {
      remedy: null,
      evidence: `In the last ${RECENT_STEPS} steps ${shareText(meanOf(flat))} of the groups had equal rewards, and in ${shareText(meanOf(wrong))} no answer was right${norms.length > 0 ? `; the gradient norm was ${measureText(meanOf(norms))}` : ""}.`,
      tries: [
        "An easier task first, or a curriculum, so that some answers are right from the start.",
        "A reward that gives something for being near.",
        // A server scores at temperature 1 alone.
        `More completions in a group, ${isOnServer ? "" : "a higher temperature, "}no top-k: rare successes need many and different tries.`,
        "A warm start on worked examples.",
      ],
    };
  },
};
