// The heading above an error: what became of the run, and only where the error changed that. A request
// that was refused while a run is paused has not paused it.
import type { RunFacts } from "../store/runFacts.ts";

/** Heading of an error. One that ended or paused the run is also the reason the engine gave for the state. */
export function errorHeading(message: string, { state, stateReason }: Pick<RunFacts, "state" | "stateReason">): string {
  if (stateReason === message && state === "failed") return "The run failed";
  if (stateReason === message && state === "paused") return "The run is paused";
  return "That did not work";
}
