// What TRL tells of a run, kept in the files of its folder. Where the run goes on, what its checkpoint does not hold is cut off:
// it comes again.
import { metricsLine } from "../../../export/writtenRun.ts";
import { isRecord } from "../../../protocol/problems.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../../../protocol/records.ts";
import { startBaseline } from "../../../train/evaluation.ts";
import { JsonLines, readLines, rewriteLines } from "../../folder/jsonLines.ts";
import { joinSteps, readRecords } from "../../folder/recordedRun.ts";
import { isStarted, pathOf, type RunFolder } from "../../folder/runFolder.ts";
import type { RunLogs } from "../runLogs.ts";

/** The records of one run; owned state. */
export class TrlRecords {
  steps: readonly StepRecord[] = [];
  evaluations: readonly EvaluationRecord[] = [];
  baselines: readonly BaselineRecord[] = [];
  /** The step that this process went on from. */
  from = 0;
  /** Why a file could not be written; null while all can. */
  failure: Error | null = null;
  readonly #folder: RunFolder;
  readonly #logs: RunLogs;
  readonly #files: Readonly<Record<"metrics" | "evaluations" | "trajectories", JsonLines>>;

  constructor(folder: RunFolder, logs: RunLogs) {
    this.#folder = folder;
    this.#logs = logs;
    const fail = (error: Error) => {
      this.failure ??= error;
    };
    const file = (name: "metrics.jsonl" | "evaluations.jsonl" | "trajectories.jsonl") => new JsonLines(pathOf(folder, name), fail);
    this.#files = { metrics: file("metrics.jsonl"), evaluations: file("evaluations.jsonl"), trajectories: file("trajectories.jsonl") };
  }

  /** Takes up what the folder has of the run. */
  async read(): Promise<void> {
    if (await isStarted(this.#folder))
      ({ steps: this.steps, evaluations: this.evaluations, baselines: this.baselines } = await readRecords(this.#folder));
  }

  baseline(record: BaselineRecord): void {
    this.baselines = [...this.baselines, record];
    this.#files.evaluations.add([{ type: "baseline", record }]);
  }

  /** One of a step that has one already is the same again, after the run went on from there. */
  evaluation(record: EvaluationRecord): void {
    if (this.evaluations.some(({ step }) => step === record.step)) return;
    if (record.step === 0 && !this.baselines.some(({ kind }) => kind === "start")) this.baseline(startBaseline(record));
    this.evaluations = [...this.evaluations, record];
    this.#files.evaluations.add([{ type: "evaluation", record }]);
  }

  step(record: StepRecord): void {
    this.steps = [...this.steps, record];
    this.#files.metrics.add([metricsLine(record)]);
    this.#logs.steps([record]);
  }

  conversations(lines: readonly unknown[]): void {
    this.#files.trajectories.add(lines);
  }

  /** Goes on from a step. @param held steps by the checkpoint, which may have been written after whoever follows it was gone */
  async goOn(from: number, held: readonly StepRecord[]): Promise<void> {
    const isKept = ({ step }: { readonly step: number }) => step <= from;
    this.from = from;
    this.steps = joinSteps(this.steps.filter(isKept), held);
    this.evaluations = this.evaluations.filter(isKept);
    await rewriteLines(pathOf(this.#folder, "metrics.jsonl"), this.steps.map(metricsLine));
    await rewriteLines(pathOf(this.#folder, "evaluations.jsonl"), [
      ...this.baselines.map((record) => ({ type: "baseline", record })),
      ...this.evaluations.map((record) => ({ type: "evaluation", record })),
    ]);
    const lines = (await readLines(pathOf(this.#folder, "trajectories.jsonl"))).filter(isRecord);
    const kept = lines.filter(({ step }) => Number(step) <= from);
    if (kept.length < lines.length) await rewriteLines(pathOf(this.#folder, "trajectories.jsonl"), kept);
    this.#logs.hear({ type: "history", runId: this.#folder.runId, steps: this.steps, evaluations: [], baselines: [], kept: [] });
  }
}
