// A model that the browser keeps, as a folder whose files are read in parts.
import { type FileParts, type ModelFolder, partsOfBlob } from "../../src/model/folder/modelFolder.ts";
import type { KeptFile, KeptModel } from "../../src/protocol/models/keptModels.ts";
import { isNamed, type ModelName } from "../../src/protocol/models/modelName.ts";
import { InputError } from "../../src/protocol/problems.ts";
import { fileIn, hasContent, modelsFolder, readList } from "./keptFiles.ts";

async function openKept(folder: FileSystemDirectoryHandle, model: KeptModel, { name, bytes, sha256, head }: KeptFile): Promise<FileParts> {
  const content = sha256 ?? head;
  const file = content === null || (sha256 !== null && !(await hasContent(folder, sha256, bytes))) ? null : await fileIn(folder, content);
  const missing = () => {
    const message = `checkpoint ${model.source?.repository ?? model.name} is not whole in this browser yet, ${name} is missing: bring it first (Choose a model)`;
    return new InputError([{ field: "checkpoint", message }]);
  };
  if (!file) throw missing();
  const { size, read } = partsOfBlob(file);
  return { size: bytes, read: (begin, end) => (end > size ? Promise.reject(missing()) : read(begin, end)) };
}

/** The folder of a kept model; null where there is none of that name. A model that was announced alone gives what is small of it. */
export async function openKeptModel(name: ModelName): Promise<ModelFolder | null> {
  const folder = await modelsFolder().catch(() => null);
  const model = folder && (await readList(folder)).find((each) => isNamed(each, name));
  if (!folder || !model) return null;
  return {
    async open(file) {
      const found = model.files.find((each) => each.name === file);
      if (!found) throw new Error(`${model.name} has no file ${file}`);
      return openKept(folder, model, found);
    },
  };
}
