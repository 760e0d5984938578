// A transformer as a Hugging Face model folder: config.json and model.safetensors, which transformers,
// TRL and vLLM load as they are. A value head lies in a file of its own beside them, so that a critic's
// folder stays an ordinary model.
import type { ModelFile } from "../../protocol/messages.ts";
import { shortened, showValue } from "../../protocol/problems.ts";
import { type ParameterSlice, parameterCount, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import { readConfigFile, type SpecialTokenIds, writeConfigFile } from "./configFile.ts";
import { type FloatDtype, type NamedTensor, readSafetensors, writeSafetensors } from "./safetensors.ts";

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
const valueHeadFile = "value_head.safetensors";
const isValueHead = (name: string) => name.startsWith("value_head.");

/**
 * Reads a Llama folder. `files` gives the bytes of a file of the folder, or throws when it has none.
 * Throws naming the file and what is wrong: a setting not supported, a tensor missing, unknown or misshapen.
 */
export async function readModelFolder(
  files: (name: string) => Promise<Uint8Array>,
  options: ReadFolderOptions = {},
): Promise<TransformerWeights> {
  const { valueHead = "absent" } = options;
  const config = { ...readConfigFile(new TextDecoder().decode(await files("config.json"))), valueHead: valueHead !== "absent" };
  const weights_N = new Float32Array(parameterCount(config));
  const layout = parameterLayout(config);
  const trunk = layout.filter(({ name }) => !isValueHead(name));
  place(weightsFile, readFile(weightsFile, await files(weightsFile)), trunk, config.tiedEmbeddings, weights_N);
  if (valueHead === "file") {
    const head = layout.filter(({ name }) => isValueHead(name));
    place(valueHeadFile, readFile(valueHeadFile, await files(valueHeadFile)), head, false, weights_N);
  }
  return { config, weights_N };
}

function readFile(name: string, bytes: Uint8Array): ReadonlyMap<string, NamedTensor> {
  try {
    return readSafetensors(bytes);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Copies every tensor of the layout to its place and refuses what does not fit. */
function place(
  file: string,
  tensors: ReadonlyMap<string, NamedTensor>,
  layout: readonly ParameterSlice[],
  tied: boolean,
  weights_N: Float32Array,
): void {
  const known = new Set(layout.map(({ name }) => name));
  for (const name of tensors.keys()) {
    // A tied model's file may repeat its embedding as the head, and old ones store RoPE's frequencies.
    const redundant = (tied && name === "lm_head.weight") || name.endsWith(".rotary_emb.inv_freq");
    if (!known.has(name) && !redundant) throw new Error(`${file}: tensor ${showValue(name)} has no place in this model`);
  }
  for (const { name, shape, offset } of layout) {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`${file}: tensor "${name}" [${shape.join(", ")}] is missing`);
    if (tensor.shape.length !== shape.length || tensor.shape.some((extent, axis) => extent !== shape[axis])) {
      throw new Error(`${file}: tensor "${name}" must have shape [${shape.join(", ")}], got ${shortened(`[${tensor.shape.join(", ")}]`)}`);
    }
    weights_N.set(tensor.data, offset);
  }
}

/** The files of a Llama folder holding these weights; halves are rounded to nearest even. */
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
