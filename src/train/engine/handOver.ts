// Weights on their way from one run, or from a Hugging Face folder, to another run: the settings that give their
// shape, and why they do not fit.
import type { ModelWeights } from "../../model/model.ts";
import { valuesFor } from "../../model/tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { InputError } from "../../protocol/problems.ts";
import type { Renderer } from "../../rl/types.ts";
import { tokenizerId } from "./loadRenderer.ts";

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

/** Weights of another run or folder in this shape; throws where they are not of it. Only the value head may differ, which then begins at 0. */
export function handedIn(given: ModelWeights, shape: TransformerConfig, renderer: Renderer, task: string): Float32Array {
  const problem = misfit(given, shape, renderer);
  if (problem !== null) {
    const message = `weights that are handed on do not fit the task ${task}: their ${problem}`;
    throw new InputError([{ field: "startFrom", message }]);
  }
  return valuesFor(parameterLayout(shape), given.weights, "the weights that are handed on", isValueHead) as Float32Array;
}
