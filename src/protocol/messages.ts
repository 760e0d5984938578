// What an engine says. Commands go in (commands.ts), events come out; the browser worker, the command
// line, tests and a replayed run read the same stream.
import type { Alternatives, Asked, Attribution, OtherwiseStep, Probed } from "./asked.ts";
import type { Catalog } from "./catalog.ts";
import type { CommandOf, CommandType } from "./commands.ts";
import type { LiveSettings } from "./config/configFacts.ts";
import type { RewardVerdict } from "./config/customRewards.ts";
import type { RunConfig } from "./config.ts";
import type { JudgeCost, JudgeModelReport, TriedVerdict } from "./custom/judges.ts";
import type { PlayedConversation, TaskPreview, TriedStep } from "./custom/tried.ts";
import type { MemoryEstimate } from "./memory.ts";
import type { BaselineRecord, EvaluationRecord, GroupRecord, GroupSummary, StepRecord } from "./records.ts";
import type { TableAnswer } from "./rollouts/rolloutTable.ts";
import type { PairAnswer } from "./rollouts/runPair.ts";
import type { TraceReport } from "./rollouts/traces.ts";
import type { RolloutExtent, SaveSummary } from "./run/runSummary.ts";

/** Where a run stands. */
export type RunState = "idle" | "preparing" | "running" | "paused" | "finished" | "failed";

/** Phases of one reinforcement step in order; a supervised step draws its examples in "sample", learns in "update" and has no others. */
export const PHASES = ["sample", "score", "advantage", "update", "evaluate"] as const;
/** A part of a training step. */
export type Phase = (typeof PHASES)[number];

/** Where an update can be stopped, in order, for each of its optimizer steps; the weights move at the last. */
export const UPDATE_PARTS = ["ratio", "loss", "gradient", "optimizer"] as const;
/** A part of an optimizer step. */
export type UpdatePart = (typeof UPDATE_PARTS)[number];

