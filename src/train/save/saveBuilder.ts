// What to write next of a run: after the first, whole write only what is new, and the manifest. The newest file of
// the log is written again with what came until it has some 64 KB, so that an hour has hundreds of files and not thousands;
// when the log has grown far past the thinned history in memory it is written anew from there.

import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { RunParent } from "../../protocol/run/runSummary.ts";
import { MOST_STEPS } from "../../protocol/run/thinned.ts";
import { isArray, type SaveChange } from "../host.ts";
import { bytesOfArray, type Checkpoint, type CheckpointHeader, packCheckpoint } from "./checkpointFiles.ts";
import { bytesOfHeaders, type KeptHeader, type KeptReason, withKept } from "./kept/keptCheckpoints.ts";
import type { KeptNews } from "./kept/keptSteps.ts";
import { encodeLog, LOG_FOLDER, logName } from "./log/logFile.ts";
import { encodeManifest, liveSettingsOf, MANIFEST } from "./manifest.ts";
import { factsOf, type PartFacts } from "./parts.ts";
import type { RunLog, SavedState } from "./savedState.ts";

const LARGE_BYTES = 64 * 1024;
const MOST_LOGGED = 2 * MOST_STEPS;

/** A checkpoint as it was taken, with the settings in force. */
export interface TakenCheckpoint extends Checkpoint {
  readonly settings: LiveSettings;
}

/** One that is to be kept, and why. */
export interface KeptTaken extends TakenCheckpoint {
  readonly why: readonly KeptReason[];
}

/** What is new since the last write. */
export interface News {
  readonly config: RunConfig;
  readonly log: RunLog;
  readonly checkpoint: TakenCheckpoint | null;
  /** Kept steps that have come or gone. */
  readonly kept: KeptNews;
  /** Checkpoints that are to be kept beside the last one. */
  readonly keeps?: readonly KeptTaken[];
}

/** What was recorded since some moment. */
export type Log = { -readonly [K in keyof RunLog]: RunLog[K][number][] };

export function emptyLog(): Log {
  return { steps: [], evaluations: [], baselines: [], probes: [] };
}

/** Whether anything was recorded. */
export function hasRecords({ steps, evaluations, baselines, probes }: RunLog): boolean {
  return steps.length + evaluations.length + baselines.length + probes.length > 0;
}

function joined(before: RunLog, after: RunLog): RunLog {
  return {
    steps: [...before.steps, ...after.steps],
    evaluations: [...before.evaluations, ...after.evaluations],
    baselines: [...before.baselines, ...after.baselines],
    probes: [...before.probes, ...after.probes],
  };
}

export type Files = Pick<SaveChange, "put" | "removed" | "stays">;

const filesIn = (header: CheckpointHeader | null): readonly string[] => header?.arrays.map(({ file }) => file) ?? [];

interface Change {
  readonly put: Map<string, Uint8Array>;
  readonly removed: string[];
}

/** Knows what the save of one run holds; owned state. After a write that failed it must begin anew. */
export class SaveBuilder {
  readonly #runId: string;
  /** Everything recorded so far, what was not written yet included. */
  readonly #history: RunLog;
  readonly #parent: RunParent | undefined;
  readonly #backend: SavedState["backend"];
  #settings: LiveSettings;
  #config: RunConfig | null = null;
  #checkpoint: CheckpointHeader | null = null;
  #keptCheckpoints: readonly KeptHeader[];
  /** Those of the last write that was stored. */
  #storedCheckpoints: readonly KeptHeader[];
  /** The parts of the log and of kept rollouts, as the manifest names them. */
  readonly #parts = new Map<string, PartFacts>();
  #manifestBytes = 0;
  #logged = 0;
  /** The newest file of the log: its number, and what is in it. */
  #newest = 0;
  #tail: RunLog = emptyLog();

  /** @param start the configuration before the first step. */
  constructor(runId: string, history: RunLog & Pick<SavedState, "parent" | "backend" | "checkpoints">, start: RunConfig) {
    this.#runId = runId;
    this.#parent = history.parent;
    // Of a run that goes on more is told.
    const kernelBuild = history.backend?.kernelBuild;
    this.#backend = kernelBuild ? { kernelBuild } : undefined;
    this.#keptCheckpoints = (history.checkpoints ?? []).map(({ header, settings, why }) => ({ header, settings, why }));
    this.#storedCheckpoints = this.#keptCheckpoints;
    this.#history = history;
    this.#settings = liveSettingsOf(start);
  }

