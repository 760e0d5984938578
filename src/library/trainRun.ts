// Trains one run to its end in this process and returns what the page would have drawn: the same session, the
// same events, no page. A run holds its model, in memory and threads of its own, until close() is called or nobody
// holds the run any more.
import { type MetricsLogger, runLog } from "../export/live/metricsLogger.ts";
import type { RunConfigInput } from "../protocol/config.ts";
import type { BackendReport, EngineEvent, ModelFile } from "../protocol/messages.ts";
import { labError } from "../protocol/problems.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../protocol/records.ts";
import { isBetter } from "../rl/verdict/evaluations.ts";
import type { Host } from "../train/host.ts";
import { type OpenedModel, openModel } from "./openModel.ts";
import { type Engine, startEngine } from "./startEngine.ts";

/** A run at one of its evaluations, and what goes on from there. */
export interface BestCheckpoint {
  readonly evaluation: EvaluationRecord;
  /** The run as it stood, as the one file that the page and the command line open; null of the start, which its configuration gives. */
  readonly save: ModelFile | null;
}

/** A run that came to its end, with all it recorded. */
export interface TrainedRun {
  readonly backend: BackendReport;
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  /** From the start command to the last step, evaluations included. */
  readonly seconds: number;
  /**
   * With the highest sampled accuracy, and of equals with the highest reward; null where `keepBest` was not asked for
   * or nothing was evaluated.
   */
  readonly best: BestCheckpoint | null;
  /** The trained model by itself, to sample from or to train by hand; whoever opens it closes it. */
  openModel(): Promise<OpenedModel>;
  /** The engine that holds the run: ask it for the model, for samples, for more steps. */
  readonly engine: Engine;
  /** Frees the model with its memory and threads; the records stay, and the engine refuses what it is asked. */
  close(): Promise<void>;
}

/** What is told while a run goes on, and whether its best checkpoint is kept. */
export interface TrainOptions {
  readonly onStep?: (record: StepRecord) => void;
  readonly onEvaluation?: (record: EvaluationRecord) => void;
  readonly keepBest?: boolean;
  /**
   * Hear of the metrics as they come: files of other programs' forms (createFileLogger of rollout-lab/node), or
   * whatever stands in for them.
   */
  readonly loggers?: readonly MetricsLogger[];
  /**
   * Stops the run between two phases of the step in flight: trainRun rejects with the signal's reason (an AbortError by
   * default) once all is freed.
   */
  readonly signal?: AbortSignal;
}

/** What a run tells, kept and handed on. */
function listenTo(options: TrainOptions, host: Host, engine: () => Engine) {
  const steps: StepRecord[] = [];
  const evaluations: EvaluationRecord[] = [];
  const baselines: BaselineRecord[] = [];
  let backend: BackendReport | null = null;
  let best: Promise<BestCheckpoint | null> = Promise.resolve(null);
  const wallTime = () => host.wallTime() / 1000;
  const log = runLog(options.loggers ?? []);
  let finish = () => {};
  let fail: (error: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    [finish, fail] = [resolve, reject];
  });
  const keep = (evaluation: EvaluationRecord) => {
    // Asked for while the evaluation is told, the save comes before the next step.
    const save = evaluation.step === 0 ? null : engine().ask({ type: "export-save" });
    best = Promise.all([best, save]).then(([before, file]) =>
      before && !isBetter(evaluation, before.evaluation) ? before : { evaluation, save: file },
    );
    // Where the run ends before, nobody waits for it.
    best.catch(() => {});
  };
  const receive = (event: EngineEvent) => {
    if (event.type === "error") fail(new Error(event.message));
    else if (event.type === "started") {
      backend = event.backend;
      const begun = wallTime();
      log.begin({ runId: "run", config: event.config, begun, begunAt: new Date(1000 * begun).toISOString() });
    } else if (event.type === "steps") {
      steps.push(...event.records);
      for (const record of event.records) options.onStep?.(record);
      log.steps(event.records, wallTime());
    } else if (event.type === "baseline") baselines.push(event.record);
    else if (event.type === "evaluation") {
      evaluations.push(event.record);
      options.onEvaluation?.(event.record);
      log.evaluation(event.record, wallTime());
      if (options.keepBest) keep(event.record);
    } else if (event.type === "state" && event.state === "finished") finish();
  };
  const endLog = () => backend && log.end();
  return { receive, ended, endLog, records: { steps, evaluations, baselines }, backend: () => backend, best: () => best };
}

/** Resolves with the work, or rejects with the signal's reason where that comes first. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
  });
  if (signal?.aborted) abort();
  signal?.addEventListener("abort", abort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

/**
 * Trains a run to its step limit. Rejects with a LabError of the engine's sentence when it reports an error; nothing is
 * left of the run then.
 */
export async function trainRun(config: RunConfigInput, host: Host, options: TrainOptions = {}): Promise<TrainedRun> {
  const { signal } = options;
  signal?.throwIfAborted();
  const heard = listenTo(options, host, () => engine);
  const engine = await startEngine(host, heard.receive);
  const begun = host.now();
  try {
    const started = engine.ask({ type: "start", runId: "run", config });
    await unlessAborted(Promise.all([heard.ended, started]), signal);
    const backend = heard.backend();
    if (!backend) throw new Error("internal: a run finished that never started");
    const seconds = (host.now() - begun) / 1000;
    const openTrained = async () => openModel({ files: [await engine.ask({ type: "export-save" })] }, host);
    return { backend, ...heard.records, seconds, best: await heard.best(), engine, openModel: openTrained, close: engine.close };
  } catch (error) {
    await engine.close();
    throw signal?.aborted ? signal.reason : labError(error);
  } finally {
    heard.endLog();
  }
}
