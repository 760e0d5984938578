// From the files of a save to the state of its run. Everything is checked, since files can be old, cut
// short, flipped or another run's: what is wrong is said, and nothing is trained on it. Files of kept rollouts, on which
// nothing is trained anyway, are left out where they are not as they should be. What lies in a store is read as far as it is
// wanted: to look at a run takes its records, to go on also the arrays of its last checkpoint, and what it keeps beside
// that is read when a fork begins there.

import { MOST_EVALUATIONS, MOST_STEPS, thinned } from "../../protocol/run/thinned.ts";
import { isArray } from "../host.ts";
import { POLICY, parametersOf, readCheckpoint } from "./checkpointFiles.ts";
import { arraysAmong, readKeptCheckpoints, type StoredArrays } from "./kept/keptCheckpoints.ts";
import { readKept } from "./kept/lostSteps.ts";
import { decodeLog, LOG_FOLDER } from "./log/logFile.ts";
import { decodeManifest, MANIFEST, type Manifest } from "./manifest.ts";
import { checkedPart } from "./parts.ts";
import { checkAscending, type RunLog, type SavedRecords, type SavedState } from "./savedState.ts";

export type SaveFiles = ReadonlyMap<string, Uint8Array>;

function readLog(files: SaveFiles, facts: Manifest["parts"]): RunLog {
  const names = Object.keys(facts)
    .filter((name) => name.startsWith(LOG_FOLDER))
    .sort();
  const parts = names.map((name) => decodeLog(checkedPart(name, files.get(name), facts[name]!), name));
  const steps = parts.flatMap((part) => part.steps);
  const evaluations = parts.flatMap((part) => part.evaluations);
  const baselines = parts.flatMap((part) => part.baselines);
  const probes = parts.flatMap((part) => part.probes);
  checkAscending(steps, "the steps of the log");
  checkAscending(evaluations, "the evaluations of the log");
  checkAscending(probes, "the probes of the log");
  if (new Set(baselines.map(({ kind }) => kind)).size < baselines.length) throw new Error("the log has a baseline twice");
  return { steps, evaluations, baselines, probes };
}

/** As much of the history as a run keeps in memory. */
function inBounds<S extends SavedRecords>(state: S): S {
  const { steps, evaluations } = state;
  return { ...state, steps: thinned(steps, MOST_STEPS), evaluations: thinned(evaluations, MOST_EVALUATIONS) };
}

/** What a manifest and its log say together. */
function readParts(runId: string, files: SaveFiles) {
  const manifest = files.get(MANIFEST);
  if (!manifest) throw new Error(`the save has no file ${MANIFEST}`);
  const { config, settings, checkpoint, parent, backend, checkpoints = [], parts } = decodeManifest(manifest, runId);
  const history = { ...readLog(files, parts), ...readKept(files, { parts }) };
  const recorded = history.steps.at(-1)?.step ?? 0;
  const stepOf = checkpoint?.step ?? 0;
  if (recorded < stepOf) throw new Error(`the log ends at step ${recorded}, before its checkpoint at step ${stepOf}`);
  return {
    records: { config, settings, ...(parent ? { parent } : {}), ...(backend ? { backend } : {}), ...history },
    checkpoint,
    checkpoints,
  };
}

/**
 * Reads a save; throws a sentence that says what is wrong with it.
 * @param kept where arrays of kept checkpoints lie; among the files where left out
 * @param hasLast false where the last checkpoint is not read: its steps are taken again from an earlier one, or the start
 */
export function readSave(runId: string, files: SaveFiles, kept: StoredArrays = arraysAmong(files), hasLast = true): SavedState {
  const { records, checkpoint, checkpoints: headers } = readParts(runId, files);
  const checkpoints = readKeptCheckpoints(headers, kept);
  return inBounds({
    ...records,
    checkpoint: checkpoint && hasLast ? readCheckpoint(checkpoint, files) : null,
    ...(checkpoints.length > 0 ? { checkpoints } : {}),
  });
}

/** Reads what was recorded, from the files of a save beside its arrays; throws a sentence that says what is wrong with it. */
export function readRecords(runId: string, files: SaveFiles): SavedRecords & { readonly parameters: number } {
  const { records, checkpoint } = readParts(runId, files);
  return { ...inBounds(records), parameters: checkpoint?.arrays.find(({ name }) => name === POLICY)?.length ?? 0 };
}

/** The records of a save that was read whole. */
export function recordsOfSave({ checkpoint, checkpoints: _, ...records }: SavedState): ReturnType<typeof readRecords> {
  return { ...records, parameters: checkpoint ? parametersOf(checkpoint) : 0 };
}

/** Reads files of one run, those whose names are wanted; rejects where the run is gone. */
export type ReadFiles = (isWanted: (name: string) => boolean) => Promise<SaveFiles>;

const isSame = (one: Uint8Array, other: Uint8Array) => one.length === other.length && one.every((byte, i) => byte === other[i]);

/** What was recorded. */
export async function readStoredRecords(runId: string, read: ReadFiles): Promise<ReturnType<typeof readRecords>> {
  return readRecords(runId, await read((name) => !isArray(name)));
}

function lastArrays(runId: string, files: SaveFiles): ReadonlySet<string> {
  const manifest = files.get(MANIFEST);
  return new Set(manifest && decodeManifest(manifest, runId).checkpoint?.arrays.map(({ file }) => file));
}

/** The arrays of the last checkpoint are not where the save has them, and all that was recorded is. */
export class WeightsGoneError extends Error {
  override readonly name = "WeightsGoneError";
}

const gone = (file: string) =>
  `its last weights are no longer in this browser (${file} is missing): the site's files may have been cleared. What it recorded is here: it can be opened, or forked, which takes its steps again`;

/**
 * The run where it stands now. Whoever writes it meanwhile may have replaced the last checkpoint: the next one is then read.
 * @param needsLast false where a run without its last weights will do
 */
export async function readStored(runId: string, read: ReadFiles, needsLast = true): Promise<SavedState> {
  for (let before: Uint8Array | null = null; ; ) {
    const names = new Set<string>();
    const files = await read((name) => {
      names.add(name);
      return !isArray(name);
    });
    const wanted = lastArrays(runId, files);
    const arrays = wanted.size > 0 ? await read((name) => wanted.has(name)) : [];
    const kept = { has: (name: string) => names.has(name), read: (some: readonly string[]) => read((name) => some.includes(name)) };
    const all = new Map([...files, ...arrays]);
    const lost = [...wanted].find((name) => !all.has(name));
    try {
      if (lost !== undefined && needsLast) throw new WeightsGoneError(gone(lost));
      return readSave(runId, all, kept, lost === undefined);
    } catch (error) {
      const manifest = files.get(MANIFEST);
      if (!manifest || (before && isSame(before, manifest))) throw error;
      before = manifest;
    }
  }
}
