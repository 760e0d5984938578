// Ratios and advantages take each sampled token for a draw from the policy. Filters (top-k, top-p, min-p) draw from another
// distribution, and so does an engine whose numbers are not the trainer's (Yao et al. 2025, "Your Efficient RL Framework Secretly
// Brings You Off-Policy RL Training"; DeepSeek-AI 2025, arXiv 2512.02556, section 3.1, which keeps the sampler's mask).
import type { RunConfig } from "../../protocol/config.ts";
import { measureText, shareText } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest } from "../verdict/history.ts";
import type { Diagnosis, Finding, RunEvidence } from "./diagnosis.ts";
import { recentOf } from "./recent.ts";

/** By what share of the entropy sampled tokens are likelier than the policy's own would be, from which a filter counts. */
const NARROWED = 0.1;
/** Mean difference of log-probs, in nats, that rounding does not explain: engines of the same weights differ by 0.001 to 0.02. */
const APART_NATS = 0.05;

/** The filters that are on: in words, and as the setting that turns each off. */
function filtersOf({
  topK = 0,
  topP = 1,
  minP = 0,
}: Partial<RunConfig>): readonly { readonly text: string; readonly off: Partial<RunConfig> }[] {
  return [
    ...(topP < 1 ? [{ text: `top-p of ${topP}`, off: { topP: 1 } }] : []),
    ...(topK > 0 ? [{ text: `top-k of ${topK}`, off: { topK: 0 } }] : []),
    ...(minP > 0 ? [{ text: `min-p of ${minP}`, off: { minP: 0 } }] : []),
  ];
}

function filtered(run: RunEvidence): Finding | null {
  const recent = recentOf(run);
  const [filter, ...others] = filtersOf(run.config);
  if (!recent || !filter) return null;
  const gap = recent.mean("sampling/surprise_gap");
  const entropy = recent.mean("entropy");
  if (!(gap > NARROWED * entropy)) return null;
  const names = [filter, ...others].map(({ text }) => text).join(" and a ");
  return {
    isCause: true,
    remedy: { settings: filter.off },
    evidence: `Answers are drawn under a ${names}, and scored as if every token had been possible. ${recent.when} the surprise of a sampled token was ${measureText(entropy - gap)} nats on average, where it is ${measureText(entropy)} for tokens drawn from the policy itself.`,
    tries: [
      "No filter in training: every token is then drawn from the policy that is trained.",
      "A filter only where answers are read, after training.",
    ],
  };
}

function apart(run: RunEvidence): Finding | null {
  const gaps = latest(run, "sampling/sampling_logp_difference/mean");
  const far = gaps.filter((gap) => gap > APART_NATS).length;
  if (gaps.length < 2 || far <= gaps.length / 2) return null;
  return {
    isCause: true,
    remedy: null,
    evidence: `In the last ${gaps.length} steps the log-prob of a sampled token was ${measureText(meanOf(gaps))} nats apart on average between the sampler and the trainer; in ${shareText(far / gaps.length)} of the steps by more than ${APART_NATS}, where rounding gives up to 0.02.`,
    tries: [
      "The same weights, number format and chat template in sampler and trainer.",
      "Fresh weights in the sampler for each step.",
      "Importance weights between the two, clipped at a bound.",
    ],
  };
}

export const sampler: Diagnosis = {
  id: "sampler",
  title: "The sampler is not the policy",
  explains:
    "Training assumes that the policy itself drew the sampled answers. If something else drew them, the update is wrong: tokens that were never allowed count as if they had been tried, and the policy becomes more certain than its rewards justify.",
  hidesInProgress: true,
  leadsTo: ["entropy-collapse", "near-misses", "tied-groups"],
  needs: { metrics: ["sampling/sampling_logp_difference/mean"] },
  find: (run) => filtered(run) ?? apart(run),
};
