// Where the strip of phases says the engine is: dot, line and label follow from one value, so that they
// always agree. Pure.
import { PHASES, type Phase } from "../../../protocol/messages.ts";
import type { PhaseProgress, RunFacts } from "../../engine/store/runFacts.ts";

/**
 * Before anything ran; in one phase, so far through it; or in all of them: over, or round and round faster than
 * phases can be told apart on a screen.
 */
export type StripState = { readonly at: "none" } | { readonly at: "all" } | { readonly at: Phase; readonly share: number };

/** Steps shorter than this are not shown phase by phase: the page is drawn four times a second (seconds). */
const READABLE_STEP_S = 0.6;

/** @param stepSeconds how long a step takes of late, null before the first. */
export function stripState({ state, phase }: Pick<RunFacts, "state" | "phase">, delayMs: number, stepSeconds: number | null): StripState {
  if (state === "finished") return { at: "all" };
  const isPassing = state === "running" && delayMs === 0 && stepSeconds !== null && stepSeconds < READABLE_STEP_S;
  if (isPassing) return { at: "all" };
  if (!phase || (state !== "running" && state !== "paused")) return { at: "none" };
  return { at: phase.phase, share: shareOf(phase) };
}

function shareOf({ done, total }: PhaseProgress): number {
  return total > 0 ? Math.min(1, done / total) : 0;
}

/** How much of a phase's line is filled, in [0, 1]. */
export function filled(phase: Phase, strip: StripState): number {
  if (strip.at === "none") return 0;
  if (strip.at === "all") return 1;
  const distance = PHASES.indexOf(phase) - PHASES.indexOf(strip.at);
  return distance < 0 ? 1 : distance > 0 ? 0 : strip.share;
}
