// A reward of several parts is their weighted sum. Parts that say opposite things leave nothing of each other, and one that spreads
// much more than the rest decides every comparison by itself (Liu et al. 2026, GDPO, arXiv 2601.05242, normalises parts one by one).

import type { RunConfig } from "../../protocol/config.ts";
import { measureText, shareText } from "../../protocol/quantities.ts";
import type { PaidPart } from "../../protocol/run/paidParts.ts";
import { usesCritic } from "../baselines/index.ts";
import { accuracyTrend, metricTrend } from "../verdict/rewardTrend.ts";
import { type Diagnosis, type Finding, type RunEvidence, SIZES } from "./diagnosis.ts";
import { type Recent, recentOf } from "./recent.ts";

/** Share of the spread that independent parts would give, under which they cancel; and of the whole, under which a part is drowned. */
const LEFT = 0.5;
const HEARD = 0.1;

interface Spread extends PaidPart {
  /** Standard deviation of the part times its weight. */
  readonly spread: number;
}

/** Paid parts that differ between answers; null where the reward is more than their sum, or they are not known. */
function spreadsOf({ config, rewards }: RunEvidence, recent: Recent): readonly Spread[] | null {
  const { rewardGates = {}, rewardTransform = null, rewardClip = 0, overlongBuffer = 0 } = config;
  if (!rewards || Object.keys(rewardGates).length > 0 || rewardTransform !== null || rewardClip > 0 || overlongBuffer > 0) return null;
  const spreads = rewards.map((part) => ({ ...part, spread: Math.abs(part.weight) * recent.mean(`rewards/${part.name}/std`) }));
  const paid = spreads.filter(({ spread }) => spread > 0);
  return paid.length > 1 ? paid : null;
}

const told = ({ title, weight, spread }: Spread) => `“${title}” (weight ${weight}) spreads by ${measureText(spread)}`;

function cancelled(parts: readonly Spread[], recent: Recent, { rewardWeights }: Partial<RunConfig>): Finding | null {
  const alone = Math.hypot(...parts.map(({ spread }) => spread));
  const left = recent.mean("reward_std");
  const against = parts.filter(({ weight }) => weight < 0);
  if (!(left < LEFT * alone)) return null;
  const [largest] = [...against].sort((a, b) => b.spread - a.spread);
  return {
    isCause: true,
    remedy: rewardWeights && largest ? { settings: { rewardWeights: { ...rewardWeights, [largest.name]: 0 } } } : null,
    evidence: `${recent.when} the parts of the reward cancelled each other out: ${parts.map(told).join(", ")}, and their sum by ${measureText(left)}. Unrelated parts would leave ${measureText(alone)}.`,
    tries: [
      ...(against.length === 0
        ? []
        : [`A weight of 0 for ${against.map(({ title }) => `“${title}”`).join(" and ")}, which subtracts much of what the others pay.`]),
      "Parts that ask for different things.",
    ],
  };
}

function drowned(run: RunEvidence, parts: readonly Spread[], recent: Recent): Finding | null {
  const meant = parts.filter(({ paysAnswers }) => paysAnswers);
  const [loudest] = [...parts].sort((a, b) => b.spread - a.spread);
  const heard = Math.hypot(...meant.map(({ spread }) => spread));
  const whole = recent.mean("reward_std");
  const { rewardAggregation, advantageBaseline } = run.config;
  // With a critic rewards are not compared within their group, so nothing is made equal there.
  const isCritic = advantageBaseline !== undefined && usesCritic({ advantageBaseline });
  const isEqualised = rewardAggregation === "normalize-then-sum" && !isCritic;
  if (!loudest || loudest.paysAnswers || meant.length === 0 || isEqualised || !(heard < HEARD * whole)) return null;
  if (accuracyTrend(run).rise !== null || metricTrend(run, "success_rate").rise !== null) return null;
  const canEqualise = rewardAggregation === "sum-then-normalize" && !isCritic;
  return {
    isCause: true,
    remedy: canEqualise ? { settings: { rewardAggregation: "normalize-then-sum" } } : null,
    evidence: `${recent.when} ${told(loudest)} and ${meant.map(told).join(", ")}: right answers make ${shareText((heard / whole) ** 2)} of how rewards differ.`,
    tries: [
      "Each part normalised by itself before they are added, so that weights alone decide.",
      `A smaller weight for “${loudest.title}”, or a part that stays between 0 and 1.`,
    ],
  };
}

export const rewardParts: Diagnosis = {
  id: "reward-parts",
  title: "Parts of the reward undo each other",
  explains:
    "The reward is a sum of parts. The policy learns from differences in reward between answers to one prompt. If one part subtracts what another part adds, hardly any difference is left. If one part differs much more than the others, it alone decides which answer is better.",
  hidesInProgress: true,
  leadsTo: ["nothing-earned", "tied-groups", "near-misses", "entropy-collapse"],
  needs: { metrics: ["reward", "reward_std", "rewards/NAME/std"], settings: SIZES },
  find(run) {
    const recent = recentOf(run);
    const parts = recent && spreadsOf(run, recent);
    return parts ? (cancelled(parts, recent, run.config) ?? drowned(run, parts, recent)) : null;
  },
};
