// Listens to a run and writes down what it tells: metrics, evaluations, sampled conversations and the best
// checkpoint. Files are written behind the run; the first one that cannot be is told, and the run then stops.

import { trajectoryLines } from "../../export/trajectoryLines.ts";
import { metricsLine } from "../../export/writtenRun.ts";
import type { Engine } from "../../library/startEngine.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport, EngineEvent, ModelReport } from "../../protocol/messages.ts";
import { isRecord } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import type { EvaluationRecord } from "../../protocol/records.ts";
import { MOST_EVALUATIONS, MOST_STEPS, pushThinned } from "../../protocol/run/thinned.ts";
import { isBetter } from "../../rl/verdict/evaluations.ts";
import type { RunRecords } from "../../rl/verdict/history.ts";
import { JsonLines, readLines, rewriteLines } from "../folder/jsonLines.ts";
import { joinSteps, readRecords } from "../folder/recordedRun.ts";
import { checkpointPath, pathOf, type RunFolder, writeJson, writeWhole } from "../folder/runFolder.ts";
import { stepOfSave } from "../folder/saveFile.ts";
import type { RunLogs } from "./runLogs.ts";
import type { BestEvaluation } from "./summary.ts";

/** Conversations of the first, each evaluated and the last step that are written down, or every one of every step. */
export type WrittenDown = number | "all";

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** What a run came to, as far as its events say. */
export interface Recorded extends RunRecords {
  readonly backend: BackendReport;
  readonly model: ModelReport;
  readonly continuedFrom: number;
}

/** The records of one run; owned state. */
export class Recorder {
  readonly #folder: RunFolder;
  readonly #engine: () => Engine;
  readonly #most: WrittenDown;
  readonly #logs: RunLogs;
  readonly #onError: (error: Error) => void;
  readonly #metrics: JsonLines;
  readonly #evaluations: JsonLines;
  readonly #trajectories: JsonLines;
  readonly #notices: string[] = [];
  /** Steps that had gone before their conversations could be asked for, where all were wanted. */
  #gone = 0;
  #recorded: Mutable<Recorded> | null = null;
  #best: BestEvaluation | null = null;
  /** Work that has to be done before the run is over. */
  #pending: Promise<unknown>[] = [];
  /** Steps whose conversations are written down, or on their way. */
  readonly #inspected = new Set<number>();
  readonly #evaluated = new Set<number>();
  #isOrdered = false;
  /** Those that were asked for and have not come yet. */
  #inspecting: Promise<unknown> = Promise.resolve();
  /** The configuration on its way to the disk. */
  #configuring: Promise<void> = Promise.resolve();
  /** The best checkpoints on their way to the disk. */
  #keeping: Promise<void> = Promise.resolve();

  /** @param logs hears of the same events. */
  constructor(
    folder: RunFolder,
    engine: () => Engine,
    { most, logs }: { readonly most: WrittenDown; readonly logs: RunLogs },
    onError: (error: Error) => void,
  ) {
    this.#folder = folder;
    this.#engine = engine;
    this.#most = most;
    this.#logs = logs;
    this.#onError = onError;
    [this.#metrics, this.#evaluations, this.#trajectories] = (["metrics.jsonl", "evaluations.jsonl", "trajectories.jsonl"] as const).map(
      (file) => new JsonLines(pathOf(folder, file), onError),
    ) as [JsonLines, JsonLines, JsonLines];
  }

