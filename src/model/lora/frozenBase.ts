// Weights that stand still while adapters beside them are trained: as they are stored, and as floats where a backend
// knows no other form.
import { type GgmlType, type StoredTensor, type StoredTensors, stored, widened } from "../folder/ggmlTypes.ts";
import { placeTensors, sizeOf, type TensorSet, tensorsOf } from "../tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import type { AdaptedLayout } from "./adapters.ts";

/** Weights that stand still, and which adapters are trained beside them. */
export interface FrozenBase {
  /** By Hugging Face's names: a shape's tensors but for a value head. */
  readonly tensors: StoredTensors;
  readonly adapted: AdaptedLayout;
  /** Ids that the tokenizer knows; those after them are never sampled. All by default. */
  readonly tokenizerSize?: number;
}

/** Weights as a base of single precision, without a value head; its tensors are views of theirs. */
export function storedWeights(weights: TensorSet): StoredTensors {
  const tensors = new Map<string, StoredTensor>();
  for (const [name, { shape, data }] of tensorsOf(weights))
    if (!isValueHead(name)) tensors.set(name, stored({ shape, data: data instanceof Float32Array ? data : Float32Array.from(data) }));
  return tensors;
}

/** A base's tensors as floats in the order of parameterLayout; a value head is 0. */
export function widenedWeights(config: TransformerConfig, tensors: StoredTensors): Float32Array {
  const layout = parameterLayout(config);
  const values = new Float32Array(sizeOf(layout));
  function* each() {
    for (const [name, tensor] of tensors) yield [name, widened(tensor)] as const;
  }
  placeTensors(each(), { layout, values }, "the base", isValueHead);
  return values;
}

/** Tensors of a shape with no bytes in them, to count what a base takes; matrices are of `typeOf` their name. */
export function hollowBase(config: TransformerConfig, typeOf: (name: string) => GgmlType): StoredTensors {
  const trunk = parameterLayout(config).filter(({ name }) => !isValueHead(name));
  return new Map(trunk.map(({ name, shape }) => [name, { shape, type: typeOf(name), bytes: new Uint8Array(0) }]));
}
