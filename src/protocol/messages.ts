// Everything that crosses between an engine and whoever drives it. Commands go in, events come out;
// the browser worker, the command line, tests and a replayed run read the same stream.
import type { Catalog } from "./catalog.ts";
import type { RunConfig, RunConfigInput } from "./config.ts";
import type { LiveSettings } from "./configFacts.ts";
import type { BaselineRecord, EvaluationRecord, GroupRecord, GroupSummary, StepRecord } from "./records.ts";

export type RunState = "idle" | "preparing" | "running" | "paused" | "finished" | "failed";

/** Phases of one reinforcement step in order; "train" is the one phase of a supervised step. */
export const PHASES = ["sample", "score", "advantage", "update", "evaluate"] as const;
export type Phase = (typeof PHASES)[number];

/** Which backend computes, and why it was chosen. */
export interface BackendReport {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  readonly threads: number;
  /** Which WASM kernels compute: results have other bits with each. Left out where none do. */
  readonly kernelBuild?: "relaxed" | "plain";
  /** Backends that were looked at and what came of it, in the order tried. */
  readonly tried: readonly { readonly id: string; readonly outcome: string; readonly msPerStep?: number }[];
}

/** Sizes worth showing for the model of a run. */
export interface ModelReport {
  readonly kind: "tabular" | "transformer";
  readonly parameters: number;
  readonly vocabulary: number;
  readonly description: string;
}

/** A saved run that can be continued. */
export interface ResumableRun {
  readonly runId: string;
  readonly step: number;
  readonly config: RunConfig;
  readonly savedAt: number;
}

export type Command =
  | { readonly type: "start"; readonly runId: string; readonly config: RunConfigInput; readonly paused?: boolean }
  /** Goes on from the last save; `backend` computes instead of the one in its configuration. */
  | { readonly type: "continue"; readonly runId: string; readonly paused?: boolean; readonly backend?: RunConfig["backend"] }
  | { readonly type: "pause" }
  | { readonly type: "resume" }
  /** Run one whole step, or one phase, then pause. */
  | { readonly type: "advance"; readonly unit: "step" | "phase" }
  | { readonly type: "stop" }
  | { readonly type: "reset" }
  | { readonly type: "set"; readonly settings: LiveSettings }
  /** Pause this long after each phase, to watch; 0 runs at full speed. */
  | { readonly type: "pace"; readonly delayMs: number }
  /** Ask for the groups of a step that is still kept; answered by a "groups" event. */
  | { readonly type: "inspect"; readonly step: number; readonly promptIndex?: number }
  /** Ask for the policy as a Hugging Face folder; answered by "model-files". */
  | { readonly type: "export-model" };

export type CommandType = Command["type"];

interface EventBodies {
  /** The engine is up. */
  ready: { readonly catalog: Catalog; readonly resumable: readonly ResumableRun[] };
  /** A run begins (or continues at a step) with this resolved configuration. */
  started: {
    readonly config: RunConfig;
    readonly step: number;
    readonly backend: BackendReport;
    readonly model: ModelReport;
    readonly continued: boolean;
  };
  /** History that came back with a continued run. */
  history: {
    readonly steps: readonly StepRecord[];
    readonly evaluations: readonly EvaluationRecord[];
    readonly baselines: readonly BaselineRecord[];
  };
  state: { readonly state: RunState; readonly reason?: string };
  /** Where in the loop the engine is; `done` of `total` counts tokens, sequences or problems. */
  phase: { readonly step: number; readonly phase: Phase; readonly done: number; readonly total: number };
  /** Something long is being prepared: weights, kernels, baselines. */
  preparing: { readonly what: string; readonly done: number; readonly total: number };
  /** Every finished step since the last such event. */
  steps: { readonly records: readonly StepRecord[] };
  baseline: { readonly record: BaselineRecord };
  evaluation: { readonly record: EvaluationRecord };
  /**
   * Groups of one step, all of them or the one that was asked for. `phase` is the last phase the step
   * has been through: before "update" rewards, advantages or new log-probs are not there yet.
   */
  groups: {
    readonly step: number;
    readonly phase: Phase;
    /** Settings the step was taken under; later live changes do not touch it. */
    readonly config: RunConfig;
    readonly summaries: readonly GroupSummary[];
    readonly groups: readonly GroupRecord[];
    readonly requested: boolean;
    readonly oldestStep: number;
  };
  /** Live settings now in force, and the configuration with the change written down. */
  settings: { readonly settings: LiveSettings; readonly config?: RunConfig };
  saved: { readonly step: number; readonly bytes: number };
  "model-files": { readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[] };
  /** A sentence for the user that is not an error. */
  notice: { readonly message: string };
  /** Something went wrong. `recoverable`: the run is paused with its last good weights. */
  error: { readonly message: string; readonly field?: string; readonly recoverable: boolean };
}

export type EventType = keyof EventBodies;
/** What an event says, before it is stamped with its run. */
export type EventBody = { [K in EventType]: { readonly type: K } & EventBodies[K] }[EventType];
/** One event; each carries the run it belongs to, null before the first run. */
export type EngineEvent = { [K in EventType]: { readonly type: K; readonly runId: string | null } & EventBodies[K] }[EventType];
export type EventOf<K extends EventType> = Extract<EngineEvent, { readonly type: K }>;

/** One handler for each kind of event: a missing case does not compile. */
export type EventHandlers = { readonly [K in EventType]: (event: EventOf<K>) => void };
/** One handler for each kind of command. */
export type CommandHandlers = { readonly [K in CommandType]: (command: Extract<Command, { readonly type: K }>) => void | Promise<void> };

/** Calls the handler of an event. */
export function dispatchEvent(handlers: EventHandlers, event: EngineEvent): void {
  (handlers[event.type] as (event: EngineEvent) => void)(event);
}
