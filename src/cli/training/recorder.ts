// Listens to a run and writes down what it tells: metrics, evaluations, sampled conversations and the best
// checkpoint. Files are written behind the run; the first one that cannot be is told, and the run then stops.

import type { Engine } from "../../library/startEngine.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport, EngineEvent, ModelReport } from "../../protocol/messages.ts";
import type { EvaluationRecord } from "../../protocol/records.ts";
import { MOST_EVALUATIONS, MOST_STEPS, pushThinned } from "../../protocol/records.ts";
import { JsonLines, rewriteLines } from "../folder/jsonLines.ts";
import { joinSteps, metricsLine, type RecordedRun, readRecords } from "../folder/recordedRun.ts";
import { checkpointPath, pathOf, type RunFolder, writeJson, writeWhole } from "../folder/runFolder.ts";
import { stepOfSave } from "../folder/saveFile.ts";
import { trajectoryLines } from "../folder/trajectoryLines.ts";
import type { BestCheckpoint } from "./summary.ts";

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer E)[] ? E[] : T[K] };

/** What a run came to, as far as its events say. */
export interface Recorded extends RecordedRun {
  readonly backend: BackendReport;
  readonly model: ModelReport;
  readonly continuedFrom: number;
}

/** Whether an evaluation is better than the best so far. */
function isBetter({ sampledAccuracy, meanReward }: EvaluationRecord, best: BestCheckpoint | null): boolean {
  if (!best) return true;
  const rewardOf = (reward: number | null) => reward ?? Number.NEGATIVE_INFINITY;
  return sampledAccuracy > best.accuracy || (sampledAccuracy === best.accuracy && rewardOf(meanReward) > rewardOf(best.meanReward));
}

/** The records of one run; owned state. */
export class Recorder {
  readonly #folder: RunFolder;
  readonly #engine: () => Engine;
  readonly #most: number;
  readonly #onTrouble: (error: Error) => void;
  readonly #metrics: JsonLines;
  readonly #evaluations: JsonLines;
  readonly #trajectories: JsonLines;
  readonly #notices: string[] = [];
  #recorded: Mutable<Recorded> | null = null;
  #best: BestCheckpoint | null = null;
  /** Work that has to be done before the run is over. */
  #pending: Promise<unknown>[] = [];
  readonly #inspected = new Set<number>();
  /** The best checkpoints on their way to the disk. */
  #keeping: Promise<void> = Promise.resolve();

  /** @param most conversations of one step that are written down, 0 for none. */
  constructor(folder: RunFolder, engine: () => Engine, most: number, onTrouble: (error: Error) => void) {
    this.#folder = folder;
    this.#engine = engine;
    this.#most = most;
    this.#onTrouble = onTrouble;
    [this.#metrics, this.#evaluations, this.#trajectories] = (["metrics.jsonl", "evaluations.jsonl", "trajectories.jsonl"] as const).map(
      (file) => new JsonLines(pathOf(folder, file), onTrouble),
    ) as [JsonLines, JsonLines, JsonLines];
  }

  /** Everything so far; throws where the run has not begun. */
  get recorded(): Recorded {
    if (!this.#recorded) throw new Error("internal: a run that has not begun has no records");
    return this.#recorded;
  }

  get hasBegun(): boolean {
    return this.#recorded !== null;
  }

  get best(): BestCheckpoint | null {
    return this.#best;
  }

  get notices(): readonly string[] {
    return this.#notices;
  }

  hear(event: EngineEvent): void {
    if (event.type === "started") this.#start(event.config, event.backend, event.model, event.step);
    else if (event.type === "history") this.#track(this.#reconcile(event));
    else if (event.type === "notice") this.#notices.push(event.message);
    const run = this.#recorded;
    if (!run) return;
    if (event.type === "steps") {
      for (const record of event.records) pushThinned(run.steps, record, MOST_STEPS);
      this.#metrics.add(event.records.map(metricsLine));
      this.#inspect(run.continuedFrom + 1);
    } else if (event.type === "baseline") {
      run.baselines.push(event.record);
      this.#evaluations.add([{ type: "baseline", record: event.record }]);
    } else if (event.type === "evaluation") {
      pushThinned(run.evaluations, event.record, MOST_EVALUATIONS);
      this.#evaluations.add([{ type: "evaluation", record: event.record }]);
      // Steps are told once they are stored, evaluations at once: the first step may not have been told yet.
      if (event.record.step > run.continuedFrom) for (const step of [run.continuedFrom + 1, event.record.step]) this.#inspect(step);
      if (isBetter(event.record, this.#best)) this.#keepBest(event.record);
    } else if (event.type === "settings" && event.config) {
      run.config = event.config;
      this.#track(writeJson(pathOf(this.#folder, "config.json"), event.config));
    }
  }

  #track(work: Promise<unknown>): void {
    this.#pending.push(work.catch((error: unknown) => this.#onTrouble(error instanceof Error ? error : new Error(String(error)))));
  }

  #start(config: RunConfig, backend: BackendReport, model: ModelReport, step: number): void {
    this.#recorded = { config, backend, model, continuedFrom: step, steps: [], evaluations: [], baselines: [] };
    this.#track(writeJson(pathOf(this.#folder, "config.json"), config));
  }

  /** After a crash the files may lack what the save has, or hold what came out differently: the save decides. */
  async #reconcile(history: Pick<RecordedRun, "steps" | "evaluations" | "baselines">): Promise<void> {
    const run = this.recorded;
    for (const key of ["steps", "evaluations", "baselines"] as const) (run[key] as unknown[]).push(...history[key]);
    for (const evaluation of history.evaluations) if (isBetter(evaluation, this.#best)) this.#best = await this.#foundBest(evaluation);
    const last = history.steps.at(-1)?.step ?? 0;
    const written = await readRecords(this.#folder);
    const steps = joinSteps(
      written.steps.filter(({ step }) => step <= last),
      history.steps,
    );
    await rewriteLines(pathOf(this.#folder, "metrics.jsonl"), steps.map(metricsLine));
    await rewriteLines(pathOf(this.#folder, "evaluations.jsonl"), [
      ...history.baselines.map((record) => ({ type: "baseline", record })),
      ...history.evaluations.map((record) => ({ type: "evaluation", record })),
    ]);
  }

  /** The best evaluation of a run that goes on, with its file where that is of the same step. */
  async #foundBest({ step, sampledAccuracy, meanReward }: EvaluationRecord): Promise<BestCheckpoint> {
    const path = checkpointPath(this.#folder, "best");
    const isKept = step > 0 && (await stepOfSave(path)) === step;
    return { step, accuracy: sampledAccuracy, meanReward, path: isKept ? path : null };
  }

  /** Writes down the conversations of a step while it is still kept. */
  #inspect(step: number): void {
    if (this.#most === 0 || this.#inspected.has(step)) return;
    this.#inspected.add(step);
    const asked = this.#engine().ask({ type: "inspect", step });
    // Of very fast runs a step may be gone by then; that is no fault.
    this.#track(
      asked.then(
        (groups) => this.#trajectories.add(trajectoryLines(groups, this.#most)),
        () => {},
      ),
    );
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
    for (const lines of [this.#metrics, this.#evaluations, this.#trajectories]) await lines.written();
  }

  /** The same once a run has ended, with the conversations of its last step. */
  async finish(): Promise<void> {
    const last = this.#recorded?.steps.at(-1)?.step ?? 0;
    if (last > 0) this.#inspect(last);
    await this.written();
  }
}
