// From the files of a save to the state of its run. Everything is checked, since files can be old, cut
// short, flipped or another run's: what is wrong is said, and nothing is trained on it. Files of kept rollouts, on which
// nothing is trained anyway, are left out where they are not as they should be.
import { MOST_EVALUATIONS, MOST_STEPS, thinned } from "../../protocol/records.ts";
import { readCheckpoint } from "./checkpointFiles.ts";
import { readKeptCheckpoints } from "./kept/keptCheckpoints.ts";
import { readKept } from "./kept/lostSteps.ts";
import { decodeLog, LOG_FOLDER } from "./logFile.ts";
import { decodeManifest, MANIFEST } from "./manifest.ts";
import { checkAscending, lastStep, type RunLog, type SavedState } from "./savedState.ts";
import { readVersion1, VERSION_1 } from "./version1.ts";

export type SaveFiles = ReadonlyMap<string, Uint8Array>;

function readLog(files: SaveFiles, runId: string): RunLog {
  const names = [...files.keys()].filter((name) => name.startsWith(LOG_FOLDER)).sort();
  const parts = names.map((name) => decodeLog(files.get(name)!, name, runId));
  let next = 0;
  for (const [i, { from, to }] of parts.entries()) {
    if (from !== next || to < from) throw new Error(`the log must go on with write ${next}, but ${names[i]} covers ${from} to ${to}`);
    next = to + 1;
  }
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
function inBounds(state: SavedState): SavedState {
  const { steps, evaluations } = state;
  return { ...state, steps: thinned(steps, MOST_STEPS), evaluations: thinned(evaluations, MOST_EVALUATIONS) };
}

/** Reads a save of any version; throws a sentence that says what is wrong with it. */
export function readSave(runId: string, files: SaveFiles): SavedState {
  const version1 = files.get(VERSION_1);
  if (version1) return inBounds(readVersion1(version1));
  const manifest = files.get(MANIFEST);
  if (!manifest) throw new Error(`the save has no file ${MANIFEST}`);
  const { config, settings, checkpoint: header, parent, checkpoints: headers = [] } = decodeManifest(manifest, runId);
  const history = { ...readLog(files, runId), ...readKept(files, runId) };
  const checkpoint = header && readCheckpoint(header, files);
  const checkpoints = readKeptCheckpoints(headers, files);
  const beside = { ...(parent ? { parent } : {}), ...(checkpoints.length > 0 ? { checkpoints } : {}) };
  const state = { config, settings, checkpoint, ...beside, ...history };
  const recorded = history.steps.at(-1)?.step ?? 0;
  if (recorded !== lastStep(state)) throw new Error(`the log ends at step ${recorded}, before its checkpoint at step ${header?.step}`);
  return inBounds(state);
}
