// The policy knows the answers to the problems it is trained on, not how to find answers (Zhang et al. 2017,
// arXiv 1611.03530; for reinforcement learning Cobbe et al. 2019, arXiv 1812.02341).
import { shareText, signed } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { liftOf } from "../verdict/evaluations.ts";
import { latest, outerEvaluations, RECENT_STEPS } from "../verdict/history.ts";
import { type Diagnosis, KNOWN_SHARE, type RunEvidence } from "./diagnosis.ts";
import { changesOf } from "./recent.ts";

const GAP = 0.2;
/** Standard deviations by which held-out problems stay behind training. */
const SURELY = 2.58;

const tries = [
  "More training problems, and more varied ones, so that learning by heart is harder than learning how.",
  "A warm start that can do part of the task already.",
  "Fewer steps: look at where the held-out accuracy was best.",
];

/** Training problems are known, and held-out ones are surely not. */
function known(run: RunEvidence): string | null {
  const success = latest(run, "success_rate");
  const last = run.evaluations.at(-1);
  if (success.length < RECENT_STEPS || !last || last.step === 0 || last.problems < 2) return null;
  const [share, [low, high]] = [meanOf(success), last.sampledInterval];
  if (share < KNOWN_SHARE || high > share - GAP) return null;
  return `In the last ${RECENT_STEPS} steps ${shareText(share)} of the answers to training problems were right; of those to ${last.problems} held-out problems ${shareText(last.sampledAccuracy)} were at step ${last.step}, surely between ${shareText(low)} and ${shareText(high)}.`;
}

/** Training goes up while held-out problems go down, surely by more than chance parts the two. */
function parted(run: RunEvidence): string | null {
  const [first, last] = outerEvaluations(run.evaluations) ?? [];
  if (!first || !last || last.problems < 2) return null;
  const rise = changesOf(run, "success_rate").rise;
  const { lift, interval } = liftOf(first, last, "sampled", SURELY);
  if (!rise || lift >= 0 || interval[1] >= rise.to.value - rise.from.value) return null;
  const [low, high] = interval.map((points) => signed(String(Math.round(100 * points))));
  return `In training the share of right answers rose from ${shareText(rise.from.value)} to ${shareText(rise.to.value)}. On ${last.problems} held-out problems it fell from ${shareText(first.sampledAccuracy)} to ${shareText(last.sampledAccuracy)}. That change is surely between ${low} and ${high} points, less than in training.`;
}

export const memorising: Diagnosis = {
  id: "memorising",
  title: "Memorising",
  explains:
    "Answers to training problems are right, but answers to held-out problems, which were never trained on, are not. The policy has learnt answers by heart. A real skill would work on both.",
  hidesInProgress: true,
  needs: { metrics: ["success_rate"], evaluations: true, steps: RECENT_STEPS },
  find(run) {
    const evidence = known(run) ?? parted(run);
    return evidence === null ? null : { remedy: null, evidence, tries };
  },
};
