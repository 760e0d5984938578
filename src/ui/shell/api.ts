// window.rolloutLab: the page for scripts, agents and tests. It goes through the same actions and
// stores as the buttons, so what it reports is what is on screen.
import type { RunConfigInput } from "../../protocol/config.ts";
import type { EngineEvent } from "../../protocol/messages.ts";
import type { GroupRecord, StepRecord } from "../../protocol/records.ts";
import type { SaveSummary } from "../../protocol/run/runSummary.ts";
import { advance, forgetRun, startRun } from "../engine/actions.ts";
import { engine } from "../engine/client.ts";
import { showConfig } from "../engine/draftActions.ts";
import { resolveInput } from "../engine/store/draft/draftConfig.ts";
import type { RunFacts } from "../engine/store/runFacts.ts";

/** Everything the page knows about the run, as plain JSON. */
export interface Snapshot
  extends Pick<RunFacts, "state" | "runId" | "step" | "backend" | "model" | "config" | "evaluations" | "baselines" | "error"> {
  readonly engine: string;
  readonly reason: string | null;
  /** One record for each finished step; of very long runs some, older ones fewer. */
  readonly metrics: readonly StepRecord[];
  /**
   * Groups of the newest step that the page holds: its first one, which arrives unasked after every phase, or
   * all of them once they were asked for, as the Rollouts screen does. Empty before the first step, after
   * `continue` until a step is taken, and for supervised runs.
   */
  readonly groups: readonly GroupRecord[];
}

export interface RolloutLab {
  /** Starts a run (any earlier one ends) and resolves with its id once it trains; rejects with a sentence that names what is wrong. */
  start(config?: RunConfigInput): Promise<string>;
  /** Resolves at the phase boundary where the run stands still; one that is being prepared begins paused. */
  pause(): Promise<void>;
  /** Resolves once the run goes on; rejects where it cannot. */
  resume(): Promise<void>;
  /** Runs one whole step and resolves when it is done; starts a run where there is none. Rejects when the step fails. */
  step(): Promise<void>;
  /** Ends the run and keeps its records; one that is being prepared is given up for the one before. */
  stop(): Promise<void>;
  /** Forgets the run. */
  reset(): Promise<void>;
  /** Saved runs, newest first; resolves once storage has answered. */
  saves(): Promise<readonly SaveSummary[]>;
  /** Goes on with a saved run, which then waits, paused; rejects with a sentence that says why it cannot. */
  continue(runId: string): Promise<void>;
  snapshot(): Snapshot;
  /** Calls the listener with every engine event; returns a function that ends it. */
  on(listener: (event: EngineEvent) => void): () => void;
  /** Ends the engine's worker as a crash would, to see what the page does. */
  kill(): void;
}

declare global {
  interface Window {
    rolloutLab: RolloutLab;
  }
}

async function start(config: RunConfigInput = {}): Promise<string> {
  await engine.untilUp();
  const runId = await startRun(config);
  const { catalog } = engine.facts.getState();
  const resolved = catalog ? resolveInput(catalog, config).config : null;
  if (catalog && resolved) showConfig(catalog, resolved);
  return runId;
}

async function step(): Promise<void> {
  await engine.untilUp();
  engine.flush();
  const { state } = engine.view.facts.getState();
  if (state === "running") throw new Error("the run is going: pause it first");
  if (state === "preparing") throw new Error("the run is being prepared: take a step once it has begun");
  await advance("step");
}

/** The engine may be up before its storage has answered. */
async function saves(): Promise<readonly SaveSummary[]> {
  await engine.untilUp();
  return structuredClone(await engine.told(({ saves: known }) => known));
}

/** There is nothing to stop before the first run. */
async function stop(): Promise<void> {
  engine.flush();
  if (engine.view.facts.getState().state !== "idle") await engine.request({ type: "stop" });
}

function snapshot(): Snapshot {
  engine.flush();
  const { facts, metrics, groups } = engine.view;
  const { state, stateReason, runId, step: last, backend, model, config, evaluations, baselines, error } = facts.getState();
  const run = { state, reason: stateReason, runId, step: last, backend, model, config, evaluations, baselines, error };
  return structuredClone({
    engine: engine.facts.getState().status,
    ...run,
    metrics: metrics.records(),
    groups: groups.at(groups.latestStep ?? -1)?.groups ?? [],
  });
}

/** Puts the object on the window. */
export function installApi(): void {
  window.rolloutLab = {
    start,
    step,
    saves,
    continue: (runId) => engine.request({ type: "continue", runId, paused: true }),
    snapshot,
    stop,
    pause: () => engine.request({ type: "pause" }),
    resume: () => engine.request({ type: "resume" }),
    reset: forgetRun,
    on: (listener) => engine.listen(listener),
    kill: () => engine.kill(),
  };
}
