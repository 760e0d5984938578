// The stations of an explained update, in the order in which one follows from the other: a registry. Each
// says which phase of the step must be over before there is anything to see.
import type { Phase } from "../../protocol/messages.ts";

export const EXPLAINED = [
  { id: "prompt", title: "Prompt", asks: "What was the policy asked?", needs: "sample" },
  { id: "group", title: "Group", asks: "How likely was this token when it was sampled?", needs: "sample" },
  { id: "reward", title: "Reward", asks: "What did the answer earn?", needs: "score" },
  { id: "advantage", title: "Advantage", asks: "Was that better or worse than expected?", needs: "advantage" },
  { id: "ratio", title: "Ratio and clip", asks: "Has the policy moved since it sampled?", needs: "update" },
  { id: "loss", title: "Loss", asks: "What does this token add to the loss?", needs: "update" },
  { id: "gradient", title: "Gradient", asks: "Which way is this token pushed, and how hard?", needs: "update" },
  { id: "after", title: "After", asks: "What has become of its probability?", needs: "update" },
] as const satisfies readonly { readonly id: string; readonly title: string; readonly asks: string; readonly needs: Phase }[];

export type Station = (typeof EXPLAINED)[number];
export type ExplainedPhase = Station["id"];

/** The station of an id. */
export function stationOf(id: ExplainedPhase): Station {
  return EXPLAINED.find((station) => station.id === id)!;
}

/** The id that a text names, or null. */
export function explainedPhase(text: string | null): ExplainedPhase | null {
  return EXPLAINED.find(({ id }) => id === text)?.id ?? null;
}
