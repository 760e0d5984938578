// Facts about a run, as told by its engine's events. Reducers are pure: an event
// and the facts before it give the facts after it.

import type { LiveSettings } from "../../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import {
  type BackendReport,
  dispatch,
  type EngineEvent,
  type EventBodies,
  type EventType,
  type Handlers,
  type ModelReport,
  type Phase,
  type RunState,
  type ShownRecording,
} from "../../../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord } from "../../../protocol/records.ts";
import { MOST_EVALUATIONS, thinnedIndices } from "../../../protocol/run/thinned.ts";

export interface PhaseProgress {
  readonly step: number;
  readonly phase: Phase;
  readonly done: number;
  readonly total: number;
}

export interface RunFacts {
  readonly runId: string | null;
  readonly state: RunState;
  readonly stateReason: string | null;
  readonly config: RunConfig | null;
  readonly backend: BackendReport | null;
  readonly model: ModelReport | null;
  readonly continued: boolean;
  /** It is shown from its records, which end at this step, and no engine has built it. */
  readonly recording: ShownRecording | null;
  /** Last finished step. */
  readonly step: number;
  readonly phase: PhaseProgress | null;
  readonly preparing: { readonly what: string; readonly done: number; readonly total: number } | null;
  /** How far the question is that is being answered, where it takes long. */
  readonly asking: { readonly done: number; readonly total: number } | null;
  readonly evaluations: readonly EvaluationRecord[];
  /** The newest quick evaluation of a few of the problems, by the clock; of no record. */
  readonly quickEvaluation: EvaluationRecord | null;
  readonly baselines: readonly BaselineRecord[];
  readonly savedStep: number | null;
  /** What was refused or went wrong, in the engine's words. */
  readonly error: string | null;
  readonly notice: EventBodies["notice"] | null;
}

/** Whether a run trains here, or is about to: something else would put it aside. */
export const isTraining = ({ state, recording }: Pick<RunFacts, "state" | "recording">): boolean =>
  recording === null && (state === "running" || state === "preparing");

export const NO_RUN: RunFacts = {
  runId: null,
  state: "idle",
  stateReason: null,
  config: null,
  backend: null,
  model: null,
  continued: false,
  recording: null,
  step: 0,
  phase: null,
  preparing: null,
  asking: null,
  evaluations: [],
  quickEvaluation: null,
  baselines: [],
  savedStep: null,
  error: null,
  notice: null,
};

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

const reducers: Handlers<EngineEvent, [RunFacts], Partial<RunFacts>> = {
  ready: () => ({}),
  saves: () => ({}),
  storage: () => ({}),
  started: ({ runId, config, step, backend, model, continued, recording = null }, { state, stateReason }) => ({
    ...NO_RUN,
    state,
    stateReason,
    runId,
    config,
    step,
    backend,
    model,
    continued,
    recording,
    savedStep: continued ? step : null,
  }),
  history: ({ steps, evaluations, baselines }) => ({ step: steps.at(-1)?.step ?? 0, evaluations, baselines }),
  state: ({ state, reason }, facts) => {
    if (state === "idle") return { ...NO_RUN, error: facts.error };
    return {
      state,
      stateReason: reason ?? null,
      ...(state === "preparing" ? { error: null, notice: null } : { preparing: null }),
      ...(state === "running" ? { error: null } : {}),
      // What passed while it went on is no longer so where it stands still, or another sentence says why.
      ...(state !== "running" && facts.notice?.passing ? { notice: null } : {}),
    };
  },
  phase: ({ step, phase, done, total }) => ({ phase: { step, phase, done, total } }),
  asking: ({ done, total }) => ({ asking: { done, total } }),
  preparing: ({ what, done, total }) => ({ preparing: { what, done, total } }),
  steps: ({ records }, facts) => ({ step: records.at(-1)?.step ?? facts.step }),
  baseline: ({ record }, facts) => ({ baselines: replaced(facts.baselines, record, (other) => other.kind === record.kind) }),
  quickEvaluation: ({ record }) => ({ quickEvaluation: record }),
  evaluation: ({ record }, facts) => ({ evaluations: withEvaluation(facts.evaluations, record) }),
  groups: () => ({}),
  settings: ({ settings, config }, facts) => ({ config: config ?? withLive(facts.config, settings) }),
  saved: ({ step }) => ({ savedStep: step }),
  // What was refused is said; a request that came to nothing because of another is nobody's error.
  answer: (answer) => ({ asking: null, ...(answer.outcome === "failed" && !answer.overtaken ? { error: answer.message } : {}) }),
  notice: ({ message, passing }) => ({ notice: { message, ...(passing ? { passing } : {}) } }),
  error: ({ message }) => ({ error: message }),
};

/** Event kinds that belong to one run and are dropped when they come late from an earlier one. */
const OF_A_RUN: ReadonlySet<EventType> = new Set([
  "history",
  "phase",
  "steps",
  "baseline",
  "evaluation",
  "quickEvaluation",
  "groups",
  "settings",
  "saved",
]);

/** Whether an event is about another run than the one on screen. */
export function isStale(facts: RunFacts, event: EngineEvent): boolean {
  const isOfARun = OF_A_RUN.has(event.type) || (event.type === "answer" && event.outcome === "done");
  return isOfARun && event.runId !== facts.runId;
}

/** The facts after an event. */
export function reduceRun(facts: RunFacts, event: EngineEvent): RunFacts {
  if (isStale(facts, event)) return facts;
  return { ...facts, ...dispatch(reducers, event, facts) };
}
