// What of a run goes into its file: all of its records, the weights if they are wanted, and as many of its kept conversations as fit.
import { LABEL } from "../../host.ts";
import { KeptSteps, markedSteps } from "../kept/keptSteps.ts";
import type { SaveFiles } from "../readSave.ts";
import { SaveBuilder } from "../saveBuilder.ts";
import type { SavedState } from "../savedState.ts";
import { packFiles } from "./packedFiles.ts";

export interface RolloutChoice {
  /** Whether its weights go along. Without them the run goes on by taking its steps again from the start, to the bit. */
  readonly checkpoint: boolean;
  /** How large the file may become: conversations of steps are left out until it fits, those that say least first. */
  readonly mostBytes?: number;
  /** What somebody wrote on the run goes along. */
  readonly label?: Uint8Array;
  /** The file of the data it trains on; a recording that must be small goes without. */
  readonly data?: SaveFiles;
  /** The step whose conversations stay longest. */
  readonly shown?: number;
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

/** The kept steps that take so many bytes together at most. */
function keptWithin(saved: SavedState, most: number, shown: number | undefined): KeptSteps {
  const kept = new KeptSteps();
  const usual = markedSteps(saved.steps, saved.evaluations, saved.config);
  const marked = shown === undefined ? usual : [...usual.filter((step) => step !== shown), shown];
  for (const { step, file } of saved.kept) kept.add(step, file, most, () => marked);
  return kept;
}

/** Tries that come nearer to the bound from above: a step adds its names to its conversations. */
const TRIES = 8;

/** A run as one file. Throws a sentence where it cannot be as small as it must. @param runId the name it has there. */
export function rolloutOf(runId: string, saved: SavedState, choice: RolloutChoice): Uint8Array {
  const pack = (kept: KeptSteps) =>
    packFiles(
      new Map([
        ...filesOf(runId, saved, kept, choice),
        ...(choice.label ? [[LABEL, choice.label] as const] : []),
        ...(choice.mostBytes === undefined ? (choice.data ?? []) : []),
      ]),
    );
  const { mostBytes } = choice;
  if (mostBytes === undefined) return pack(new KeptSteps(saved.kept));
  const bare = pack(new KeptSteps());
  if (bare.length > mostBytes)
    throw new Error(`the run takes ${bare.length} bytes without its conversations, more than the ${mostBytes} it may have here`);
  let room = mostBytes - bare.length;
  for (let time = 0; time < TRIES && room > 0; time++) {
    const file = pack(keptWithin(saved, room, choice.shown));
    if (file.length <= mostBytes) return file;
    room -= Math.max(file.length - mostBytes, Math.ceil(room / 50));
  }
  return bare;
}
