// A transformer as a Hugging Face model folder: config.json and model.safetensors, which transformers,
// TRL and vLLM load as they are; its weights may lie in a GGUF file instead. A value head lies in a file of its own
// beside them, so that a critic's folder stays an ordinary model.

import type { ModelFile } from "../../protocol/messages.ts";
import { parseOrThrow, showValue } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { placeTensors, type TensorLayout } from "../tensors.ts";
import { isValueHead, parameterCount, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import { readModelConfig, type SpecialTokenIds, writeConfigFile } from "./configFile.ts";
import { broughtIn, type GgmlType, hasFiniteValues, type StoredTensor, type StoredTensors, widened } from "./ggmlTypes.ts";
import { openGguf } from "./gguf.ts";
import { ggufStored } from "./ggufModel.ts";
import { type FileParts, folderOf, type ModelFolder, named, namedError, textFile, wholeFile } from "./modelFolder.ts";
import { type FloatDtype, openSafetensors, readSafetensors, writeSafetensors } from "./safetensors.ts";

interface ReadFolderOptions {
  /** "absent": no value head. "file": from value_head.safetensors. "zero": one that predicts 0 everywhere. */
  readonly valueHead?: "absent" | "file" | "zero";
}

interface WriteFolderOptions {
  readonly dtype: FloatDtype;
  readonly ids: SpecialTokenIds;
  /** Added unchanged: tokenizer.json, tokenizer_config.json, ... */
  readonly extraFiles?: readonly ModelFile[];
}

export interface TransformerWeights {
  readonly config: TransformerConfig;
  /** In the order of parameterLayout(config). */
  readonly weights_N: Float32Array;
}

const weightsFile = "model.safetensors";
const indexFile = "model.safetensors.index.json";
export const ggufFile = "model.gguf";
const valueHeadFile = "value_head.safetensors";

/** A folder, or what gives its files whole and throws where it has none of a name. */
type FolderFiles = ModelFolder | ((name: string) => Promise<Uint8Array>);

const asFolder = (files: FolderFiles): ModelFolder => (typeof files === "function" ? folderOf(files) : files);

/**
 * Reads a folder of Llama's kind, tensor by tensor: beside the result no more is held than one.
 * Throws naming the file and what is wrong: a setting not supported, a tensor missing, unknown or misshapen.
 */
export async function readModelFolder(files: FolderFiles, options: ReadFolderOptions = {}): Promise<TransformerWeights> {
  const { valueHead = "absent" } = options;
  const folder = asFolder(files);
  const config = { ...readModelConfig(await textFile(folder, "config.json")), valueHead: valueHead !== "absent" };
  const layout = parameterLayout(config);
  const trunk = layout.filter(({ name }) => !isValueHead(name));
  const { name, tensors } = await storedTrunkOf(folder);
  checkTensors(tensors, trunk, name, (each) => isRedundant(each, config));
  const weights_N = new Float32Array(parameterCount(config));
  for (const { name: tensor, offset } of trunk) weights_N.set(widened(await broughtIn(tensors.get(tensor)!)).data, offset);
  if (valueHead === "file") {
    const head = layout.filter(({ name }) => isValueHead(name));
    const bytes = await wholeFile(folder, valueHeadFile);
    placeTensors(
      named(valueHeadFile, () => readSafetensors(bytes)),
      { layout: head, values: weights_N },
      valueHeadFile,
    );
  }
  return { config, weights_N };
}

/**
 * A folder's weights as its files hold them, to stand still while adapters are trained; their bytes stay there until they are
 * read. A value head and what is redundant are left out. Throws as readModelFolder does.
 */
export async function readStoredFolder(
  files: FolderFiles,
): Promise<{ readonly config: TransformerConfig; readonly tensors: StoredTensors }> {
  const folder = asFolder(files);
  const config = readModelConfig(await textFile(folder, "config.json"));
  const { name, tensors } = await storedTrunkOf(folder);
  const kept = new Map([...tensors].filter(([name]) => !isRedundant(name, config)));
  checkTensors(
    kept,
    parameterLayout(config).filter(({ name }) => !isValueHead(name)),
    name,
  );
  return { config, tensors: kept };
}

/** Throws where a tensor is missing, unknown or misshapen. */
function checkTensors(tensors: StoredTensors, layout: TensorLayout, where: string, mayDiffer?: (name: string) => boolean): void {
  const nothing = new Float32Array(0);
  const shapes = Array.from(tensors, ([name, { shape }]) => [name, { shape, data: nothing }] as const);
  placeTensors(shapes, { layout: layout.map((slice) => ({ ...slice, offset: 0 })), values: nothing }, where, mayDiffer);
}

/** Of which type the tensors of a folder are, by what its weights' files say of themselves. */
export async function storedTypes(files: FolderFiles): Promise<(name: string) => GgmlType | undefined> {
  const { tensors } = await storedTrunkOf(asFolder(files));
  return (name) => tensors.get(name)?.type;
}

/** A tied model's file may repeat its embedding as the head, and old ones store RoPE's frequencies. */
const isRedundant = (name: string, { tiedEmbeddings }: TransformerConfig): boolean =>
  (tiedEmbeddings && name === "lm_head.weight") || name.endsWith(".rotary_emb.inv_freq");

/** The tensors of a folder, each refused when it is brought in where a number of it is not finite. */
async function storedTrunkOf(folder: ModelFolder): Promise<{ readonly name: string; readonly tensors: StoredTensors }> {
  const { name, tensors } = await openedTrunkOf(folder);
  const checked = ([tensor, { read, ...rest }]: readonly [string, StoredTensor]): readonly [string, StoredTensor] => {
    if (!read) return [tensor, rest];
    const finite = async () => {
      const bytes = await read();
      if (hasFiniteValues(rest.type, bytes)) return bytes;
      throw new Error(`${name}: tensor ${showValue(tensor, 120)} must have finite numbers alone`);
    };
    return [tensor, { ...rest, read: finite }];
  };
  return { name, tensors: new Map(Array.from(tensors, checked)) };
}

/**
 * The tensors of the files that a folder has: safetensors, whole or in shards, or GGUF. Throws what the first one's
 * absence throws where it has none.
 */
async function openedTrunkOf(folder: ModelFolder): Promise<{ readonly name: string; readonly tensors: StoredTensors }> {
  let file: FileParts;
  try {
    file = await folder.open(weightsFile);
  } catch (error) {
    const index = await folder.open(indexFile).catch(() => null);
    if (index) return { name: indexFile, tensors: await shardedTensors(folder, await textFile(folder, indexFile)) };
    const gguf = await folder.open(ggufFile).catch(() => null);
    if (!gguf) throw error;
    return { name: ggufFile, tensors: new Map(ggufStored(gguf, await openGguf(gguf))) };
  }
  return { name: weightsFile, tensors: await tensorsIn(file, weightsFile) };
}

const indexSchema = z.object({ weight_map: z.record(z.string(), z.string().regex(/^[A-Za-z0-9_][\w.-]*$/, "must be the name of a file")) });

/** The files of weights that an index names. Throws a sentence where it cannot be read. */
function shardsOf(indexText: string): readonly string[] {
  return named(indexFile, () => [...new Set(Object.values(parseOrThrow(indexSchema, JSON.parse(indexText)).weight_map))]);
}

async function shardedTensors(folder: ModelFolder, indexText: string): Promise<StoredTensors> {
  const tensors = new Map<string, StoredTensor>();
  for (const shard of shardsOf(indexText)) {
    const file = await folder.open(shard);
    for (const [name, tensor] of await tensorsIn(file, shard)) {
      if (tensors.has(name)) throw new Error(`${shard}: tensor ${showValue(name)} is in another shard already`);
      tensors.set(name, tensor);
    }
  }
  return tensors;
}

/** A file's tensors by their names; an error names the file. */
const tensorsIn = (file: FileParts, name: string) =>
  openSafetensors(file).catch((error) => {
    throw namedError(name, error);
  });

/** The files of a folder holding these weights; halves are rounded to nearest even. */
export function writeModelFolder(config: TransformerConfig, weights_N: Float32Array, options: WriteFolderOptions): readonly ModelFile[] {
  const { dtype, ids, extraFiles = [] } = options;
  if (weights_N.length !== parameterCount(config))
    throw new Error(`weights must have ${parameterCount(config)} values, got ${weights_N.length}`);
  const pick = (chosen: (name: string) => boolean) =>
    new Map(
      parameterLayout(config)
        .filter(({ name }) => chosen(name))
        .map(({ name, shape, offset, size }) => [name, { shape, data: weights_N.subarray(offset, offset + size) }]),
    );
  const text = (value: string) => new TextEncoder().encode(value);
  const generation = { bos_token_id: ids.bos, eos_token_id: ids.eos, pad_token_id: ids.pad };
  return [
    { name: "config.json", bytes: text(writeConfigFile(config, dtype, ids)) },
    { name: "generation_config.json", bytes: text(`${JSON.stringify(generation, null, 2)}\n`) },
    {
      name: weightsFile,
      bytes: writeSafetensors(
        pick((name) => !isValueHead(name)),
        { dtype },
      ),
    },
    ...(config.valueHead ? [{ name: valueHeadFile, bytes: writeSafetensors(pick(isValueHead), { dtype }) }] : []),
    ...extraFiles,
  ];
}
