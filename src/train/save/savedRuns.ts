// The saved runs as a session sees them: listed whenever that changes, read, taken and deleted, each
// within a time limit. A save that cannot be read is listed with its reason and harms no other.
import type { RunConfig } from "../../protocol/config.ts";
import type { EventBody, ModelFile, OpenedRun } from "../../protocol/messages.ts";
import { errorText } from "../../protocol/problems.ts";
import { paidParts } from "../../protocol/run/paidParts.ts";
import { encodeLabel, type RunLabel } from "../../protocol/run/runLabel.ts";
import type { SaveSummary } from "../../protocol/run/runSummary.ts";
import { digestOf } from "../../rl/summary/digest.ts";
import { catalog } from "../catalog.ts";
import type { Clock, Kept, OpenSave, OwnWork, RunStore, StoredSave } from "../host.ts";
import { type ImportedFile, readImported, renamedSave } from "./importedSave.ts";
import { type ReadFiles, type readRecords, readSave, readStored, readStoredRecords, type SaveFiles, WeightsGoneError } from "./readSave.ts";
import { keptApart, withData } from "./rollout/heldData.ts";
import { PLACE, packFiles, placeIn, ROLLOUT_ENDING } from "./rollout/packedFiles.ts";
import { lastStep, type SavedState } from "./savedState.ts";
import { isSameRun, summaryOf } from "./savedSummary.ts";
import { ANSWER_MS, pauseAfter, storageReason, within } from "./storage.ts";

/** Reading a large save takes longer. */
const READ_MS = 30_000;

/** The run is in another tab. */
export class TakenError extends Error {
  override readonly name = "TakenError";
}

/** What a run is planned from. */
interface RunOfSave {
  readonly config: RunConfig;
  readonly saved: SavedState;
}

/** Where saves lie and the data that they name, and a clock for how long storage may take. */
type Place = Clock & Kept & Pick<OwnWork, "contents">;

/** All saved runs; owned state. */
export class SavedRuns {
  readonly #place: Place;
  readonly #emit: (event: EventBody) => void;
  /** Saves that were found unreadable when they were opened. */
  readonly #problems = new Map<string, string>();
  /** Why nothing can be listed, and why the run that is here is not saved. */
  #listFailure: string | null = null;
  #runFailure: string | null = null;
  #lastReason: string | null = null;
  #failures = 0;
  #listings = 0;

  constructor(place: Place, emit: (event: EventBody) => void) {
    this.#place = place;
    this.#emit = emit;
  }

  /** Tells which runs are saved; where that cannot be known now, that there are none and why, and tries again. */
  async tell(): Promise<void> {
    const { store } = this.#place;
    if (!store) return;
    const listing = ++this.#listings;
    let runs: readonly SaveSummary[] = [];
    try {
      const stored = await within(ANSWER_MS, this.#place, store.list());
      runs = stored.map((save) => this.#withProblem(summaryOf(save))).sort((a, b) => b.savedAt - a.savedAt);
      this.#failures = 0;
      this.#listFailure = null;
    } catch (error) {
      this.#listFailure = storageReason(error);
      this.#retry();
    }
    // A later listing knows better.
    if (listing !== this.#listings) return;
    this.#tellFailure();
    this.#emit({ type: "saves", runs });
  }

  #withProblem(save: SaveSummary): SaveSummary {
    const problem = this.#problems.get(save.runId);
    return problem === undefined || save.config === null ? save : { ...save, config: null, problem };
  }

  #retry(): void {
    void this.#place.sleep(pauseAfter(this.#failures++)).then(() => {
      if (this.#listFailure !== null) void this.tell();
    });
  }

  /** Why the run that is here is not saved; null where it is, or where there is none. */
  runFailure(reason: string | null): void {
    this.#runFailure = reason;
    this.#tellFailure();
  }

  #tellFailure(): void {
    const reason = this.#runFailure ?? this.#listFailure;
    if (reason === this.#lastReason) return;
    this.#lastReason = reason;
    this.#emit({ type: "storage", reason });
  }

  #store(): RunStore {
    if (!this.#place.store) throw new Error("nothing is stored here: there are no saved runs");
    return this.#place.store;
  }

  async #ask<T>(limitMs: number, work: Promise<T>): Promise<T> {
    try {
      return await within(limitMs, this.#place, work);
    } catch (error) {
      throw new Error(storageReason(error), { cause: error });
    }
  }

