// window.rolloutLab: the page for scripts, agents and tests. It goes through the same actions and
// stores as the buttons, so what it reports is what is on screen.
import type { RunConfig, RunConfigInput } from "../protocol/config.ts";
import type { BackendReport, Command, EngineEvent, ModelReport, RunState } from "../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord, GroupRecord, StepRecord } from "../protocol/records.ts";
import { advance, showConfig, startRun } from "./actions.ts";
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

/** States in which nothing moves that a step could still change. */
const STANDSTILL: readonly RunState[] = ["paused", "finished", "failed"];

/** Waits for the event that answers; an error before it rejects in the engine's words. */
async function until(answers: (event: EngineEvent) => boolean): Promise<void> {
  const event = await engine.next((each) => each.type === "error" || answers(each));
  if (event.type === "error") throw new Error(event.message);
}

async function untilReady(): Promise<void> {
  const { engine: status, engineMessage } = useRun.getState();
  if (status === "unsupported" || status === "died") throw new Error(engineMessage ?? `the engine is ${status}`);
  if (status === "starting") await until(({ type }) => type === "ready");
}

/** Sends a command and waits for a state it leads to, where the run is not in one already. */
async function untilState(states: readonly RunState[], command: Command): Promise<void> {
  engine.flush();
  if (states.includes(useRun.getState().state)) return;
  engine.send(command);
  await until((event) => event.type === "state" && states.includes(event.state));
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
  engine.flush();
  const { state } = useRun.getState();
  if (state === "running") throw new Error("the run is going: pause it first");
  if (state === "preparing") throw new Error("the run is being prepared: take a step once it has begun");
  if (!(await advance("step"))) throw new Error(useRun.getState().error?.message ?? "the run did not start");
  // The step is told before the engine stands still; where a resume came meanwhile, another step is.
  let isTold = false;
  await until((event) => {
    if (event.type === "state") return STANDSTILL.includes(event.state);
    const isAnother = isTold && event.type === "steps";
    isTold ||= event.type === "steps";
    return isAnother;
  });
}

async function stop(): Promise<void> {
  engine.flush();
  const { state: before } = useRun.getState();
  if (before === "finished" || before === "idle") return;
  engine.send({ type: "stop" });
  let isOvertaken = false;
  await until((event) => {
    if (event.type !== "state") return false;
    if (event.state === "finished" || event.state === "idle" || isOvertaken) return true;
    isOvertaken = event.state === "preparing";
    // Back to the run before. "running" is no answer: the one that was prepared had begun when the command came.
    return before === "preparing" && (event.state === "paused" || event.state === "failed");
  });
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
    stop,
    pause: () => untilState([...STANDSTILL, "idle"], { type: "pause" }),
    resume: () => untilState(["running"], { type: "resume" }),
    reset: async () => {
      useDraft.setState({ applied: null });
      await untilState(["idle"], { type: "reset" });
    },
    on: (listener) => engine.listen(listener),
    kill: () => engine.kill(),
  };
}
