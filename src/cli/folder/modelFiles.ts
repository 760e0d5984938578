// What a path holds of a model, for programs that open it with the library: a save in one file, a run's folder, or a
// Hugging Face folder.
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ModelFile } from "../../protocol/messages.ts";
import { MODEL_FILES } from "../../train/engine/handOver.ts";

const fileAt = async (path: string): Promise<ModelFile> => ({ name: basename(path), bytes: new Uint8Array(await readFile(path)) });

/** The files that `openModel` takes, from a save, a run's folder or a Hugging Face folder. Rejects where nothing is there. */
export async function readModelFiles(path: string): Promise<readonly ModelFile[]> {
  if ((await stat(path)).isFile()) return [await fileAt(path)];
  const names = await readdir(path);
  if (names.includes("save")) return readModelFiles(join(path, "save"));
  const isModel = names.includes("model.safetensors");
  const chosen = isModel
    ? MODEL_FILES.filter((name) => names.includes(name))
    : names.filter((name) => /^(save\.json|\d+\.bin)$/.test(name));
  if (chosen.length === 0) throw new Error(`${path} holds neither a saved run nor a model: a save.json or a model.safetensors is missing`);
  return Promise.all(chosen.map((name) => fileAt(join(path, name))));
}