  /** Size of the save after the last write. */
  get bytes(): number {
    const headers = [...this.#keptCheckpoints.map(({ header }) => header), ...(this.#checkpoint ? [this.#checkpoint] : [])];
    let bytes = this.#manifestBytes + bytesOfHeaders(headers);
    for (const part of this.#parts.values()) bytes += part.bytes;
    return bytes;
  }

  /** Size of the arrays of the last checkpoint. */
  get checkpointBytes(): number {
    return (this.#checkpoint?.arrays ?? []).reduce((sum, array) => sum + bytesOfArray(array), 0);
  }

  /** The last write is stored: what it named is there. */
  stored(): void {
    this.#storedCheckpoints = this.#keptCheckpoints;
  }

  /**
   * The whole save, from nothing but kept checkpoints that are stored, which stay where they are. The checkpoint may be
   * null only before the first step is done.
   */
  whole({ config, checkpoint, kept, keeps }: Pick<News, "config" | "checkpoint" | "keeps"> & { readonly kept: SaveChange["put"] }): Files {
    this.#parts.clear();
    this.#checkpoint = null;
    this.#keptCheckpoints = this.#storedCheckpoints;
    const change: Change = { put: new Map(), removed: [] };
    this.#addCheckpoints(config, checkpoint, change, keeps);
    this.#writeLogAnew(change);
    for (const [name, file] of kept) this.#put(name, file, change);
    this.#describe(config, change);
    const stays = [...this.#keptFiles()].filter((name) => !change.put.has(name));
    return { put: change.put, removed: "all others", ...(stays.length > 0 ? { stays } : {}) };
  }

  /** What has changed since the last write. */
  next({ config, log, checkpoint, kept, keeps }: News): Files {
    const change: Change = { put: new Map(), removed: [] };
    for (const [name, file] of kept.put) this.#put(name, file, change);
    for (const name of kept.removed) this.#remove(name, change);
    this.#addCheckpoints(config, checkpoint, change, keeps);
    this.#logged += log.steps.length;
    if (this.#logged > MOST_LOGGED) this.#writeLogAnew(change);
    else if (hasRecords(log)) this.#append(log, change);
    if (config !== this.#config || change.put.size + change.removed.length > 0) this.#describe(config, change);
    return change;
  }

  #put(name: string, file: Uint8Array, { put }: Change): void {
    put.set(name, file);
    this.#parts.set(name, factsOf(file));
  }

  #remove(name: string, { removed }: Change): void {
    removed.push(name);
    this.#parts.delete(name);
  }

  /** The files of new checkpoints in the place of the last one's. */
  #addCheckpoints(config: RunConfig, taken: TakenCheckpoint | null, { put, removed }: Change, keeps: readonly KeptTaken[] = []): void {
    const before = new Set([...this.#keptFiles(), ...filesIn(this.#checkpoint)]);
    const pack = (checkpoint: TakenCheckpoint) => {
      const packed = packCheckpoint(checkpoint, this.#checkpoint);
      for (const [name, bytes] of packed.put) put.set(name, bytes);
      this.#checkpoint = packed.header;
      this.#settings = checkpoint.settings;
      return packed.header;
    };
    for (const { why, ...each } of keeps) {
      const added = { header: pack(each), settings: each.settings, why };
      this.#keptCheckpoints = withKept(this.#keptCheckpoints, added, config.checkpointMegabytes * 1e6);
    }
    if (taken) pack(taken);
    const stays = new Set([...this.#keptFiles(), ...filesIn(this.#checkpoint)]);
    for (const name of [...before, ...put.keys()].filter((each) => isArray(each) && !stays.has(each)))
      if (!put.delete(name) || before.has(name)) removed.push(name);
  }

  #describe(config: RunConfig, { put }: Change): void {
    this.#config = config;
    const manifest = encodeManifest({
      runId: this.#runId,
      config,
      settings: this.#settings,
      checkpoint: this.#checkpoint,
      ...(this.#parent ? { parent: this.#parent } : {}),
      ...(this.#backend ? { backend: this.#backend } : {}),
      ...(this.#keptCheckpoints.length > 0 ? { checkpoints: this.#keptCheckpoints } : {}),
      parts: Object.fromEntries(this.#parts),
    });
    this.#manifestBytes = manifest.length;
    put.set(MANIFEST, manifest);
  }

  #keptFiles(): ReadonlySet<string> {
    return new Set(this.#keptCheckpoints.flatMap(({ header }) => filesIn(header)));
  }

  #append(log: RunLog, change: Change): void {
    this.#tail = joined(this.#tail, log);
    const file = encodeLog(this.#tail);
    this.#put(logName(this.#newest), file, change);
    if (file.length >= LARGE_BYTES) this.#beginFile();
  }

  #beginFile(): void {
    this.#newest += 1;
    this.#tail = emptyLog();
  }

  #writeLogAnew(change: Change): void {
    const name = logName(0);
    for (const other of [...this.#parts.keys()]) if (other.startsWith(LOG_FOLDER) && other !== name) this.#remove(other, change);
    this.#put(name, encodeLog(this.#history), change);
    this.#newest = 0;
    this.#beginFile();
    this.#logged = this.#history.steps.length;
  }
}
