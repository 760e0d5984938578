// The policy knows the answers to the problems it is trained on, not how to find answers (Zhang et al. 2017,
// arXiv 1611.03530; for reinforcement learning Cobbe et al. 2019, arXiv 1812.02341).
import { shareText } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import { type Diagnosis, KNOWN_SHARE } from "./diagnosis.ts";

const GAP = 0.2;

export const memorising: Diagnosis = {
  id: "memorising",
  title: "Memorising",
  explains:
    "The answers to the training problems are right and those to held-out problems, which were never trained on, are not. The policy has learnt answers by heart; what it was meant to learn would work on both.",
  hidesInProgress: true,
  find(history) {
    const success = latest(history, "success_rate");
    const last = history.evaluations.at(-1);
    if (success.length < RECENT_STEPS || !last || last.step === 0 || last.problems < 2) return null;
    const [known, [low, high]] = [meanOf(success), last.sampledInterval];
    if (known < KNOWN_SHARE || high > known - GAP) return null;
    return {
      remedy: null,
      evidence: `In the last ${RECENT_STEPS} steps ${shareText(known)} of the answers to training problems were right; of those to ${last.problems} held-out problems ${shareText(last.sampledAccuracy)} were at step ${last.step}, surely between ${shareText(low)} and ${shareText(high)}.`,
      tries: [
        "More and more varied training problems, so that learning by heart costs more than learning how.",
        "A warm start that can do part of the task already.",
        "Fewer steps: look at where the held-out accuracy was best.",
      ],
    };
  },
};
