// Facts about an engine, whatever it runs: whether its worker is up, what it can do, and which runs it
// has saved.
import type { Catalog } from "../../../protocol/catalog.ts";
import type { EventOf } from "../../../protocol/messages.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";

/** "quiet": running but silent for long; "unsupported": this browser cannot run it. */
export type EngineStatus = "starting" | "ready" | "quiet" | "died" | "unsupported";

export interface EngineFacts {
  readonly status: EngineStatus;
  /** What happened to the engine, for "died" and "unsupported". */
  readonly message: string | null;
  readonly catalog: Catalog | null;
  /** Saved runs, newest first; null until the store has answered. */
  readonly saves: readonly SaveSummary[] | null;
  /** Why nothing is saved at present; null where it is. */
  readonly storageProblem: string | null;
  /** How long the engine is told to wait after each phase, to be watched (ms). */
  readonly delayMs: number;
  /** Whether that is the speed of a slow start. */
  readonly isSlowStart: boolean;
  /** The run that could not be continued because another tab has it, with the sentence that said so. */
  readonly copyOffer: { readonly runId: string; readonly message: string } | null;
}

export const NO_ENGINE: EngineFacts = {
  status: "starting",
  message: null,
  catalog: null,
  saves: null,
  storageProblem: null,
  delayMs: 0,
  isSlowStart: false,
  copyOffer: null,
};

/**
 * The list of saved runs after an event about it. The engine lists the runs only when one comes or goes; the row of the run
 * that trains follows its saves, so that it says what the mark beside the step count says; one that was only opened keeps its date.
 */
export function savesAfter(
  saves: readonly SaveSummary[] | null,
  event: EventOf<"saves"> | EventOf<"saved">,
  now: number,
): readonly SaveSummary[] | null {
  if (event.type === "saves") return event.runs;
  const { runId, step, bytes } = event;
  return (
    saves?.map((save) => (save.runId === runId ? { ...save, step, bytes, savedAt: step > save.step ? now : save.savedAt } : save)) ?? null
  );
}
