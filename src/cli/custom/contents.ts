// Where the command line finds data that a configuration names by its SHA-256: beside the configuration, in the folder of a run,
// or in the file that brought it. Each is lines of JSON, SHA256.jsonl, and has the hash of its name or is refused.
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunConfig } from "../../protocol/config.ts";
import { InputError } from "../../protocol/problems.ts";
import type { ContentReader } from "../../rl/tasks/custom/world.ts";
import { hashOf } from "../../train/save/parts.ts";
import type { SaveFiles } from "../../train/save/readSave.ts";
import { dataFiles, dataNeeded } from "../../train/save/rollout/heldData.ts";
import { type RunFolder, writeWhole } from "../folder/runFolder.ts";
import { codeOf, fileError } from "../lab/exit.ts";

/** In a run's folder. */
const FOLDER = "data";

async function readAt(path: string, name: string): Promise<Uint8Array | null> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await readFile(path));
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null;
    throw fileError("read", path, error);
  }
  if (hashOf(bytes) !== name) throw new Error(`${path} was changed: its SHA-256 is not its name`);
  return bytes;
}

/** Data in these folders, or in their folders "data"; first what was brought. */
export function contentsIn(folders: readonly string[], brought: ReadonlyMap<string, Uint8Array> = new Map()): ContentReader {
  return {
    async read(name) {
      const here = brought.get(name);
      if (here) return here;
      for (const folder of folders)
        for (const path of [join(folder, `${name}.jsonl`), join(folder, FOLDER, `${name}.jsonl`)]) {
          const bytes = await readAt(path, name);
          if (bytes) return bytes;
        }
      return null;
    },
  };
}

/** Throws a sentence that says what to do where data is missing that a configuration needs. */
export async function checkData(config: RunConfig, contents: ContentReader, folder: string): Promise<void> {
  const data = dataNeeded(config);
  if (!data || (await contents.read(data.sha256))) return;
  const field = `customTasks.${config.task}.data`;
  const message = `${field}: the data "${data.name}" is not here: put it at ${join(folder, FOLDER, `${data.sha256}.jsonl`)}, or bring the task with it as one file that the page saves (task: ./${config.task}.ts)`;
  throw new InputError([{ field, message }]);
}

/** Puts the data that a run trains on into its folder, so that the folder is whole by itself. */
export async function putData(files: SaveFiles, folder: string): Promise<void> {
  for (const [name, bytes] of files) {
    await mkdir(join(folder, FOLDER), { recursive: true });
    await writeWhole(join(folder, `${name}.jsonl`), bytes);
  }
}

/** The same for a run that has begun. */
export async function keepData(
  { recorded, hasBegun }: { readonly recorded: { readonly config: RunConfig }; readonly hasBegun: boolean },
  { contents }: { readonly contents?: ContentReader },
  { path }: RunFolder,
): Promise<void> {
  if (hasBegun) await putData(await dataFiles(recorded.config, contents), path);
}
