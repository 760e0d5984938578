// Saves as a run writes them, from a state that a test makes up.

import { digestOf } from "../../src/rl/summary/digest.ts";
import { KeptSteps } from "../../src/train/save/kept/keptSteps.ts";
import type { SaveFiles } from "../../src/train/save/readSave.ts";
import { SaveBuilder } from "../../src/train/save/saveBuilder.ts";
import { lastStep, type SavedState } from "../../src/train/save/savedState.ts";
import type { MemorySave } from "./memoryStore.ts";

/** The files of a save written at once. */
export function filesOf(runId: string, state: SavedState): SaveFiles {
  const { config, settings, checkpoint } = state;
  const builder = new SaveBuilder(runId, state, { ...config, ...settings });
  return builder.whole({ config, checkpoint: checkpoint && { ...checkpoint, settings }, kept: new KeptSteps(state.kept).files() }).put;
}

/** A save as a store holds it. */
export function saveOf(runId: string, state: SavedState): MemorySave {
  const files = filesOf(runId, state);
  const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  return { summary: { runId, step: lastStep(state), savedAt: 1, bytes, digest: digestOf(state) }, files };
}
