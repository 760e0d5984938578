// What of a run is not stored yet, and the next write of its save: what is new since the last one, or the whole save, at first and after
// a write that failed.
import type { RunConfig } from "../../../protocol/config.ts";
import type { Clock, SaveChange } from "../../host.ts";
import { fewestOf, type KeptReason } from "../../save/kept/keptCheckpoints.ts";
import { liveSettingsOf } from "../../save/manifest.ts";
import { emptyLog, hasRecords, type KeptTaken, type Log, SaveBuilder, type TakenCheckpoint } from "../../save/saveBuilder.ts";
import type { ActiveRun } from "../../start/start.ts";
import { LiveDigest } from "./liveDigest.ts";

/** Checkpoints to be kept that wait for storage; training waits where there are more. */
const MOST_WAITING = 2;

/** What is still to be stored of one run; owned state. */
export class Unsaved {
  readonly #run: ActiveRun;
  readonly #clock: Pick<Clock, "now" | "wallTime">;
  readonly #builder: SaveBuilder;
  readonly #digest: LiveDigest;
  /** What the run had recorded as it began. */
  readonly #begun: string;
  /** Recorded since the last write. */
  #log = emptyLog();
  #taken: TakenCheckpoint | null = null;
  /** To be kept beside the last one, and not stored yet. */
  #keeps: readonly KeptTaken[] = [];
  /** Those of them that are being written. */
  #written: readonly KeptTaken[] = [];
  #isWhole = true;
  #config: RunConfig | null = null;

  constructor(run: ActiveRun, clock: Pick<Clock, "now" | "wallTime">) {
    this.#run = run;
    this.#clock = clock;
    this.#begun = this.#recorded();
    this.#builder = new SaveBuilder(run.runId, run, run.trainer.config);
    this.#digest = new LiveDigest(run);
  }

  /** Whether the next write is the whole save. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get hasCheckpoint(): boolean {
    return this.#taken !== null;
  }

  /** Whether more checkpoints wait for storage than may. */
  get isCrowded(): boolean {
    return this.#keeps.length > MOST_WAITING;
  }

  /** Size of the save, and of the arrays of its last checkpoint, after the last write. */
  get bytes(): number {
    return this.#builder.bytes;
  }
  get checkpointBytes(): number {
    return this.#builder.checkpointBytes;
  }

  /** Whether there is anything that can be written. */
  get isAny(): boolean {
    const { trainer, kept, isInherited } = this.#run;
    // From nothing, a save needs a checkpoint, which is taken between two steps.
    if (this.#isWhole) return this.#taken !== null || (trainer.step === 0 && !isInherited);
    return this.#taken !== null || trainer.config !== this.#config || hasRecords(this.#log) || kept.hasNews || this.#digest.isDue;
  }

  /** Notes a record that the run has just made. */
  add<K extends keyof Log>(kind: K, record: Log[K][number]): void {
    // The whole save is built from the run's own history.
    if (!this.#isWhole) (this.#log[kind] as Log[K][number][]).push(record);
  }

  /**
   * Takes a checkpoint in the place of the last one.
   * @param why it is to be kept beside those that follow
   * @param isFailing storage has room for few of those
   */
  take(checkpoint: TakenCheckpoint, why: readonly KeptReason[], isFailing: boolean): void {
    this.#taken = checkpoint;
    if (why.length === 0) return;
    const keeps = [...this.#keeps, { ...checkpoint, why }];
    this.#keeps = isFailing ? fewestOf(keeps, MOST_WAITING) : keeps;
  }

  /** The run comes to rest: what lists tell of it is to be true then. */
  rest(): void {
    this.#digest.rest();
  }

  /** The next write, of a run whose last recorded step is this one. */
  next(step: number): SaveChange {
    const { runId, trainer, kept } = this.#run;
    const news = { config: trainer.config, checkpoint: this.#taken, keeps: this.#keeps };
    const keptNews = kept.takeNews();
    const files = this.#isWhole
      ? this.#builder.whole({ ...news, kept: kept.files() })
      : this.#builder.next({ ...news, log: this.#log, kept: keptNews });
    this.#log = emptyLog();
    this.#written = this.#keeps;
    this.#keeps = [];
    this.#taken = null;
    this.#isWhole = false;
    this.#config = trainer.config;
    const digest = this.#digest.digestAt(this.#clock.now());
    return { ...files, summary: { runId, step, savedAt: this.#savedAt(), bytes: this.#builder.bytes, digest } };
  }

  /** The last write is stored. */
  stored(): void {
    this.#written = [];
    this.#builder.stored();
  }

  /** The last write failed, or never came about. */
  failed(): void {
    this.#isWhole = true;
    this.#keeps = fewestOf([...this.#written, ...this.#keeps], MOST_WAITING);
    this.#written = [];
  }

  /** As many records, under this configuration. */
  #recorded(): string {
    const { steps, evaluations, trainer } = this.#run;
    return `${steps.length} ${evaluations.length} ${JSON.stringify(liveSettingsOf(trainer.config))}`;
  }

  /** A run that is opened and does nothing keeps its date, though its save is written anew. */
  #savedAt(): number {
    const { savedAt } = this.#run;
    return savedAt !== undefined && this.#recorded() === this.#begun ? savedAt : this.#clock.wallTime();
  }
}
