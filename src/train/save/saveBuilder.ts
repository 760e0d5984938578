// What to write next of a run: after the first, whole write only what is new. Small files of the log are
// merged once they are some 64 KB together, so that an hour has hundreds of files and not thousands; when
// the log has grown far past the thinned history in memory it is written anew from there.

import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { MOST_STEPS } from "../../protocol/records.ts";
import type { RunParent } from "../../protocol/run/runSummary.ts";
import { isArray, type SaveChange } from "../host.ts";
import { type Checkpoint, type CheckpointHeader, packCheckpoint } from "./checkpointFiles.ts";
import { type KeptHeader, type KeptReason, sizesOfKept, withKept } from "./kept/keptCheckpoints.ts";
import type { KeptNews } from "./kept/keptSteps.ts";
import { encodeLog, LOG_FOLDER, type LogSpan, logName } from "./log/logFile.ts";
import { encodeManifest, liveSettingsOf, MANIFEST } from "./manifest.ts";
import type { RunLog, SavedState } from "./savedState.ts";

const MERGED_BYTES = 64 * 1024;
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

interface LogPart extends LogSpan {
  readonly bytes: number;
  readonly log: RunLog;
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

function joined(logs: readonly RunLog[]): RunLog {
  return {
    steps: logs.flatMap(({ steps }) => steps),
    evaluations: logs.flatMap(({ evaluations }) => evaluations),
    baselines: logs.flatMap(({ baselines }) => baselines),
    probes: logs.flatMap(({ probes }) => probes),
  };
}

export type Files = Pick<SaveChange, "put" | "removed" | "stays">;

const filesIn = (header: CheckpointHeader | null): readonly string[] => header?.arrays.map(({ file }) => file) ?? [];

interface Change {
  readonly put: Map<string, Uint8Array>;
  readonly removed: string[];
}

function newChange(): Change {
  return { put: new Map(), removed: [] };
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
  readonly #hashes = new Map<string, string>();
  #sizes = new Map<string, number>();
  #writes = 0;
  #logged = 0;
  /** The newest files of the log, as long as they are small. */
  #tail: LogPart[] = [];

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
    let bytes = 0;
    for (const size of this.#sizes.values()) bytes += size;
    return bytes;
  }

  /** Size of the arrays of the last checkpoint. */
  get checkpointBytes(): number {
    let bytes = 0;
    for (const { length, kind } of this.#checkpoint?.arrays ?? []) bytes += length * (kind === "float64" ? 8 : 4);
    return bytes;
  }

  /** The last write is stored: what it named is there. */
  stored(): void {
    this.#storedCheckpoints = this.#keptCheckpoints;
  }

  /** The whole save, from nothing but kept checkpoints that are stored, which stay where they are. The checkpoint may be null only before the first step is done. */
  whole({ config, checkpoint, kept, keeps }: Pick<News, "config" | "checkpoint" | "keeps"> & { readonly kept: SaveChange["put"] }): Files {
    this.#sizes = new Map();
    this.#checkpoint = null;
    this.#keptCheckpoints = this.#storedCheckpoints;
    this.#writes = 0;
    const change = newChange();
    this.#describe(config, checkpoint, change, keeps);
    this.#writeLogAnew(change);
    for (const [name, file] of kept) change.put.set(name, file);
    this.#note(change);
    const stays = [...this.#keptFiles()].filter((name) => !change.put.has(name));
    for (const [name, size] of sizesOfKept(this.#keptCheckpoints)) this.#sizes.set(name, size);
    return { put: change.put, removed: "all others", ...(stays.length > 0 ? { stays } : {}) };
  }

  /** What has changed since the last write. */
  next({ config, log, checkpoint, kept, keeps }: News): Files {
    const change: Change = { put: new Map(kept.put), removed: [...kept.removed] };
    if (checkpoint || config !== this.#config) this.#describe(config, checkpoint, change, keeps);
    this.#logged += log.steps.length;
    if (this.#logged > MOST_LOGGED) this.#writeLogAnew(change);
    else if (hasRecords(log)) this.#append(log, change);
    this.#note(change);
    return change;
  }

  #note({ put, removed }: Change): void {
    for (const name of removed) this.#sizes.delete(name);
    for (const [name, { length }] of put) this.#sizes.set(name, length);
  }

  /** The manifest, and the files of a new checkpoint in the place of the last one's. */
  #describe(config: RunConfig, taken: TakenCheckpoint | null, { put, removed }: Change, keeps: readonly KeptTaken[] = []): void {
    this.#config = config;
    const before = new Set([...this.#keptFiles(), ...filesIn(this.#checkpoint)]);
    const pack = (checkpoint: TakenCheckpoint) => {
      const packed = packCheckpoint(checkpoint, this.#checkpoint, this.#hashes);
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
    const beside = {
      ...(this.#parent ? { parent: this.#parent } : {}),
      ...(this.#backend ? { backend: this.#backend } : {}),
      ...(this.#keptCheckpoints.length > 0 ? { checkpoints: this.#keptCheckpoints } : {}),
    };
    put.set(MANIFEST, encodeManifest({ runId: this.#runId, config, settings: this.#settings, checkpoint: this.#checkpoint, ...beside }));
  }

  #keptFiles(): ReadonlySet<string> {
    return new Set(this.#keptCheckpoints.flatMap(({ header }) => filesIn(header)));
  }

  #append(log: RunLog, { put, removed }: Change): void {
    const span = { from: this.#writes, to: this.#writes };
    this.#writes += 1;
    const file = encodeLog(this.#runId, span, log);
    const [first, ...others] = this.#tail;
    const tailBytes = this.#tail.reduce((sum, { bytes }) => sum + bytes, 0);
    if (first && tailBytes + file.length >= MERGED_BYTES) {
      const merged = joined([...this.#tail.map((part) => part.log), log]);
      // Takes the place of the first file, whose name it has.
      put.set(logName(first), encodeLog(this.#runId, { from: first.from, to: span.to }, merged));
      for (const other of others) removed.push(logName(other));
      this.#tail = [];
      return;
    }
    put.set(logName(span), file);
    if (file.length < MERGED_BYTES) this.#tail.push({ ...span, bytes: file.length, log });
  }

  #writeLogAnew({ put, removed }: Change): void {
    const span = { from: 0, to: this.#writes };
    this.#writes += 1;
    for (const name of this.#sizes.keys()) if (name.startsWith(LOG_FOLDER) && name !== logName(span)) removed.push(name);
    put.set(logName(span), encodeLog(this.#runId, span, this.#history));
    this.#tail = [];
    this.#logged = this.#history.steps.length;
  }
}
