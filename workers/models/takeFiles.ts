// Keeps a model of this machine: a GGUF file, or the files of a folder, as they were dropped or chosen.
import { readStoredFolder } from "../../src/model/folder/checkpoint.ts";
import { ggufTexts } from "../../src/model/folder/ggufFolder.ts";
import { type ModelFolder, partsOfBlob } from "../../src/model/folder/modelFolder.ts";
import { parameterCount } from "../../src/model/transformerConfig.ts";
import type { KeptFile, KeptModel } from "../../src/protocol/models/keptModels.ts";
import { modelOriginSchema } from "../../src/protocol/models/modelName.ts";
import { copyIn } from "./contents.ts";

type Folder = FileSystemDirectoryHandle;
const USED =
  /^(?:config|tokenizer|tokenizer_config|model\.safetensors\.index)\.json$|^chat_template\.jinja$|^model(?:-\d+-of-\d+)?\.safetensors$/;

/** The files of the model under the names that a folder has them by. Throws a sentence where they are no model. */
async function filesOf(files: readonly File[]): Promise<ReadonlyMap<string, Blob>> {
  const gguf = files.find(({ name }) => name.endsWith(".gguf"));
  if (!gguf) return new Map(files.filter(({ name }) => USED.test(name)).map((file) => [file.name, file]));
  const texts = await ggufTexts(partsOfBlob(gguf));
  return new Map<string, Blob>([...Array.from(texts, ([name, bytes]) => [name, new Blob([bytes])] as const), ["model.gguf", gguf]]);
}

/** Keeps a model under a name. Throws a sentence where the files are none that can be begun with. */
export async function takeFiles(
  folder: Folder,
  name: string,
  files: readonly File[],
  onBytes: (done: number, total: number) => void,
): Promise<KeptModel> {
  const named = await filesOf(files);
  const opened: ModelFolder = {
    async open(file) {
      const blob = named.get(file);
      if (!blob)
        throw new Error(
          `${file} is missing: a model needs config.json, tokenizer.json, tokenizer_config.json and its weights, or one GGUF file`,
        );
      return partsOfBlob(blob);
    },
  };
  // What is wrong is said before anything is copied.
  const { config } = await readStoredFolder(opened);
  for (const file of ["tokenizer.json", "tokenizer_config.json"]) await opened.open(file);
  const total = [...named.values()].reduce((sum, { size }) => sum + size, 0);
  const kept: KeptFile[] = [];
  let done = 0;
  for (const [file, blob] of named) {
    const before = done;
    const hash = await copyIn(folder, `${name}~${file}`, blob, (bytes) => onBytes(before + bytes, total));
    done += blob.size;
    kept.push({ name: file, bytes: blob.size, sha256: hash, promised: null, head: null });
  }
  const origin = files.find((file) => file.name === "source.json");
  const source = origin ? (modelOriginSchema.safeParse(JSON.parse(await origin.text())).data ?? null) : null;
  return { name, source, files: kept, context: config.maxPositions, parameters: parameterCount(config) };
}
