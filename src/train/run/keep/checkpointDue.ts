// When the weights of a run that goes on are worth writing: once going on from the last checkpoint would repeat much, and as
// long as taking checkpoints costs little beside training.
import { type KeptReason, keptReasons } from "../../save/kept/keptCheckpoints.ts";
import type { ActiveRun } from "../../start/start.ts";

/** A checkpoint is due once so much training would have to be repeated: the longer, the more bytes it has. */
const BYTES_PER_MS = 128;
const EVERY_MS = { least: 5_000, most: 60_000 } as const;
/** The largest share of the time that taking checkpoints may take. */
const CHECKPOINT_SHARE = 0.05;
/** Training that is worth a checkpoint where the run stands still. */
const REST_WORK_MS = 1_000;

/** Training between two checkpoints of so many bytes. */
function checkpointEveryMs(bytes: number): number {
  return Math.min(EVERY_MS.most, Math.max(EVERY_MS.least, bytes / BYTES_PER_MS));
}

/** What has been trained since the last checkpoint of a run, and what that one cost; owned state. */
export class CheckpointDue {
  readonly #run: ActiveRun;
  #workedMs = 0;
  #tookMs = 0;
  #step: number;
  #keptStep: number;

  constructor(run: ActiveRun) {
    this.#run = run;
    this.#step = run.trainer.step;
    this.#keptStep = run.trainer.step;
  }

  /** Training went on for so long. */
  worked(elapsedMs: number): void {
    this.#workedMs += elapsedMs;
  }

  /** A checkpoint of this step was taken, which took so long; @param isKept it stays beside the last one. */
  taken(step: number, tookMs: number, isKept: boolean): void {
    this.#step = step;
    this.#tookMs = tookMs;
    this.#workedMs = 0;
    if (isKept) this.#keptStep = step;
  }

  /** Why the weights after the last step are to be kept, where they are not yet. */
  reasons(): readonly KeptReason[] {
    const { step, config } = this.#run.trainer;
    return this.#keptStep === step ? [] : keptReasons(step, config, this.#run.evaluations);
  }

  /** Whether repeating what was trained would take long, where the run stands still. */
  get isLongToRepeat(): boolean {
    return this.#workedMs > REST_WORK_MS;
  }

  /** Whether it is time for the next. @param lastBytes of the last one; 0 before the first. */
  isTime(lastBytes: number): boolean {
    const { trainer, model } = this.#run;
    // The first has weights and two moments, the table's of 64 bits.
    const { kind, trained } = model.report;
    const bytes = lastBytes || 3 * trained * (kind === "tabular" ? 8 : 4);
    return (
      this.#workedMs >= Math.max(checkpointEveryMs(bytes), this.#tookMs / CHECKPOINT_SHARE) &&
      trainer.step - this.#step >= trainer.config.autosaveEvery
    );
  }
}
