// Weights on their way from one run, or from a Hugging Face folder, to another run: the settings that give their
// shape, and why they do not fit.
import { readAdapterFolder } from "../../model/folder/adapterFolder.ts";
import { readModelFolder } from "../../model/folder/checkpoint.ts";
import { LORA_TARGETS } from "../../model/lora/adapters.ts";
import type { ModelWeights } from "../../model/model.ts";
import { valuesFor } from "../../model/tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import { InputError } from "../../protocol/problems.ts";
import type { Renderer } from "../../rl/types.ts";
import { loadRenderer, tokenizerId } from "../backend/loadRenderer.ts";

/** The settings that give the shape of another run's transformer. */
export function shapeSettings({ hiddenSize, layers, heads, kvHeads, intermediateSize }: TransformerConfig): Pick<RunConfig, ShapeKey> {
  return { hiddenSize, layers, heads, kvHeads, intermediateSize };
}

type ShapeKey = "hiddenSize" | "layers" | "heads" | "kvHeads" | "intermediateSize";

/** What keeps weights from being those of a shape and a tokenizer, as half a sentence; null where nothing does. */
function misfit({ config: given, tokenizer }: ModelWeights, shape: TransformerConfig, renderer: Renderer): string | null {
  const keys = Object.keys(shape) as (keyof TransformerConfig)[];
  const other = keys.find((key) => key !== "valueHead" && given[key] !== shape[key]);
  if (other !== undefined) return `${other} must be ${shape[other]}, got ${given[other]}`;
  const own = tokenizerId(renderer);
  return tokenizer === null || tokenizer === own ? null : `tokenizer must be ${own}, got ${tokenizer}: its ids stand for other texts`;
}

/**
 * Weights of another run or folder in this shape; throws where they are not of it. Only the value head may differ,
 * which then begins at 0.
 */
export function transferredWeights(given: ModelWeights, shape: TransformerConfig, renderer: Renderer, task: string): Float32Array {
  const problem = misfit(given, shape, renderer);
  if (problem !== null) {
    const message = `the weights to start from do not fit the task ${task}: their ${problem}`;
    throw new InputError([{ field: "startFrom", message }]);
  }
  return valuesFor(parameterLayout(shape), given.weights, "the weights to start from", isValueHead) as Float32Array;
}

/**
 * A run that begins with the adapters of a PEFT folder, on the base that the configuration names. Throws a sentence for a
 * folder that cannot be read.
 */
export async function startFromAdapters<C extends RunConfigInput>(read: (name: string) => Promise<Uint8Array>, asked: C) {
  const { lora, values } = await readAdapterFolder(read);
  const names = Object.keys(LORA_TARGETS) as (keyof typeof LORA_TARGETS)[];
  const loraTargets = names.find((name) => LORA_TARGETS[name].join() === lora.targets.join());
  if (!loraTargets) throw new Error(`adapters must be on one of ${names.join(", ")}, got ${lora.targets.join(", ") || "none"}`);
  const settings = { loraRank: lora.rank, loraAlpha: lora.alpha, loraRankStabilized: lora.rankStabilized, loraTargets };
  return { config: { ...asked, model: "transformer" as const, ...settings }, adapters: values };
}

/** The files of a Hugging Face folder that are looked at. */
export const MODEL_FILES = ["config.json", "model.safetensors", "tokenizer.json"] as const;

/**
 * A run that begins with the weights of a Hugging Face folder, in their shape. Throws a sentence for a folder that cannot be read.
 * @param read gives the bytes of a file, or null where the folder has none of that name.
 */
export async function startFromFolder<C extends RunConfigInput>(read: (name: string) => Promise<Uint8Array | null>, asked: C) {
  const required = async (name: string) => {
    const bytes = await read(name);
    if (!bytes) throw new Error(`${name} is missing`);
    return bytes;
  };
  const { config: shape, weights_N } = await readModelFolder(required);
  const text = await read("tokenizer.json");
  const tokenizer = text && tokenizerId(await loadRenderer("chat", { readAsset: async () => text }));
  const weights: ModelWeights = { config: shape, tokenizer, weights: { layout: parameterLayout(shape), values: weights_N } };
  return { config: { ...asked, model: "transformer" as const, startFrom: "run" as const, ...shapeSettings(shape) }, weights };
}
