// Data of a custom task within a save that leaves its store: the lines that the configuration names by their SHA-256,
// as the file "data/SHA256". A store keeps none of it in its saves, since what names it finds it there anyway.
import type { RunConfig } from "../../../protocol/config.ts";
import type { OwnData } from "../../../protocol/custom/customTasks.ts";
import { orElse } from "../../../protocol/problems.ts";
import type { ContentReader } from "../../../rl/tasks/custom/world.ts";
import { decodeManifest, MANIFEST } from "../manifest.ts";
import { hashOf } from "../parts.ts";
import type { SaveFiles } from "../readSave.ts";
import { DATA_FOLDER } from "./packedFiles.ts";

/** The data that a run trains on and does not hold itself; null where it needs none. */
export function dataNeeded({ task, customTasks }: Pick<RunConfig, "task" | "customTasks">): OwnData | null {
  return (Object.hasOwn(customTasks, task) && customTasks[task]?.data) || null;
}

/** The file of a run's data, where it has any and it is there. */
export async function dataFiles(config: Pick<RunConfig, "task" | "customTasks">, contents: ContentReader | undefined): Promise<SaveFiles> {
  const data = dataNeeded(config);
  const bytes = data && (await contents?.read(data.sha256).catch(() => null));
  return new Map(data && bytes ? [[`${DATA_FOLDER}${data.sha256}`, bytes]] : []);
}

/** The data in a save's files by its SHA-256. Throws a sentence where it was changed. */
export function dataIn(files: SaveFiles): ReadonlyMap<string, Uint8Array> {
  const found = [...files]
    .filter(([name]) => name.startsWith(DATA_FOLDER))
    .map(([name, bytes]) => [name.slice(DATA_FOLDER.length), bytes] as const);
  const changed = found.find(([name, bytes]) => hashOf(bytes) !== name);
  if (changed) throw new Error(`${DATA_FOLDER}${changed[0].slice(0, 12)} was changed: its SHA-256 is not its name`);
  return new Map(found);
}

/** A save without the data in it. */
export function withoutData(files: SaveFiles): SaveFiles {
  return new Map([...files].filter(([name]) => !name.startsWith(DATA_FOLDER)));
}

/** The files of a save that leaves its store, with the data it trains on; one that cannot be read leaves as it is. */
export async function withData(runId: string, files: SaveFiles, contents: ContentReader | undefined): Promise<SaveFiles> {
  const manifest = files.get(MANIFEST);
  if (!manifest) return files;
  const read = orElse(() => decodeManifest(manifest, runId), null);
  return read ? new Map([...files, ...(await dataFiles(read.config, contents))]) : files;
}

/** The files of a save that comes, without the data in it, which is kept under its hash. Rejects with a sentence where it was changed. */
export async function keptApart(files: SaveFiles, contents: ContentReader | undefined): Promise<SaveFiles> {
  for (const [name, bytes] of dataIn(files)) await contents?.keep?.(name, bytes);
  return withoutData(files);
}
