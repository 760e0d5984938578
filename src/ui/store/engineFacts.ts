// Facts about an engine, whatever it runs: whether its worker is up, what it can do, and which runs it
// has saved.
import type { Catalog } from "../../protocol/catalog.ts";
import type { SaveSummary } from "../../protocol/messages.ts";

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
}

export const NO_ENGINE: EngineFacts = {
  status: "starting",
  message: null,
  catalog: null,
  saves: null,
  storageProblem: null,
  delayMs: 0,
};
