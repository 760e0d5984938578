// What the user is looking at in a run, shared by the Train and the Rollouts screen. Facts only; the
// screens derive everything else and put it into the address.
import type { Phase } from "../../../protocol/messages.ts";

/** The phases of an explained update, in the order in which one follows from the other. */
export const EXPLAINED_PHASES = ["prompt", "group", "reward", "advantage", "ratio", "loss", "gradient", "after"] as const;
export type ExplainedPhase = (typeof EXPLAINED_PHASES)[number];

export interface Selection {
  /** Null follows the newest step. */
  readonly step: number | null;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  /** Completion token under study, null for none. */
  readonly tokenIndex: number | null;
  /** Phase whose effect on the selected group is shown on the Train screen; null follows the engine. */
  readonly phase: Phase | null;
  /** Phase of the Explain screen. */
  readonly explained: ExplainedPhase;
}

export const NOTHING_SELECTED: Selection = {
  step: null,
  promptIndex: 0,
  trajectoryIndex: 0,
  tokenIndex: null,
  phase: null,
  explained: "prompt",
};

/** The selection after part of it was changed; choosing another step, prompt or trajectory lets go of the token. */
export function selected(before: Selection, change: Partial<Selection>): Selection {
  const moves = change.step !== undefined || change.promptIndex !== undefined || change.trajectoryIndex !== undefined;
  return { ...before, ...(moves ? { tokenIndex: null } : {}), ...change };
}

/** What a selection names in words: "step 12, prompt 2, completion 4, token 6"; null where it names no step. */
export function selectionText({ step, promptIndex, trajectoryIndex, tokenIndex }: Omit<Selection, "phase" | "explained">): string | null {
  if (step === null) return null;
  const token = tokenIndex === null ? "" : `, token ${tokenIndex + 1}`;
  return `step ${step}, prompt ${promptIndex + 1}, completion ${trajectoryIndex + 1}${token}`;
}
