// Why the Rollouts screen has nothing to show. Pure.
import type { RunFacts } from "../store/runFacts.ts";

export type Emptiness = "no run" | "waiting" | "supervised" | "failed" | "not kept" | "not sampled";

/** Why a run without groups on the page has none. */
export function emptinessOf({
  runId,
  state,
  config,
  continued,
  step,
}: Pick<RunFacts, "runId" | "state" | "config" | "continued" | "step">): Emptiness {
  if (state === "preparing") return "waiting";
  if (runId === null) return state === "failed" ? "failed" : "no run";
  if (config?.kind === "supervised") return "supervised";
  if (state === "running") return "waiting";
  if (state === "failed") return "failed";
  return continued || step > 0 ? "not kept" : "not sampled";
}
