// Checkpoints that a save keeps beside its last one: every so many steps, and the best by evaluation. They are what forks begin at,
// so the run can do without any of them: one whose files are damaged or gone is left out. Within their room they are thinned
// evenly, by the rule that thins the metrics, and the best goes last.
import type { LiveSettings } from "../../../protocol/config/configFacts.ts";
import type { EvaluationRecord } from "../../../protocol/records.ts";
import { thinnedIndices } from "../../../protocol/run/thinned.ts";
import { z } from "../../../protocol/zod.ts";
import { bytesOfArray, type Checkpoint, type CheckpointHeader, checkpointSchema, readCheckpoint } from "../checkpointFiles.ts";

/** Why a checkpoint is kept. */
export type KeptReason = "every" | "best";

export const keptCheckpointSchema = z.strictObject({
  header: checkpointSchema,
  settings: z.record(z.string(), z.unknown()),
  why: z
    .array(z.enum(["every", "best"]))
    .min(1)
    .max(2),
});

/** A kept checkpoint as the manifest names it. */
export interface KeptHeader {
  readonly header: CheckpointHeader;
  /** Live settings in force there. */
  readonly settings: LiveSettings;
  readonly why: readonly KeptReason[];
}

/** A kept checkpoint of a save that was read; what is in its files is read when somebody goes on from it. */
export interface KeptCheckpoint extends KeptHeader {
  /** Rejects with a sentence where its files are not as they should be. */
  read(): Promise<Checkpoint>;
}

/** Arrays of a save, read when somebody wants them. */
export interface StoredArrays {
  has(file: string, bytes: number): boolean;
  read(files: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}

/** Those among files that are in memory. */
export function arraysAmong(files: ReadonlyMap<string, Uint8Array>): StoredArrays {
  return { has: (file, bytes) => files.get(file)?.length === bytes, read: async () => files };
}

/** The bytes that checkpoints take together; an array that several have lies there once. */
export function bytesOfHeaders(headers: readonly CheckpointHeader[]): number {
  const sizes = new Map(headers.flatMap(({ arrays }) => arrays.map((array) => [array.file, bytesOfArray(array)] as const)));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

export const bytesOfKept = (kept: readonly KeptHeader[]): number => bytesOfHeaders(kept.map(({ header }) => header));

/** Why the weights after a step are to be kept; its evaluation, if it was due, is over. */
export function keptReasons(
  step: number,
  { checkpointEvery, keepBest }: { readonly checkpointEvery: number; readonly keepBest: boolean },
  evaluations: readonly EvaluationRecord[],
): readonly KeptReason[] {
  const isEvery = checkpointEvery > 0 && step > 0 && step % checkpointEvery === 0;
  const last = evaluations.at(-1);
  const isBest =
    keepBest &&
    step > 0 &&
    last?.step === step &&
    evaluations.every((each) => each === last || each.sampledAccuracy < last.sampledAccuracy);
  return [...(isEvery ? (["every"] as const) : []), ...(isBest ? (["best"] as const) : [])];
}

/** Those that stay once another has come: one best, and as many as have room. */
export function withKept(before: readonly KeptHeader[], added: KeptHeader, mostBytes: number): readonly KeptHeader[] {
  const earlier = before.flatMap((each) => {
    if (each.header.step === added.header.step) return [];
    const why = added.why.includes("best") ? each.why.filter((reason) => reason !== "best") : each.why;
    return why.length > 0 ? [{ ...each, why }] : [];
  });
  let kept = [...earlier, added].sort((a, b) => a.header.step - b.header.step);
  while (kept.length > 0 && bytesOfKept(kept) > mostBytes) {
    const spare = kept.filter(({ why }) => !why.includes("best"));
    const stays = spare.length < 3 ? spare.slice(1) : thinnedSpare(spare);
    kept = spare.length === 0 ? [] : kept.filter((each) => each.why.includes("best") || stays.includes(each));
  }
  return kept;
}

/** Those to hold in memory where storage fails: the newest, and the newest best before them. */
export function fewestOf<K extends { readonly why: readonly KeptReason[] }>(waiting: readonly K[], most: number): readonly K[] {
  const best = waiting.findLastIndex(({ why }) => why.includes("best"));
  return waiting.filter((_, i) => i === best || i >= waiting.length - most);
}

function thinnedSpare(spare: readonly KeptHeader[]): readonly KeptHeader[] {
  const steps = spare.map(({ header }) => header.step);
  const indices = thinnedIndices(steps, spare.length - 1);
  const stays = indices ? indices.map((i) => spare[i]!) : spare.slice(1);
  return stays.length < spare.length ? stays : spare.slice(1);
}

/** The kept checkpoints of a save whose files are there. */
export function readKeptCheckpoints(headers: readonly KeptHeader[], stored: StoredArrays): readonly KeptCheckpoint[] {
  return headers
    .filter(({ header }) => header.arrays.every((array) => stored.has(array.file, bytesOfArray(array))))
    .map((each) => ({
      ...each,
      read: async () => readCheckpoint(each.header, await stored.read(each.header.arrays.map(({ file }) => file))),
    }));
}

/** The last of these places at or before a step that can be read; null where there is none. */
export async function nearestKept(
  kept: readonly KeptCheckpoint[],
  step: number,
): Promise<{ readonly checkpoint: Checkpoint; readonly settings: LiveSettings } | null> {
  for (const each of kept.toReversed()) {
    if (each.header.step > step) continue;
    try {
      return { checkpoint: await each.read(), settings: each.settings };
    } catch {
      // An earlier one, or the start, gives the same steps.
    }
  }
  return null;
}
