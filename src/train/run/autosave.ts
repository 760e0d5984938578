// Keeps a run as it goes on. What is recorded is appended to the save's log a few times a second, and a
// step is told only once it is kept, or once it is said that nothing is. Weights are written seldom, since
// the steps after a checkpoint can be taken again from it, to the bit. Storage that fails or does not answer
// never stops the run: it is tried again, and the whole save is then written anew.
import type { StepRecord } from "../../protocol/records.ts";
import type { Clock, OpenSave, RunStore } from "../host.ts";
import type { Log } from "../save/saveBuilder.ts";
import { ANSWER_MS, answers, SaveWriter } from "../save/storage.ts";
import type { ActiveRun } from "../start/start.ts";
import { CheckpointDue } from "./keep/checkpointDue.ts";
import { Keeping } from "./keep/keeping.ts";
import { checkpointOf } from "./keep/takenCheckpoint.ts";
import { Unsaved } from "./keep/unsaved.ts";

/** Shortest time between two writes of the log. */
const APPEND_EVERY_MS = 250;
/** The longest that training waits for storage between two steps, or before it begins. */
const MOMENT_MS = 500;
/** A step that took so long is kept before the next one begins; writing each of shorter ones would cost them much. */
const KEPT_FROM_MS = 100;
/** The largest share of a step's time that the next one waits for it to be kept, so that what ends a run costs at most a step. */
const KEPT_SHARE = 0.25;

const SAVING_IS_OFF = "Saving is switched off for this run: “Autosave every” is 0.";

interface AutosaveSignals {
  /** Steps up to this one may be told. */
  onStored(step: number): void;
  /** Why nothing is saved, in a sentence; null when it is again. */
  onStorage(reason: string | null): void;
  /** The save now ends at this step and has so many bytes in all. */
  onSaved(step: number, bytes: number): void;
  /** Whether the run stands still between two steps. */
  isAtRest(): boolean;
}

/** The saving of one run; owned state. */
export class Autosave {
  readonly #run: ActiveRun;
  readonly #clock: Clock;
  readonly #signals: AutosaveSignals;
  readonly #unsaved: Unsaved;
  readonly #keeping: Keeping;
  readonly #due: CheckpointDue;
  /** Null where nothing is saved, or not any more. */
  #writer: SaveWriter | null = null;
  #taking: Promise<void> | null = null;
  #writing: Promise<void> | null = null;
  #isScheduled = false;
  #mayWriteAt = Number.NEGATIVE_INFINITY;
  /** Training since the last step. */
  #stepMs = 0;

