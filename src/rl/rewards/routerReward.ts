// The reward of Router-R1 (Zhang et al. 2025, arXiv 2506.09033, and its code): how good the answer is, whether
// the transcript keeps the tags' form, and what the experts cost. In two forms:
//
//   recipe     metric + penalty - coefficient · cost, the penalty by how bad the slip is
//   dominant   -1 where the form is broken; else, for an answer that is right at all,
//              metric · (1 - coefficient) + saving · coefficient, and the metric alone for a wrong one
//
// Departures: cost is what was paid over the dearest expert's price, so a call of that one counts 1, where
// the recipe counts calls; and the saving, 1 - sqrt(cost / most that can be spent), is scaled by the range
// of prices, where the paper's code takes percentiles of the last 1,000 costs, because a reward depends on
// its own conversation alone.
import type { Trajectory } from "../types.ts";
import { exactMatch, tokenF1 } from "./match/textMatch.ts";
import { defineReward, finalAnswer } from "./rewardRule.ts";
import { enclosed, lastTagged } from "./taggedAnswer.ts";

const TAGS = ["search", "answer", "think", "information"] as const;
const ANY_TAG = /<\/?(?:search|answer|think|information)>/g;

type FormatSlip = "none" | "small" | "medium" | "large";

/** What is wrong with a call's text "Name: query". */
function callSlip(content: string, isExpert: (name: string) => boolean): FormatSlip {
  const parts = content.split(":");
  const [name, query] = parts.map((part) => part.trim());
  if (parts.length !== 2 || name === undefined || !query) return "medium";
  const lower = content.toLowerCase();
  if (lower.includes("llm-name") || lower.includes("your-query") || query.toLowerCase().includes(name.toLowerCase())) return "medium";
  return isExpert(name) ? "none" : "small";
}

/**
 * How badly a transcript breaks the form, by the rules of Router-R1's code. A query that repeats its expert's name
 * counts as a slip, and so does a name left empty.
 */
export function formatSlip(transcript: string, isExpert: (name: string) => boolean): FormatSlip {
  const text = transcript.trim();
  const spans = enclosed(text, TAGS).map(({ tag, content }) => ({ tag, content: content.trim() }));
  const count = (tag: string) => spans.filter((span) => span.tag === tag).length;
  const isBalanced = TAGS.every((tag) => text.split(`<${tag}>`).length === text.split(`</${tag}>`).length);
  if (spans.length === 0 || !isBalanced) return "large";
  if (spans.some(({ tag, content }) => tag === "think" && (content === "" || content === "..."))) return "large";
  if (spans.some(({ content }) => content.match(ANY_TAG))) return "large";
  if (count("answer") !== 1 || count("think") === 0 || count("search") !== count("information")) return "large";
  if (!text.startsWith("<think>") || !text.endsWith("</answer>")) return "large";
  const slips = spans.flatMap(({ tag, content }) => (tag === "search" ? [callSlip(content, isExpert)] : []));
  if (slips.includes("medium")) return "medium";
  return slips.includes("small") ? "small" : "none";
}

/** Penalties of the recipe. */
export const RECIPE_PENALTIES: Readonly<Record<FormatSlip, number>> = { none: 0, small: -0.25, medium: -0.5, large: -1 };

/** What the policy and the experts said, in one text; each result between <information> tags. */
export function transcriptOf({ messages, report }: Trajectory): string {
  const spoken = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : []));
  const since = messages.slice(spoken.at(-(report?.turns.length ?? spoken.length)));
  return since.map(({ role, content }) => (role === "tool" ? `<information>${content}</information>` : content)).join("");
}

/** How a transcript is judged. */
interface RouterSettings {
  readonly form: "recipe" | "dominant";
  readonly metric: "em" | "f1";
  readonly costCoefficient: number;
  /** What the dearest expert costs. */
  readonly dearest: number;
  /** Calls that can be paid for in one conversation. */
  readonly maxCalls: number;
}

/** The reward from its ingredients. @param cost paid over the dearest price. */
export function routerScore(
  { form, costCoefficient, maxCalls }: Pick<RouterSettings, "form" | "costCoefficient" | "maxCalls">,
  metric: number,
  slip: FormatSlip,
  cost: number,
): number {
  if (form === "recipe") return metric + RECIPE_PENALTIES[slip] - costCoefficient * cost;
  if (slip !== "none") return -1;
  const saving = 1 - Math.sqrt(Math.min(1, cost / maxCalls));
  return metric > 0 ? metric * (1 - costCoefficient) + saving * costCoefficient : metric;
}

/** The whole reward as one part. @param isExpert whether a name is one of the experts'. */
export function routerReward(isExpert: (name: string) => boolean) {
  return defineReward({
    name: "router",
    title: "Router-R1 reward",
    help: "How good the answer is, minus what a broken form and the experts' prices cost.",
    weight: 1,
    paysAnswers: true,
    score(chosen: RouterSettings, example, trajectory) {
      const answer = lastTagged(finalAnswer(trajectory)) ?? "";
      const metric = chosen.metric === "em" ? exactMatch(answer, example.answer) : tokenF1(answer, example.answer);
      const cost = (trajectory.report?.metrics.cost ?? 0) / chosen.dearest;
      return routerScore(chosen, metric, formatSlip(transcriptOf(trajectory), isExpert), cost);
    },
  });
}

/** The recipe's penalty on its own, to be watched. */
export function formatPenalty(isExpert: (name: string) => boolean) {
  return defineReward({
    name: "formatPenalty",
    title: "Format penalty",
    help: "0 where the transcript keeps the form, -0.25 for an unknown expert, -0.5 for a malformed call, -1 for anything worse.",
    weight: 0,
    score: (_, __, trajectory) => RECIPE_PENALTIES[formatSlip(transcriptOf(trajectory), isExpert)],
  });
}
