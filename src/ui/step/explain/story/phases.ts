// The phases of an explained update, in the order in which one follows from the other: a registry. Each
// says which phase of the step must be over before there is anything to see.
import type { Phase, StepGroups, UpdatePart } from "../../../../protocol/messages.ts";
import type { ExplainedPhase } from "../../../engine/store/selection.ts";

export interface ExplainedEntry {
  readonly id: ExplainedPhase;
  readonly title: string;
  readonly asks: string;
  readonly needs: Phase;
  /** The part of the update that brings it. */
  readonly part?: UpdatePart;
}

export const EXPLAINED: readonly ExplainedEntry[] = [
  { id: "prompt", title: "Prompt", asks: "What was the policy asked?", needs: "sample" },
  { id: "group", title: "Group", asks: "How likely was this token when it was sampled?", needs: "sample" },
  { id: "reward", title: "Reward", asks: "What did the answer earn?", needs: "score" },
  { id: "advantage", title: "Advantage", asks: "Was that better or worse than expected?", needs: "advantage" },
  { id: "ratio", title: "Ratio and clip", asks: "Has the policy moved since it sampled?", needs: "update", part: "ratio" },
  { id: "loss", title: "Loss", asks: "What does this token add to the loss?", needs: "update", part: "loss" },
  { id: "gradient", title: "Gradient", asks: "Which way is this token pushed, and how hard?", needs: "update", part: "gradient" },
  { id: "after", title: "After", asks: "How has its probability changed?", needs: "update", part: "optimizer" },
];

/** The phase that shows what a step has come to: its prompt where it has only been sampled, as it is new then. */
export function arrivedAt({ phase, opened }: Pick<StepGroups, "phase" | "opened">): ExplainedPhase {
  if (opened) return EXPLAINED.find(({ part }) => part === opened.part)!.id;
  return phase === "sample" ? "prompt" : (EXPLAINED.findLast(({ needs }) => needs === phase)?.id ?? "after");
}

export function phaseEntry(id: ExplainedPhase): ExplainedEntry {
  return EXPLAINED.find((phase) => phase.id === id)!;
}
