// Writes the save of one run through a store that may fail or never answer: within time limits, and after
// a failure again at growing pauses. What is wrong is a standing fact, a sentence for people, told when it changes.
import { errorText } from "../../protocol/problems.ts";
import type { Clock, OpenSave, RunStore, SaveChange } from "../host.ts";

/** Nothing can be stored, for a reason that is a sentence. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}

const SENTENCES: Readonly<Record<string, string>> = {
  QuotaExceededError: "The browser's storage for this site is full. Delete saved runs to make room.",
  VersionError: "A newer version of the lab has used this browser's storage, which this version cannot read. Reload the page.",
  SecurityError: "The browser refuses to store anything for this site, as it does in some private windows.",
};

/** Why storage failed, as a sentence. */
export function storageReason(error: unknown): string {
  if (error instanceof StorageError) return error.message;
  const named = error instanceof Error ? SENTENCES[error.name] : undefined;
  return named ?? `The storage of saved runs failed: ${errorText(error)}.`;
}

/** Parts of a time limit, each of which begins once the one before was heard to end. */
const PARTS = 10;

/**
 * Whether storage has had so long to answer and has not. An engine that computes hears timers and answers late, and
 * the timers first: however long it computes, that is one part of the limit, and after it the answer can be heard.
 */
async function isLate(limitMs: number, { sleep }: Pick<Clock, "sleep">, isAnswered: () => boolean): Promise<boolean> {
  for (let part = 0; part < PARTS && !isAnswered(); part++) await sleep(limitMs / PARTS);
  return !isAnswered();
}

const notAnswered = (limitMs: number) => `The storage of saved runs has not answered for ${Math.round(limitMs / 1000)} seconds.`;

/** Whether work comes to its end within so long; resolves at its end, or when it has had so long. Rejects where the work does. */
export function answers(limitMs: number, clock: Pick<Clock, "sleep">, work: Promise<unknown>): Promise<boolean> {
  let isAnswered = false;
  const answered = work.finally(() => {
    isAnswered = true;
  });
  const late = isLate(limitMs, clock, () => isAnswered);
  return Promise.race([answered.then(() => true), late.then((isOver) => !isOver)]);
}

/** Waits so long for storage and no longer; what comes of it later is let go. */
export async function within<T>(limitMs: number, clock: Pick<Clock, "sleep">, work: Promise<T>): Promise<T> {
  if (await answers(limitMs, clock, work)) return work;
  throw new StorageError(notAnswered(limitMs));
}

/** How long storage may take before that is said, and before it is given up; a large write may take longer. */
export const ANSWER_MS = 3_000;
const WRITE_MS = 10_000;
const WRITE_BYTES_PER_MS = 10_000;

/** How long to wait before the next try. @param failures before this one */
export const pauseAfter = (failures: number): number => Math.min(60_000, 1_000 * 2 ** failures);

const IN_OTHER_TAB = "Another tab of this browser saves a run of the same name.";

function bytesOf({ put }: SaveChange): number {
  let bytes = 0;
  for (const { length } of put.values()) bytes += length;
  return bytes;
}

interface WriterSignals {
  /** Why nothing is saved, in a sentence; null when it is again. */
  onStorage(reason: string | null): void;
  /** A write that was given up has come to its end after all. */
  onLate(): void;
}

/** The way to one run's save; owned state. */
export class SaveWriter {
  readonly #runId: string;
  readonly #clock: Clock;
  readonly #store: RunStore;
  readonly #signals: WriterSignals;
  #save: OpenSave | null;
  /** Kept where it took too long: it may still come, and the run is then this engine's. */
  #opening: Promise<OpenSave | null> | null = null;
  #failures = 0;

  constructor(runId: string, clock: Clock, store: RunStore, save: OpenSave | null, signals: WriterSignals) {
    this.#runId = runId;
    this.#clock = clock;
    this.#store = store;
    this.#save = save;
    this.#signals = signals;
  }

  /** Whether the last write failed. */
  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** How long to wait before the next try. */
  get pauseMs(): number {
    return this.#failures === 0 ? 0 : pauseAfter(this.#failures - 1);
  }

  /** Makes a change once the save is open; whether it is stored. */
  async write(build: () => SaveChange): Promise<boolean> {
    let isAnswered = false;
    void isLate(ANSWER_MS, this.#clock, () => isAnswered).then((isOver) => isOver && this.#signals.onStorage(notAnswered(ANSWER_MS)));
    try {
      const save = await this.#open();
      const change = build();
      const written = save.write(change);
      await within(WRITE_MS + bytesOf(change) / WRITE_BYTES_PER_MS, this.#clock, written).catch((error) => {
        // Storage that answers after all need not be waited for any longer.
        if (error instanceof StorageError) void written.then(this.#signals.onLate, () => {});
        throw error;
      });
      this.#failures = 0;
      this.#signals.onStorage(null);
    } catch (error) {
      this.#failures += 1;
      this.#signals.onStorage(storageReason(error));
    }
    isAnswered = true;
    return this.#failures === 0;
  }

  async #open(): Promise<OpenSave> {
    this.#opening ??= this.#save ? Promise.resolve(this.#save) : this.#store.open(this.#runId);
    try {
      this.#save = await within(WRITE_MS, this.#clock, this.#opening);
    } catch (error) {
      if (!(error instanceof StorageError)) this.#opening = null;
      throw error;
    }
    if (this.#save) return this.#save;
    this.#opening = null;
    throw new StorageError(IN_OTHER_TAB);
  }

  /** Hands over what it holds; nothing must be written through it any more. */
  release(): OpenSave | null {
    const save = this.#save;
    // One that is still being opened is closed when it comes.
    if (!save) void this.#opening?.then((late) => late?.close()).catch(() => {});
    this.#save = null;
    return save;
  }

  /** Deletes the save, if this engine has it, and gives the run up. */
  async remove(): Promise<void> {
    const save = this.release();
    try {
      if (save) await within(ANSWER_MS, this.#clock, save.remove());
    } finally {
      save?.close();
    }
  }
}
