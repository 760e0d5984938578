// Answers that a limit ends before they are finished earn nothing, whatever they would have come to. Where that is true of most,
// groups agree on nothing, and the run looks as if the task were too hard.

import { measureText, shareText } from "../../protocol/quantities.ts";
import { paysForAnswers } from "../../protocol/run/paidParts.ts";
import { type Diagnosis, type Finding, NOISE_NATS, type RunEvidence, SIZES } from "./diagnosis.ts";
import { ofAnswers, ofGroups, type Recent, recentOf } from "./recent.ts";

interface Limit {
  readonly metric: string;
  /** What it is called, with its number where the configuration has one. */
  name(run: RunEvidence): string;
  remedy(run: RunEvidence): Finding["remedy"];
  readonly tries: readonly string[];
}

const MOST_TOKENS = 2048;
const USUAL_TOKENS = 16;

/** Twice as many tokens, or as many as the task itself has by default. */
export function moreTokens({ config, usual }: Pick<RunEvidence, "config" | "usual">): Finding["remedy"] {
  const { maxCompletionTokens: limit } = config;
  if (limit === undefined || limit >= MOST_TOKENS) return null;
  return { settings: { maxCompletionTokens: Math.min(MOST_TOKENS, Math.max(2 * limit, usual?.maxCompletionTokens ?? USUAL_TOKENS)) } };
}

const LIMITS: readonly Limit[] = [
  {
    metric: "completions/clipped_ratio",
    name: ({ config }) =>
      config.maxCompletionTokens === undefined ? "the limit of tokens" : `the limit of ${config.maxCompletionTokens} tokens for one turn`,
    remedy: moreTokens,
    tries: [
      "A higher completion limit.",
      "A prompt that asks for short answers, or examples of short ones shown first.",
      "Part credit for what an answer contains before it is cut off.",
    ],
  },
  {
    metric: "completions/max_turns_ratio",
    name: ({ config }) =>
      config.maxTurns ? `the limit of ${config.maxTurns === 1 ? "1 turn" : `${config.maxTurns} turns`}` : "the task's limit of turns",
    remedy: ({ config }) => (config.maxTurns ? { settings: { maxTurns: 0 } } : null),
    tries: ["More turns: 0 leaves their number to the task.", "Part credit for how far a conversation got."],
  },
  {
    metric: "completions/max_calls_ratio",
    name: () => "the limit of calls",
    remedy: () => null,
    tries: ["More calls of tools in one conversation.", "A reward that takes something off for each call."],
  },
  {
    metric: "completions/max_context_ratio",
    name: () => "the end of the model's context",
    remedy: ({ config }) => {
      const half = Math.floor((config.maxCompletionTokens ?? 0) / 2);
      return half > 0 ? { settings: { maxCompletionTokens: half } } : null;
    },
    tries: [
      "A lower completion limit, which leaves room for more turns.",
      "Shorter prompts, or fewer examples shown first.",
      "A model with a longer context.",
    ],
  },
];

const MOST = 0.5;
const NEARLY_ALL = 0.8;

/** Whether what is cut off earns as good as nothing, and leaves too little to learn from. */
function isLost(run: RunEvidence, recent: Recent, cut: number, limit: Limit): boolean {
  const [low] = ofAnswers(cut, recent);
  if (low <= MOST) return false;
  if (ofGroups(recent.mean("frac_reward_zero_std"), recent)[0] > MOST) return !(recent.mean("success_rate") > MOST);
  if (low <= NEARLY_ALL || !paysForAnswers(run.rewards)) return false;
  // Part credit may tell answers apart none of which comes to its end.
  const isSet = limit.metric === "completions/max_turns_ratio" && (run.config.maxTurns ?? 0) > 0;
  return recent.mean("success_rate") <= (isSet ? 1 - NEARLY_ALL : 0);
}

/** What the answers that a limit ended earned, beside the others. */
function earnedText(recent: Recent, cut: number): string {
  const limited = recent.mean("completions/limited_reward");
  const all = recent.mean("reward");
  if (!Number.isFinite(limited)) return `the mean reward was ${measureText(all)}`;
  const rest = cut < 1 ? `, the others ${measureText((all - cut * limited) / (1 - cut))}` : "";
  return `these earned ${measureText(limited)} on average${rest}`;
}

export const cutOff: Diagnosis = {
  id: "cut-off",
  title: "Answers are cut off",
  explains:
    "A limit ends an answer that is not finished yet. The missing part cannot be rewarded, so all such answers earn the same, however well they began. The task looks too hard, but an easier task would be cut off too.",
  leadsTo: ["nothing-earned", "tied-groups", "near-misses", "entropy-collapse", "never-right"],
  knowsUnpaid: true,
  needs: { metrics: ["reward", "completions/clipped_ratio", "frac_reward_zero_std"], settings: SIZES },
  find(run) {
    const recent = recentOf(run);
    // Where each token is drawn nearly evenly, no answer ever ends: a higher limit would not help.
    if (!recent || recent.mean("entropy") > NOISE_NATS) return null;
    const found = LIMITS.map((limit) => ({ limit, share: recent.mean(limit.metric) })).filter(({ share }) => share > 0);
    const [most] = found.sort((a, b) => b.share - a.share);
    const cut = Math.min(
      1,
      found.reduce((sum, { share }) => sum + share, 0),
    );
    if (!most || !isLost(run, recent, cut, most.limit)) return null;
    const { limit, share } = most;
    const also = cut - share > 0.005 ? ` (${shareText(cut)} with all limits)` : "";
    const right = recent.mean("success_rate");
    const rightText = Number.isFinite(right) && paysForAnswers(run.rewards) ? `; ${shareText(right)} of all answers were right` : "";
    return {
      isCause: true,
      remedy: limit.remedy(run),
      evidence: `${recent.when} ${shareText(share)} of the answers ended at ${limit.name(run)}${also}: ${earnedText(recent, cut)}${rightText}.`,
      tries: limit.tries,
    };
  },
};
