// A transformer as a Hugging Face model folder: config.json and model.safetensors, which transformers,
// TRL and vLLM load as they are; its weights may lie in a GGUF file instead. A value head lies in a file of its own beside them, so that a critic's
// folder stays an ordinary model.

import type { ModelFile } from "../../protocol/messages.ts";
import { errorText } from "../../protocol/problems.ts";
import { type NamedTensor, placeTensors } from "../tensors.ts";
import { isValueHead, parameterCount, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import { readModelConfig, type SpecialTokenIds, writeConfigFile } from "./configFile.ts";
import { GGML_TYPES, type GgmlType, type StoredTensor, type StoredTensors, widened } from "./ggmlTypes.ts";
import { readGguf } from "./gguf.ts";
import { ggufStored } from "./ggufModel.ts";
import { type FloatDtype, readSafetensors, storedSafetensors, writeSafetensors } from "./safetensors.ts";

export interface ReadFolderOptions {
  /** "absent": no value head. "file": from value_head.safetensors. "zero": one that predicts 0 everywhere. */
  readonly valueHead?: "absent" | "file" | "zero";
}

export interface WriteFolderOptions {
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
export const ggufFile = "model.gguf";
const valueHeadFile = "value_head.safetensors";

/**
 * Reads a folder of Llama's kind. `files` gives the bytes of a file of the folder, or throws when it has none.
 * Throws naming the file and what is wrong: a setting not supported, a tensor missing, unknown or misshapen.
 */
export async function readModelFolder(
  files: (name: string) => Promise<Uint8Array>,
  options: ReadFolderOptions = {},
): Promise<TransformerWeights> {
  const { valueHead = "absent" } = options;
  const config = { ...readModelConfig(new TextDecoder().decode(await files("config.json"))), valueHead: valueHead !== "absent" };
  const weights_N = new Float32Array(parameterCount(config));
  const layout = parameterLayout(config);
  const trunk = layout.filter(({ name }) => !isValueHead(name));
  const { name, tensors } = await storedTrunkOf(files);
  placeTensors(widenedOneByOne(tensors), { layout: trunk, values: weights_N }, name, (each) => isRedundant(each, config));
  if (valueHead === "file") {
    const head = layout.filter(({ name }) => isValueHead(name));
    placeTensors(readFile(valueHeadFile, await files(valueHeadFile)), { layout: head, values: weights_N }, valueHeadFile);
  }
  return { config, weights_N };
}

/**
 * A folder's weights as its file holds them, to stand still while adapters are trained; a value head and what is redundant are left out.
 * Throws as readModelFolder does; which tensors there must be is for the backend to say that takes them.
 */
export async function readStoredFolder(
  files: (name: string) => Promise<Uint8Array>,
): Promise<{ readonly config: TransformerConfig; readonly tensors: StoredTensors }> {
  const config = readModelConfig(new TextDecoder().decode(await files("config.json")));
  const { tensors } = await storedTrunkOf(files);
  const kept = [...tensors].filter(([name]) => !isRedundant(name, config));
  return { config, tensors: new Map(kept) };
}

/** Of which type the tensors of a folder are, by the dtype that its config.json names, or by a GGUF file's own word. */
export async function storedTypes(files: (name: string) => Promise<Uint8Array>): Promise<(name: string) => GgmlType | undefined> {
  const { dtype, torch_dtype } = JSON.parse(new TextDecoder().decode(await files("config.json"))) as Record<string, unknown>;
  const named = { float32: "F32", float16: "F16", bfloat16: "BF16" }[String(dtype ?? torch_dtype)];
  const whole = GGML_TYPES.find(({ name }) => name === named);
  if (whole) return () => whole;
  const gguf = await files(ggufFile).catch(() => null);
  const types = new Map(gguf ? [...ggufStored(gguf, readGguf(gguf))].map(([name, { type }]) => [name, type]) : []);
  return (name) => types.get(name);
}

/** A tied model's file may repeat its embedding as the head, and old ones store RoPE's frequencies. */
const isRedundant = (name: string, { tiedEmbeddings }: TransformerConfig): boolean =>
  (tiedEmbeddings && name === "lm_head.weight") || name.endsWith(".rotary_emb.inv_freq");

/** The tensors of the file that a folder has. Throws what the first one's absence throws where it has none. */
async function storedTrunkOf(
  files: (name: string) => Promise<Uint8Array>,
): Promise<{ readonly name: string; readonly tensors: Iterable<readonly [string, StoredTensor]> }> {
  let bytes: Uint8Array;
  try {
    bytes = await files(weightsFile);
  } catch (error) {
    const gguf = await files(ggufFile).catch(() => null);
    if (!gguf) throw error;
    return { name: ggufFile, tensors: ggufStored(gguf, readGguf(gguf)) };
  }
  return { name: weightsFile, tensors: named(weightsFile, () => storedSafetensors(bytes)) };
}

/** Each tensor as floats, no more than one of which is held beside the result. */
function* widenedOneByOne(tensors: Iterable<readonly [string, StoredTensor]>): Generator<readonly [string, NamedTensor<Float32Array>]> {
  for (const [name, tensor] of tensors) yield [name, widened(tensor)];
}

function readFile(name: string, bytes: Uint8Array): ReadonlyMap<string, NamedTensor<Float32Array>> {
  return named(name, () => readSafetensors(bytes));
}

/** What reads a file; its error names the file. */
function named<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${name}: ${errorText(error)}`);
  }
}

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
