// Facts about the engine and the run on screen, as told by its events. Reducers are pure: an event
// and the facts before it give the facts after it.
import { create } from "zustand";
import type { Catalog } from "../../protocol/catalog.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { LiveSettings } from "../../protocol/configFacts.ts";
import type {
  BackendReport,
  EngineEvent,
  EventOf,
  EventType,
  ModelReport,
  Phase,
  ResumableRun,
  RunState,
} from "../../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord } from "../../protocol/records.ts";
import { MOST_EVALUATIONS, thinnedIndices } from "../../protocol/thinning.ts";

/** State of the worker itself. "quiet": running but silent for long; "unsupported": this browser cannot run it. */
export type EngineStatus = "starting" | "ready" | "quiet" | "died" | "unsupported";

export interface PhaseProgress {
  readonly step: number;
  readonly phase: Phase;
  readonly done: number;
  readonly total: number;
}

export interface RunError {
  readonly message: string;
  readonly field: string | null;
  readonly recoverable: boolean;
}

export interface RunFacts {
  readonly engine: EngineStatus;
  /** What happened to the engine, for "died" and "unsupported". */
  readonly engineMessage: string | null;
  readonly catalog: Catalog | null;
  readonly resumable: readonly ResumableRun[];
  readonly runId: string | null;
  readonly state: RunState;
  readonly stateReason: string | null;
  readonly config: RunConfig | null;
  readonly backend: BackendReport | null;
  readonly model: ModelReport | null;
  readonly continued: boolean;
  /** Last finished step. */
  readonly step: number;
  readonly phase: PhaseProgress | null;
  readonly preparing: { readonly what: string; readonly done: number; readonly total: number } | null;
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  readonly savedStep: number | null;
  readonly error: RunError | null;
  readonly notice: string | null;
}

export const NO_RUN: RunFacts = {
  engine: "starting",
  engineMessage: null,
  catalog: null,
  resumable: [],
  runId: null,
  state: "idle",
  stateReason: null,
  config: null,
  backend: null,
  model: null,
  continued: false,
  step: 0,
  phase: null,
  preparing: null,
  evaluations: [],
  baselines: [],
  savedStep: null,
  error: null,
  notice: null,
};

type Reducers = { readonly [K in EventType]: (facts: RunFacts, event: EventOf<K>) => Partial<RunFacts> };

function withLive(config: RunConfig | null, settings: LiveSettings): RunConfig | null {
  if (!config) return null;
  const known = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return { ...config, ...known };
}

/** Evaluations and baselines may come again with history; the newest of a step or kind stays. */
function replaced<T>(items: readonly T[], item: T, same: (other: T) => boolean): T[] {
  return [...items.filter((other) => !same(other)), item];
}

function withEvaluation(records: readonly EvaluationRecord[], record: EvaluationRecord): readonly EvaluationRecord[] {
  const all = replaced(records, record, ({ step }) => step === record.step);
  const steps = all.map(({ step }) => step);
  return thinnedIndices(steps, MOST_EVALUATIONS)?.map((i) => all[i]!) ?? all;
}

const reducers: Reducers = {
  ready: (_, { catalog, resumable }) => ({ engine: "ready", engineMessage: null, catalog, resumable }),
  started: (_, { runId, config, step, backend, model, continued }) => ({
    runId,
    config,
    step,
    backend,
    model,
    continued,
    phase: null,
    preparing: null,
    evaluations: [],
    baselines: [],
    savedStep: continued ? step : null,
    error: null,
    notice: null,
  }),
  history: (_, { evaluations, baselines }) => ({ evaluations, baselines }),
  state: (facts, { state, reason }) => {
    if (state === "idle") {
      // A reset removes the save of the run it forgets.
      const resumable = facts.resumable.filter(({ runId }) => runId !== facts.runId);
      return { ...NO_RUN, engine: facts.engine, catalog: facts.catalog, resumable, error: facts.error };
    }
    return {
      state,
      stateReason: reason ?? null,
      ...(state === "preparing" ? { error: null, notice: null } : { preparing: null }),
      ...(state === "running" ? { error: null } : {}),
    };
  },
  phase: (_, { step, phase, done, total }) => ({ phase: { step, phase, done, total } }),
  preparing: (_, { what, done, total }) => ({ preparing: { what, done, total } }),
  steps: (facts, { records }) => ({ step: records.at(-1)?.step ?? facts.step }),
  baseline: (facts, { record }) => ({ baselines: replaced(facts.baselines, record, (other) => other.kind === record.kind) }),
  evaluation: (facts, { record }) => ({ evaluations: withEvaluation(facts.evaluations, record) }),
  groups: () => ({}),
  settings: (facts, { settings, config }) => ({ config: config ?? withLive(facts.config, settings) }),
  saved: (_, { step }) => ({ savedStep: step }),
  "model-files": () => ({}),
  notice: (_, { message }) => ({ notice: message }),
  error: (_, { message, field, recoverable }) => ({ error: { message, field: field ?? null, recoverable } }),
};

/** Event kinds that belong to one run and are dropped when they come late from an earlier one. */
const OF_A_RUN: ReadonlySet<EventType> = new Set(["history", "phase", "steps", "baseline", "evaluation", "groups", "settings", "saved"]);

/** Whether an event is about another run than the one on screen. */
export function isStale(facts: RunFacts, event: EngineEvent): boolean {
  return OF_A_RUN.has(event.type) && event.runId !== facts.runId;
}

/** The facts after an event. */
export function reduceRun(facts: RunFacts, event: EngineEvent): RunFacts {
  if (isStale(facts, event)) return facts;
  const reduce = reducers[event.type] as (facts: RunFacts, event: EngineEvent) => Partial<RunFacts>;
  return { ...facts, ...reduce(facts, event) };
}

export const useRun = create<RunFacts>()(() => NO_RUN);
