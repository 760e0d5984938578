// window.rolloutLab: the page for scripts, agents and tests. It goes through the same actions and
// stores as the buttons, so what it reports is what is on screen.
import type { RunConfig, RunConfigInput } from "../protocol/config.ts";
import type { BackendReport, EngineEvent, ModelReport, RunState } from "../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord, GroupRecord, StepRecord } from "../protocol/records.ts";
import { advance, hasRun, showConfig, startRun } from "./actions.ts";
import { engine } from "./client.ts";
import { resolveInput } from "./store/draftConfig.ts";
import { useDraft } from "./store/draftStore.ts";
import { groupsByStep } from "./store/groupsByStep.ts";
import { metricSeries } from "./store/metricSeries.ts";
import { useRun } from "./store/runStore.ts";

/** Everything the page knows about the run, as plain JSON. */
export interface Snapshot {
  readonly engine: string;
  readonly state: RunState;
  readonly reason: string | null;
  readonly runId: string | null;
  readonly step: number;
  readonly backend: BackendReport | null;
  readonly model: ModelReport | null;
  readonly config: RunConfig | null;
  readonly metrics: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  readonly groups: readonly GroupRecord[];
  readonly error: string | null;
}

export interface RolloutLab {
  /** Starts a run (any earlier one ends) and resolves with its id once it trains; rejects with a sentence that names what is wrong. */
  start(config?: RunConfigInput): Promise<string>;
  /** Resolves at the phase boundary where the run stands still. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Runs one whole step and resolves when it is done; starts a run where there is none. */
  step(): Promise<void>;
  /** Ends the run and keeps its records. */
  stop(): Promise<void>;
  /** Forgets the run. */
  reset(): Promise<void>;
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

async function untilReady(): Promise<void> {
  const { engine: status, engineMessage } = useRun.getState();
  if (status === "unsupported" || status === "died") throw new Error(engineMessage ?? `the engine is ${status}`);
  if (status === "starting") await engine.next(({ type }) => type === "ready");
}

async function untilState(states: readonly RunState[], act: () => void): Promise<void> {
  engine.flush();
  if (states.includes(useRun.getState().state)) return;
  const settled = engine.next((event) => (event.type === "state" && states.includes(event.state)) || event.type === "error");
  act();
  const event = await settled;
  if (event.type === "error") throw new Error(event.message);
}

async function start(config: RunConfigInput = {}): Promise<string> {
  await untilReady();
  const runId = await startRun(config);
  const { catalog } = useRun.getState();
  const resolved = catalog ? resolveInput(catalog, config).config : null;
  if (catalog && resolved) showConfig(catalog, resolved);
  return runId;
}

async function step(): Promise<void> {
  await untilReady();
  if (useRun.getState().state === "running") throw new Error("the run is going: pause it first");
  const finished = engine.next((event) => event.type === "steps" || (event.type === "error" && !event.recoverable));
  await advance("step");
  if (!hasRun()) throw new Error(useRun.getState().error?.message ?? "the run did not start");
  await finished;
  await untilState(["paused", "finished"], () => {});
}

function snapshot(): Snapshot {
  engine.flush();
  const {
    engine: status,
    state,
    stateReason,
    runId,
    step: last,
    backend,
    model,
    config,
    evaluations,
    baselines,
    error,
  } = useRun.getState();
  const latest = groupsByStep.latestStep;
  const snapshotValue: Snapshot = {
    engine: status,
    state,
    reason: stateReason,
    runId,
    step: last,
    backend,
    model,
    config,
    metrics: metricSeries.records(),
    evaluations,
    baselines,
    groups: latest === null ? [] : (groupsByStep.at(latest)?.groups ?? []),
    error: error?.message ?? null,
  };
  return structuredClone(snapshotValue);
}

/** Puts the object on the window. */
export function installApi(): void {
  window.rolloutLab = {
    start,
    step,
    snapshot,
    pause: () => untilState(["paused", "finished", "failed", "idle"], () => engine.send({ type: "pause" })),
    resume: () => untilState(["running"], () => engine.send({ type: "resume" })),
    stop: () => untilState(["finished", "idle"], () => engine.send({ type: "stop" })),
    reset: async () => {
      useDraft.setState({ applied: null });
      await untilState(["idle"], () => engine.send({ type: "reset" }));
    },
    on: (listener) => engine.listen(listener),
    kill: () => engine.kill(),
  };
}
