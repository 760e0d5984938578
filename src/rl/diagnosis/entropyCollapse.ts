// The policy has become sure of itself before it was right (Yu et al. 2025, DAPO, arXiv 2503.14476, section
// 3.1; Cui et al. 2025, "The Entropy Mechanism of Reinforcement Learning", arXiv 2505.22617).
import { measureText, shareText } from "../../protocol/quantities.ts";
import { meanOf, medianOf } from "../advantage/statistics.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import { rewardTrend } from "../verdict/rewardTrend.ts";
import { type Diagnosis, KNOWN_SHARE, thirdOfRate } from "./diagnosis.ts";

const FIRST = 5;
const LEFT_SHARE = 0.1;
/** Entropy of the first steps under which the policy was sure before it was trained here, as after worked examples. */
const UNDECIDED = 0.2;

export const entropyCollapse: Diagnosis = {
  id: "entropy-collapse",
  title: "Entropy collapse",
  explains:
    "Entropy says how uncertain the policy is when it picks a token, in nats: 2.3 is a free choice of ten, 0 is no choice at all. Near 0 the policy always gives the same answer. It tries nothing else, so it cannot find a better one.",
  needs: { metrics: ["entropy", "success_rate"], steps: 2 * RECENT_STEPS },
  find(history) {
    const entropies = Array.from(history.metric("entropy").values);
    const success = meanOf(latest(history, "success_rate"));
    if (entropies.length < 2 * RECENT_STEPS || !(success <= KNOWN_SHARE) || rewardTrend(history).goesOn === "yes") return null;
    const first = medianOf(entropies.slice(0, FIRST));
    const last = medianOf(entropies.slice(-RECENT_STEPS));
    if (first < UNDECIDED || last > LEFT_SHARE * first) return null;
    const { entropyCoef = 0 } = history.config;
    const isPaidFor = entropyCoef < 0;
    return {
      isCause: isPaidFor,
      remedy: isPaidFor ? { settings: { entropyCoef: 0 } } : thirdOfRate(history.config),
      evidence: `The entropy fell from ${measureText(first)} to ${measureText(last)} nats a token, while ${shareText(success)} of the answers sampled in the last ${RECENT_STEPS} steps are right.${isPaidFor ? ` The entropy bonus is ${entropyCoef}: it pays the policy for being certain.` : ""}`,
      tries: [
        ...(isPaidFor ? ["An entropy bonus of 0: a negative one pays for always saying the same."] : []),
        "A third of the learning rate.",
        "An entropy bonus, or a KL weight that holds the policy near its start.",
        "A higher upper clip bound, as in DAPO, which lets unlikely tokens grow.",
        "More completions in a group, so that one lucky answer does not decide everything.",
      ],
    };
  },
};
