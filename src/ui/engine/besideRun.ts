// Runs beside the page's own, each on an engine of its own: an experiment's, a step that is taken again, the small ones of a lesson.
// What all of them wait for is the same: that the run stands somewhere, or why it will not come there.
import type { RunConfigInput } from "../../protocol/config.ts";
import type { StepGroups } from "../../protocol/messages.ts";
import type { EngineClient } from "./client.ts";
import type { RunFacts } from "./store/runFacts.ts";

/** Why the run of an engine goes no further; null while it may. */
function failureOf({ facts, view }: EngineClient): string | null {
  const { status, message } = facts.getState();
  const { state, stateReason, error } = view.facts.getState();
  if (status === "died") return `its worker ended: ${message}`;
  if (state === "failed") return stateReason ?? error ?? "for an unknown reason";
  return error;
}

/** Resolves once the run of an engine is where it should be; rejects with why it will not be. */
export function untilRun(engine: EngineClient, isThere: (facts: RunFacts) => boolean): Promise<void> {
  const { facts } = engine.view;
  return new Promise((resolve, reject) => {
    const stops: (() => void)[] = [];
    const look = () => {
      const failure = failureOf(engine);
      if (failure === null && !isThere(facts.getState())) return;
      for (const stop of stops.splice(0)) stop();
      if (failure === null) resolve();
      else reject(new Error(failure));
    };
    stops.push(facts.subscribe(look), engine.facts.subscribe(look));
    look();
  });
}

/**
 * A run to a step, and the steps on its way whose groups are wanted: they are asked for as they end, since an engine
 * keeps the latest alone.
 */
export interface BesideRun {
  readonly runId: string;
  readonly config: RunConfigInput;
  readonly inspect: readonly number[];
  /** Where it ends; null for its last step. */
  readonly until: number | null;
}

/** Carries a run out, and resolves with the groups that were wanted. */
export async function takeSteps(engine: EngineClient, { runId, config, inspect, until }: BesideRun): Promise<readonly StepGroups[]> {
  await engine.untilUp();
  await engine.request({ type: "start", runId, config, paused: true });
  const { facts } = engine.view;
  const goOnTo = async (step: number) => {
    if (facts.getState().step >= step) return;
    const stands = untilRun(engine, (run) => run.state !== "running" && run.step >= step);
    await Promise.all([engine.request({ type: "resume", until: step }), stands]);
  };
  const groups: StepGroups[] = [];
  for (const step of [...inspect].sort((a, b) => a - b)) {
    await goOnTo(step);
    groups.push(await engine.request({ type: "inspect", step }));
  }
  await goOnTo(until ?? facts.getState().config?.steps ?? 0);
  engine.flush();
  return groups;
}
