// A GGUF file as a model's folder: its weights as they are, and beside them the texts that its metadata has in the place
// of config.json, tokenizer.json and tokenizer_config.json.
import { ggufFile } from "./checkpoint.ts";
import { openGguf } from "./gguf.ts";
import { ggufConfig, ggufTokenizer, ggufTokenizerConfig } from "./ggufModel.ts";
import { type FileParts, fileOf, type ModelFolder } from "./modelFolder.ts";

/** Files of a folder that a GGUF file's metadata stands for, by name. Throws "gguf: ..." naming what is missing or not computed here. */
export async function ggufTexts(file: FileParts): Promise<ReadonlyMap<string, Uint8Array<ArrayBuffer>>> {
  const header = await openGguf(file);
  const texts = {
    "config.json": ggufConfig(header),
    "tokenizer.json": ggufTokenizer(header),
    "tokenizer_config.json": ggufTokenizerConfig(header),
  };
  return new Map(Object.entries(texts).map(([name, text]) => [name, new TextEncoder().encode(text)]));
}

/** The folder that a GGUF file stands for. Throws as ggufTexts does. */
export async function ggufFolder(file: FileParts): Promise<ModelFolder> {
  const texts = await ggufTexts(file);
  return {
    async open(name) {
      if (name === ggufFile) return file;
      const bytes = texts.get(name);
      if (!bytes) throw new Error(`${name} is missing: the model is one GGUF file`);
      return fileOf(bytes);
    },
  };
}
