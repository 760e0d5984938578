// A run as one file to hand on: all of its records with its kept conversations, and the weights if they are wanted.
import { LABEL } from "../../host.ts";
import { KeptSteps } from "../kept/keptSteps.ts";
import type { SaveFiles } from "../readSave.ts";
import { SaveBuilder } from "../saveBuilder.ts";
import type { SavedState } from "../savedState.ts";
import { PLACE, packFiles } from "./packedFiles.ts";

export interface RolloutChoice {
  /** Whether its weights go along. Without them the run goes on by taking its steps again from the start, to the bit. */
  readonly checkpoint: boolean;
  /** What somebody wrote on the run goes along. */
  readonly label?: Uint8Array;
  /** The file of the data it trains on; a recording that must be small goes without. */
  readonly data?: SaveFiles;
  /** The place on screen, which the file opens on: what stands behind "#" in the page's address. */
  readonly place?: string;
}

/** Whether a file has weights: what a run that began with another's would have to be gone on from is nowhere else. */
export const keepsCheckpoint = ({ config }: Pick<SavedState, "config">, { checkpoint }: RolloutChoice): boolean =>
  checkpoint || (config.model === "transformer" && config.startFrom === "run");

function filesOf(runId: string, saved: SavedState, kept: KeptSteps, choice: RolloutChoice): SaveFiles {
  const { config, settings } = saved;
  const checkpoint = keepsCheckpoint(saved, choice) ? saved.checkpoint : null;
  const { checkpoints: _, ...history } = saved;
  const builder = new SaveBuilder(runId, history, checkpoint ? { ...config, ...settings } : config);
  return builder.whole({ config, checkpoint: checkpoint && { ...checkpoint, settings }, kept: kept.files() }).put;
}

/** A run as one file. @param runId the name it has there. */
export function rolloutOf(runId: string, saved: SavedState, choice: RolloutChoice): Uint8Array {
  return packFiles(
    new Map([
      ...filesOf(runId, saved, new KeptSteps(saved.kept), choice),
      ...(choice.label ? [[LABEL, choice.label] as const] : []),
      ...(choice.place ? [[PLACE, new TextEncoder().encode(choice.place)] as const] : []),
      ...(choice.data ?? []),
    ]),
  );
}