  /** Puts in order what was recorded before a run goes on; its save may hold nothing yet. */
  async ordered(): Promise<void> {
    if (!this.#isOrdered) this.#track(this.#reconcile({ steps: [], evaluations: [], baselines: [] }));
    await this.written();
  }

  /** Everything so far; throws where the run has not begun. */
  get recorded(): Recorded {
    if (!this.#recorded) throw new Error("internal: a run that has not begun has no records");
    return this.#recorded;
  }

  get hasBegun(): boolean {
    return this.#recorded !== null;
  }

  get best(): BestEvaluation | null {
    return this.#best;
  }

  get notices(): readonly string[] {
    if (this.#gone === 0) return this.#notices;
    return [
      ...this.#notices,
      `the conversations of ${counted(this.#gone, "step")} were gone before they could be written: the steps pass too fast`,
    ];
  }

  hear(event: EngineEvent): void {
    this.#logs.hear(event);
    if (event.type === "started") this.#start(event.config, event.backend, event.model, event.step);
    else if (event.type === "history") this.#track(this.#reconcile(event));
    else if (event.type === "notice") this.#notices.push(event.message);
    const run = this.#recorded;
    if (!run) return;
    // The first step is asked for while it is still kept, which steps that are stored before they are told may outlast.
    if (event.type === "phase" && event.step > 1) this.#inspectFirst();
    else if (event.type === "steps") {
      for (const record of event.records) pushThinned(run.steps, record, MOST_STEPS);
      this.#metrics.add(event.records.map(metricsLine));
      this.#inspectFirst();
      if (this.#most === "all") for (const { step } of event.records) this.#inspect(step);
    } else if (event.type === "baseline") {
      run.baselines.push(event.record);
      this.#evaluations.add([{ type: "baseline", record: event.record }]);
    } else if (event.type === "evaluation") {
      pushThinned(run.evaluations, event.record, MOST_EVALUATIONS);
      this.#evaluations.add([{ type: "evaluation", record: event.record }]);
      if (event.record.step > 0) {
        this.#evaluated.add(event.record.step);
        this.#inspectUpTo(event.record.step);
        this.#inspect(event.record.step);
      }
      if (this.#isBest(event.record)) this.#keepBest(event.record);
    } else if (event.type === "settings" && event.config) {
      run.config = event.config;
      this.#configured(event.config);
    }
  }

  #track(work: Promise<unknown>): void {
    this.#pending.push(work.catch((error: unknown) => this.#onError(error instanceof Error ? error : new Error(String(error)))));
  }

  #start(config: RunConfig, backend: BackendReport, model: ModelReport, step: number): void {
    this.#recorded = { config, backend, model, continuedFrom: step, steps: [], evaluations: [], baselines: [] };
    this.#configured(config);
  }

  /** One after another, and of several that wait the newest alone. */
  #configured(config: RunConfig): void {
    const isNewest = () => this.#recorded?.config === config;
    this.#configuring = this.#configuring.then(() => (isNewest() ? writeJson(pathOf(this.#folder, "config.json"), config) : undefined));
    this.#track(this.#configuring);
  }

  /** After a crash the files may lack what the save has, or hold what came out differently: the save decides. */
  async #reconcile(history: Pick<RunRecords, "steps" | "evaluations" | "baselines">): Promise<void> {
    this.#isOrdered = true;
    const run = this.recorded;
    for (const key of ["steps", "evaluations", "baselines"] as const) (run[key] as unknown[]).push(...history[key]);
    for (const evaluation of history.evaluations) if (this.#isBest(evaluation)) this.#best = await this.#foundBest(evaluation);
    const last = history.steps.at(-1)?.step ?? 0;
    const written = await readRecords(this.#folder);
    const steps = joinSteps(
      written.steps.filter(({ step }) => step <= last),
      history.steps,
    );
    await rewriteLines(pathOf(this.#folder, "metrics.jsonl"), steps.map(metricsLine));
    // In the order of their events: chance, the start's evaluation and what it comes to, the others.
    const evaluations = [
      ...history.baselines.map((record) => ({ type: "baseline", record, at: record.kind === "random" ? -1 : 0.5 })),
      ...history.evaluations.map((record) => ({ type: "evaluation", record, at: record.step })),
    ].sort((a, b) => a.at - b.at);
    await rewriteLines(
      pathOf(this.#folder, "evaluations.jsonl"),
      evaluations.map(({ type, record }) => ({ type, record })),
    );
    for (const { step } of [...written.evaluations, ...history.evaluations]) if (step <= last) this.#evaluated.add(step);
    await this.#pruneConversations(last);
  }

  #isBest(evaluation: EvaluationRecord): boolean {
    return isBetter(evaluation, this.#best && { sampledAccuracy: this.#best.accuracy, meanReward: this.#best.meanReward });
  }

  /** The best evaluation of a run that goes on, with its file where that is of the same step. */
  async #foundBest({ step, sampledAccuracy, meanReward }: EvaluationRecord): Promise<BestEvaluation> {
    const path = checkpointPath(this.#folder, "best");
    const isSaved = step > 0 && (await stepOfSave(path)) === step;
    return { step, accuracy: sampledAccuracy, meanReward, path: isSaved ? path : null };
  }

  #inspectFirst(): void {
    if (this.recorded.continuedFrom === 0) this.#inspect(1);
  }

  /** Writes down the conversations of a step while it is still kept. */
  #inspect(step: number): void {
    if (this.#most === 0 || this.#inspected.has(step)) return;
    this.#inspected.add(step);
    const most = this.#most === "all" ? Number.POSITIVE_INFINITY : this.#most;
    // Of very fast runs a step may be gone by then; that is no fault where some are kept as examples.
    const asked = this.#engine()
      .ask({ type: "inspect", step })
      .catch(() => null);
    // In the order in which they were asked for, whichever is answered first.
    this.#inspecting = Promise.all([asked, this.#inspecting]).then(([groups]) => {
      if (groups) this.#trajectories.add(trajectoryLines(groups, most));
      else if (this.#most === "all") this.#gone += 1;
    });
  }

  /** Asks for the conversations of the steps up to this one that have not been told yet: a step's evaluation comes before it. */
  #inspectUpTo(step: number): void {
    const run = this.#recorded;
    if (step === 0 || !run) return;
    this.#inspectFirst();
    if (this.#most === "all") for (let due = (run.steps.at(-1)?.step ?? run.continuedFrom) + 1; due <= step; due++) this.#inspect(due);
  }

  /** Resolves when the conversations of a step, and of those before it, are written: none of a step that is saved may be lacking. */
  async conversationsUpTo(step: number): Promise<void> {
    this.#inspectUpTo(step);
    await this.#inspecting;
  }

  /** Leaves of the conversations those that a run without an interruption has written by this step, each once. */
  async #pruneConversations(last: number): Promise<void> {
    const path = pathOf(this.#folder, "trajectories.jsonl");
    const lines = (await readLines(path)).filter(isRecord);
    const isDue = (step: number) => step <= last && (this.#most === "all" || step === 1 || step === last || this.#evaluated.has(step));
    const kept = new Map(
      lines.filter(({ step }) => isDue(Number(step))).map((line) => [`${line.step} ${line.prompt} ${line.member}`, line]),
    );
    const ordered = [...kept.values()].toSorted((a, b) => Number(a.step) - Number(b.step));
    if (ordered.length < lines.length || ordered.some((line, i) => line !== lines[i])) await rewriteLines(path, ordered);
    for (const { step } of kept.values()) this.#inspected.add(Number(step));
  }

  /** Keeps the run as it is now; the engine lets us in before the next step begins. */
  #keepBest({ step, sampledAccuracy, meanReward }: EvaluationRecord): void {
    this.#best = { step, accuracy: sampledAccuracy, meanReward, path: step === 0 ? null : checkpointPath(this.#folder, "best") };
    // The start follows from the configuration.
    if (step === 0) return;
    const asked = this.#engine().ask({ type: "export-save" });
    // One after another, and of several that wait the newest alone.
    this.#keeping = this.#keeping.then(async () => {
      const { bytes } = await asked;
      if (this.#best?.step === step) await writeWhole(checkpointPath(this.#folder, "best"), bytes);
    });
    this.#track(this.#keeping);
  }

  /** Resolves when everything that was told is written, or could not be. */
  async written(): Promise<void> {
    for (let work = this.#pending.shift(); work; work = this.#pending.shift()) await work;
    await this.#inspecting;
  }

  /** The same once a run has ended, with the conversations of its last step. */
  async finish(): Promise<void> {
    const last = this.#recorded?.steps.at(-1)?.step ?? 0;
    if (last > 0) this.#inspect(last);
    await this.written();
    this.#logs.end();
    // The last step of an earlier process was the last of nothing in the end.
    if (this.#isOrdered) await this.#pruneConversations(last);
  }
}