  /** @param save the run's save where this engine has it already. */
  constructor(
    run: ActiveRun,
    { clock, store }: { readonly clock: Clock; readonly store: RunStore | null },
    save: OpenSave | null,
    signals: AutosaveSignals,
  ) {
    const { config } = run.trainer;
    this.#run = run;
    this.#clock = clock;
    this.#signals = signals;
    this.#unsaved = new Unsaved(run, clock);
    this.#keeping = new Keeping(run, clock, () => this.#write(false));
    this.#due = new CheckpointDue(run);
    const onStorage = (reason: string | null) => {
      signals.onStorage(reason);
      if (reason !== null) signals.onStored(Number.POSITIVE_INFINITY);
    };
    const heard = { onStorage, onLate: () => this.#tryAgain() };
    if (store && config.autosaveEvery > 0) this.#writer = new SaveWriter(run.runId, clock, store, save, heard);
    else if (store) signals.onStorage(SAVING_IS_OFF);
    if (!this.#writer) signals.onStored(Number.POSITIVE_INFINITY);
  }

  /** A run is kept before what takes long is begun, which leaves storage few moments to answer in. */
  async begin(): Promise<void> {
    if (this.#writer) await this.#moment(MOMENT_MS);
  }

  /** Notes a record that the run has just made. */
  add<K extends keyof Log>(kind: K, record: Log[K][number]): void {
    this.#unsaved.add(kind, record);
    this.#write(false);
  }

  /** Notes a step. A long one is kept before the next one begins, if storage answers soon. */
  async addStep(record: StepRecord): Promise<void> {
    const tookMs = this.#stepMs;
    this.#stepMs = 0;
    if (this.#writer) this.#keeping.offer(record);
    this.add("steps", record);
    if (this.#writer && tookMs >= KEPT_FROM_MS) await this.#moment(Math.min(MOMENT_MS, KEPT_SHARE * tookMs));
  }

  /** The configuration has changed. */
  configured(): void {
    this.#write(false);
  }

  /** Training went on for so long. */
  worked(elapsedMs: number): void {
    this.#due.worked(elapsedMs);
    this.#stepMs += elapsedMs;
    this.#keeping.worked(elapsedMs);
  }

  /** Whether to take a checkpoint now, between two steps. */
  isCheckpointDue(): boolean {
    if (!this.#writer) return false;
    if (this.#due.reasons().length > 0) return true;
    if (this.#unsaved.hasCheckpoint) return false;
    if (this.#unsaved.isWhole) return this.#run.trainer.step > 0 && this.#writing === null && this.#clock.now() >= this.#mayWriteAt;
    return this.#due.isTime(this.#unsaved.checkpointBytes);
  }

  /** Copies all that the next step depends on, between two steps; it is written while training goes on. */
  checkpoint(): Promise<void> {
    this.#taking ??= this.#take().finally(() => {
      this.#taking = null;
    });
    return this.#taking;
  }

  async #take(): Promise<void> {
    // It may be let go of while the weights are copied.
    const writer = this.#writer;
    if (!writer) return;
    const begun = this.#clock.now();
    const why = this.#due.reasons();
    const taken = await checkpointOf(this.#run);
    this.#unsaved.take(taken, why, writer.isFailing);
    this.#due.taken(taken.trainer.step, this.#clock.now() - begun, why.length > 0);
    this.#write(true);
    // Steps can be faster than storage.
    if (this.#unsaved.isCrowded) await Promise.race([this.#writing, this.#clock.sleep(ANSWER_MS)]);
  }

  /** Resolves once nobody reads the weights for a checkpoint any more. */
  async untilTaken(): Promise<void> {
    await this.#taking;
  }

  /** Resolves when what was recorded is kept, or cannot be soon; a run between two steps keeps what would be long to repeat, too. */
  async rest(isBetweenSteps: boolean): Promise<void> {
    if (isBetweenSteps && this.#writer) await this.#keeping.rest();
    this.#unsaved.rest();
    const isLong = this.#unsaved.isWhole ? this.#run.trainer.step > 0 : this.#due.isLongToRepeat;
    if (isBetweenSteps && isLong && !this.#writer?.isFailing) await this.checkpoint();
    if (this.#writer) await answers(ANSWER_MS, this.#clock, this.stored());
  }

  /** Gives storage a moment to keep what was recorded. */
  async #moment(limitMs: number): Promise<void> {
    await Promise.race([this.stored(), this.#clock.sleep(limitMs)]);
  }

  /** Resolves when all that was recorded by now is stored, as far as it can be, or when storage fails. */
  async stored(): Promise<void> {
    // A checkpoint that is being copied belongs to what is to be stored; where copying fails, whoever asked for it hears so.
    await this.#taking?.catch(() => {});
    // A write that is under way may lack some of it, and the next one has it all: steps can be faster than storage, so that
    // whoever waited until nothing is left of a run that goes on would wait for ever.
    for (let writes = 0; this.#writer && !this.#writer.isFailing && (writes < 2 || this.#signals.isAtRest()); writes++) {
      this.#write(true);
      const writing = this.#writing;
      if (!writing) return;
      if (!(await answers(ANSWER_MS, this.#clock, writing))) return;
    }
  }

  /** Ends the saving; what it holds of the store goes to whoever saves the run next. */
  release(): OpenSave | null {
    const writer = this.#writer;
    this.#writer = null;
    return writer?.release() ?? null;
  }

  /** Stores what was recorded, and gives the run up for other tabs. */
  async close(): Promise<void> {
    await this.stored();
    this.release()?.close();
  }

  /** Deletes the save and ends the saving. */
  async remove(): Promise<void> {
    const writer = this.#writer;
    this.#writer = null;
    await Promise.race([this.#writing, this.#clock.sleep(ANSWER_MS)]);
    await writer?.remove();
  }

  /** Writes what there is to write, as soon as it may; an urgent write need not wait for its turn, only for a pause after failures. */
  #write(isUrgent: boolean): void {
    const writer = this.#writer;
    if (!writer || this.#writing || !(writer.isFailing || this.#unsaved.isAny)) return;
    const waitMs = this.#mayWriteAt - this.#clock.now();
    if (waitMs > 0 && (writer.isFailing || !isUrgent)) {
      this.#schedule(waitMs);
      return;
    }
    if (!this.#unsaved.isAny) {
      // The whole save needs a place between two steps, where the run may stand the next time.
      this.#schedule(writer.pauseMs);
      return;
    }
    this.#writing = this.#writeNow(writer).finally(() => {
      this.#writing = null;
      this.#write(false);
    });
  }

  #schedule(waitMs: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    void this.#clock.sleep(waitMs).then(() => this.#tryAgain());
  }

  async #tryAgain(): Promise<void> {
    this.#isScheduled = false;
    this.#mayWriteAt = Number.NEGATIVE_INFINITY;
    // A run that stands still has no step after which a checkpoint would be taken.
    if (this.#writer && this.#unsaved.isWhole && !this.#unsaved.hasCheckpoint && this.#signals.isAtRest())
      await this.checkpoint().catch(() => {});
    this.#write(false);
  }

  async #writeNow(writer: SaveWriter): Promise<void> {
    let step = 0;
    const isStored = await writer.write(() => {
      step = this.#run.steps.at(-1)?.step ?? 0;
      return this.#unsaved.next(step);
    });
    this.#mayWriteAt = this.#clock.now() + (isStored ? APPEND_EVERY_MS : writer.pauseMs);
    if (!isStored) return this.#unsaved.failed();
    this.#unsaved.stored();
    this.#signals.onStored(step);
    this.#signals.onSaved(step, this.#unsaved.bytes);
  }
}