/** Where an update stands that was stopped on its way. */
export interface UpdatePlace {
  readonly part: UpdatePart;
  /** Inner epoch and minibatch, from 1, and how many there are. */
  readonly epoch: number;
  readonly epochs: number;
  readonly minibatch: number;
  readonly minibatches: number;
  /** Of this minibatch, before its optimizer step: losses, ratios and clip ratios by their metrics' names, and grad_norm. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Which WASM kernels compute, as measured here: fused ones give other bits than both others. */
export const KERNEL_BUILDS = ["relaxed, fused", "relaxed, unfused", "plain"] as const;

/** Which backend computes, and why it was chosen. */
export interface BackendReport {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  /** 0 where nothing is computed here. */
  readonly threads: number;
  /** Why there is only one thread where there could be more, as half a sentence; otherwise left out. */
  readonly threadObstacle?: string;
  /** Left out where no WASM kernels compute. */
  readonly kernelBuild?: (typeof KERNEL_BUILDS)[number];
  /** The models that judge beside the policy; left out where none does. */
  readonly judges?: readonly JudgeModelReport[];
  /** Backends that were looked at and what came of it, in the order tried. */
  readonly tried: readonly { readonly id: string; readonly outcome: string; readonly msPerStep?: number }[];
}

/** Sizes worth showing for the model of a run. */
export interface ModelReport {
  readonly kind: "tabular" | "transformer";
  /** 0 where nobody here knows them, as of a model on a server that is of a kind which does not compute here. */
  readonly parameters: number;
  /** Those that training moves: all of them, or the adapters beside them. */
  readonly trained: number;
  readonly vocabulary: number;
  readonly description: string;
}

/** Groups of one step, all of them or the ones that were asked for. */
export interface StepGroups {
  readonly step: number;
  /** The last phase the step has been through: before "update" rewards, advantages or new log-probs are not there yet. */
  readonly phase: Phase;
  /** Where its update stands, if it was stopped on its way: what it has touched so far is in the groups. */
  readonly opened?: UpdatePlace;
  /** Settings the step was taken under; later live changes do not touch it. */
  readonly config: RunConfig;
  readonly summaries: readonly GroupSummary[];
  readonly groups: readonly GroupRecord[];
  /** Oldest step that can still be asked for, -1 where none was taken here. */
  readonly oldestStep: number;
  /** It comes from the run's save: what was recorded is all there, its weights and whatever needs them are not. */
  readonly isKept?: true;
  /** The weights that sampled it were gone when it was sent: the run went on too fast to keep them. */
  readonly isPast?: true;
}

/** What a saved run has recorded, as far as it is compared with others. */
export interface RunRecords {
  readonly config: RunConfig;
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  /** What it was asked over its steps; null where its task or its tokenizer is not known here. */
  readonly probed: Probed | null;
}

/** A named file with its bytes. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A run, with the place that its file opens on where it names one. */
export interface OpenedRun {
  readonly runId: string;
  readonly place?: string;
}

/** What comes back with the answer to a command that asks for something. */
export interface Findings {
  inspect: StepGroups;
  table: TableAnswer;
  pair: PairAnswer;
  "try-reward": { readonly verdicts: readonly RewardVerdict[] };
  "try-judge": { readonly verdicts: readonly TriedVerdict[]; readonly cost: JudgeCost };
  ask: Asked;
  probes: Probed;
  records: RunRecords;
  alternatives: Alternatives;
  otherwise: OtherwiseStep;
  attribution: Attribution;
  measure: StepGroups;
  estimate: MemoryEstimate;
  preview: TaskPreview;
  play: PlayedConversation;
  "try-step": TriedStep;
  "export-model": readonly ModelFile[];
  "export-save": ModelFile;
  "export-rollout": ModelFile & { readonly extent: RolloutExtent | null };
  "read-save": ModelFile;
  "add-save": OpenedRun;
  open: OpenedRun;
}
/** The result of a command: what it asked for, or nothing where being done says it all. */
export type Result<K extends CommandType> = K extends keyof Findings ? Findings[K] : undefined;

/** A command was carried out. */
export type Done = {
  readonly [K in CommandType]: { readonly outcome: "done"; readonly id: number; readonly command: K; readonly result: Result<K> };
}[CommandType];
/** A command was not carried out, or not to its end, and why. */
export interface Failed {
  readonly outcome: "failed";
  /** Null where the command had no id that could be read. */
  readonly id: number | null;
  readonly message: string;
  /** The field of what was given that is wrong, if that is why; empty for the whole of it. */
  readonly field?: string;
  /** Another command came in between: nothing is wrong. */
  readonly overtaken?: boolean;
  /** Another tab has the run; a copy of it can go on here (`copyAs`). */
  readonly inOtherTab?: boolean;
}

/** What is shown without a model: how far it goes, and what was recognised where another program wrote it. */
export interface ShownRecording {
  readonly lastStep: number;
  readonly traced?: TraceReport;
}

/** What each event tells. */
export interface EventBodies {
  /** The engine is up. Its saves follow, since storage may answer late. */
  ready: { readonly catalog: Catalog };
  /** All saved runs, newest first, whenever they are first known or one is added, deleted or found unreadable. */
  saves: { readonly runs: readonly SaveSummary[] };
  /** Why nothing is saved at present, until another such event; null when saving works again. */
  storage: { readonly reason: string | null };
  /** A run begins (or continues at a step) with this resolved configuration. */
  started: {
    readonly config: RunConfig;
    readonly step: number;
    readonly backend: BackendReport;
    readonly model: ModelReport;
    readonly continued: boolean;
    /** It is shown from its records, which end at this step, and is not built. */
    readonly recording?: ShownRecording;
  };
  /** History that came back with a continued run, or what a recording shows: it takes the place of what was told before. */
  history: {
    readonly steps: readonly StepRecord[];
    readonly evaluations: readonly EvaluationRecord[];
    readonly baselines: readonly BaselineRecord[];
    /** Steps whose rollouts its save keeps, ascending. */
    readonly kept: readonly number[];
  };
  state: { readonly state: RunState; readonly reason?: string };
  /** Where in the loop the engine is; `done` of `total` counts tokens, sequences or problems. */
  phase: { readonly step: number; readonly phase: Phase; readonly done: number; readonly total: number };
  /** Something long is being prepared: weights, kernels, baselines. */
  preparing: { readonly what: string; readonly done: number; readonly total: number };
  /** How far a question is that takes long. */
  asking: { readonly done: number; readonly total: number; readonly phase?: Phase | "prepare" };
  /** Every finished step since the last such event. */
  steps: { readonly records: readonly StepRecord[] };
  baseline: { readonly record: BaselineRecord };
  evaluation: { readonly record: EvaluationRecord };
  /** A few of the held-out problems, asked because it was time to. It depends on the clock, so no record of the run holds it. */
  quickEvaluation: { readonly record: EvaluationRecord };
  /** The first group of the newest step, unasked; of a supervised step all the examples that are kept of it. */
  groups: StepGroups;
  /** Live settings now in force, and the configuration with the change written down. */
  settings: { readonly settings: LiveSettings; readonly config?: RunConfig };
  /** The run is kept up to this step, in so many bytes, with the rollouts of these steps. */
  saved: { readonly step: number; readonly bytes: number; readonly kept: readonly number[] };
  /** The one answer to a command; what the command did was told before it. */
  answer: Done | Failed;
  /** A sentence for the user that is not an error. Of something that passes it says too whether that goes on or is over. */
  notice: { readonly message: string; readonly passing?: "begun" | "over" };
  /** A run could not go on. `recoverable`: it is paused with its last good weights. */
  error: { readonly message: string; readonly recoverable: boolean };
}

/** The name of an event. */
export type EventType = keyof EventBodies;
/** What an event says, before it is stamped with its run. */
export type EventBody = { [K in EventType]: { readonly type: K } & EventBodies[K] }[EventType];
/** One event; each carries the run it belongs to, null before the first run. */
export type EngineEvent = { [K in EventType]: { readonly type: K; readonly runId: string | null } & EventBodies[K] }[EventType];
export type EventOf<K extends EventType> = Extract<EngineEvent, { readonly type: K }>;

/** One handler for each kind of command, with what its answer carries. */
export type CommandHandlers = {
  readonly [K in CommandType]: (
    command: CommandOf<K>,
  ) => K extends keyof Findings ? Findings[K] | Promise<Findings[K]> : void | Promise<void>;
};

/** One entry for each kind of message, called with the message and whatever else is needed: a missing one does not compile. */
export type Handlers<M extends { readonly type: string }, A extends readonly unknown[], R> = {
  readonly [K in M["type"]]: (message: Extract<M, { readonly type: K }>, ...rest: A) => R;
};

/** Calls the entry for a message. */
export function dispatch<M extends { readonly type: string }, A extends readonly unknown[], R>(
  handlers: Handlers<M, A, R>,
  message: M,
  ...rest: A
): R {
  return (handlers[message.type as M["type"]] as (message: M, ...rest: A) => R)(message, ...rest);
}