  async #files(runId: string, isWanted?: (name: string) => boolean): Promise<SaveFiles> {
    const files = await this.#ask(READ_MS, this.#store().read(runId, isWanted));
    if (files.size > 0) return files;
    // It may have been deleted elsewhere since it was listed.
    void this.tell();
    throw new Error(`there is no saved run ${runId}`);
  }

  /** Takes a run, so that no other tab writes its save. */
  async open(runId: string): Promise<OpenSave> {
    const opening = this.#store().open(runId);
    try {
      const save = await this.#ask(READ_MS, opening);
      if (save) return save;
    } catch (error) {
      void opening.then((late) => late?.close()).catch(() => {});
      throw error;
    }
    throw new TakenError(`another tab of this browser has the run ${runId}: close it there, or go on with a copy here`);
  }

  /** Reads a save to go on from; rejects with a sentence that says what is wrong with it, which its row in the list then says too. */
  read(runId: string): Promise<SavedState> {
    return this.#readBy(runId, readStored);
  }

  /** The same to fork from, where the last weights may be missing. */
  readEarlier(runId: string): Promise<SavedState> {
    return this.#readBy(runId, (id, files) => readStored(id, files, false));
  }

  /** Reads what was recorded, and no weights; rejects as `read` does. */
  records(runId: string): Promise<ReturnType<typeof readRecords>> {
    return this.#readBy(runId, readStoredRecords);
  }

  async #readBy<T>(runId: string, way: (runId: string, read: ReadFiles) => Promise<T>): Promise<T> {
    let failure: unknown = null;
    const files: ReadFiles = (isWanted) =>
      this.#files(runId, isWanted).catch((error) => {
        failure = error;
        throw error;
      });
    try {
      return await way(runId, files);
    } catch (error) {
      // That storage failed, or that the run is gone, is no fault of the save.
      if (error === failure) throw error;
      const reason = errorText(error);
      // One that can still be opened and forked stays as it is in the list.
      if (error instanceof WeightsGoneError) throw new Error(`the saved run ${runId} cannot go on: ${reason}`, { cause: error });
      this.#problems.set(runId, reason);
      void this.tell();
      throw new Error(`the saved run ${runId} cannot be read: ${reason}`, { cause: error });
    }
  }

  /** A save as one file, readable or not. */
  async download(runId: string): Promise<ModelFile> {
    const files = await withData(runId, await this.#files(runId), this.#place.contents);
    return { name: `${runId}${ROLLOUT_ENDING}`, bytes: packFiles(files) };
  }

  /** Keeps a save that was imported, once it could be read and `check` has let its run pass. Nothing that is here is written over. */
  async add(imported: readonly ImportedFile[], check: (run: RunOfSave) => void): Promise<OpenedRun> {
    const { runId: own, files: brought } = readImported(imported);
    const named = placeIn(brought);
    const place = named === null ? {} : { place: named };
    const files = await keptApart(new Map([...brought].filter(([name]) => name !== PLACE)), this.#place.contents);
    const saved = readSave(own, files);
    check({ config: saved.config, saved });
    const taken = new Set((await this.#ask(ANSWER_MS, this.#store().list())).map(({ runId }) => runId));
    for (let number = 1; ; number++) {
      const runId = number === 1 ? own : `${own.slice(0, 90)}-${number}`;
      if (taken.has(runId)) {
        // One that cannot be read is another.
        const there = await this.read(runId).catch(() => null);
        if (there && isSameRun(there, saved)) return { runId, ...place };
        continue;
      }
      const save = await this.#ask(READ_MS, this.#store().open(runId));
      // Another tab is about to save a run of that name.
      if (!save) continue;
      try {
        await this.#writeWhole(save, runId, saved, runId === own ? files : renamedSave(files, runId));
      } finally {
        save.close();
      }
      await this.tell();
      return { runId, ...place };
    }
  }

  async #writeWhole(save: OpenSave, runId: string, saved: SavedState, put: SaveFiles): Promise<void> {
    const bytes = [...put.values()].reduce((sum, { length }) => sum + length, 0);
    const digest = digestOf({ ...saved, rewards: paidParts(saved.config, catalog) });
    const summary = { runId, step: lastStep(saved), savedAt: this.#place.wallTime(), bytes, digest };
    await this.#ask(READ_MS, save.write({ summary, put, removed: "all others" }));
  }

  /** What is stored of a run beside its files; nothing where it is not here. */
  async stored(runId: string): Promise<StoredSave | undefined> {
    const { store } = this.#place;
    if (!store) return undefined;
    return (await this.#ask(ANSWER_MS, store.list())).find((each) => each.runId === runId);
  }

  /** Writes on a run what somebody calls it. */
  async label(runId: string, label: RunLabel): Promise<void> {
    const file = Object.keys(label).length > 0 ? encodeLabel(label) : null;
    if (!(await this.#ask(ANSWER_MS, this.#store().label(runId, file)))) throw new Error(`there is no saved run ${runId}`);
    await this.tell();
  }

  async remove(runId: string): Promise<void> {
    const save = await this.open(runId);
    try {
      await this.#ask(ANSWER_MS, save.remove());
      this.#problems.delete(runId);
    } finally {
      save.close();
    }
    await this.tell();
  }
}
