// Facts about an engine, whatever it runs: whether its worker is up, what it can do, and which runs it
// has saved.
import type { Catalog } from "../../protocol/catalog.ts";
import type { ResumableRun } from "../../protocol/messages.ts";

/** "quiet": running but silent for long; "unsupported": this browser cannot run it. */
export type EngineStatus = "starting" | "ready" | "quiet" | "died" | "unsupported";

export interface EngineFacts {
  readonly status: EngineStatus;
  /** What happened to the engine, for "died" and "unsupported". */
  readonly message: string | null;
  readonly catalog: Catalog | null;
  readonly resumable: readonly ResumableRun[];
}

export const NO_ENGINE: EngineFacts = { status: "starting", message: null, catalog: null, resumable: [] };
