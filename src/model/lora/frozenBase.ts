// Weights that stand still while adapters beside them are trained: as they are stored, and as floats where a backend
// knows no other form.
import { broughtIn, type GgmlType, type StoredTensor, type StoredTensors, stored, widened } from "../folder/ggmlTypes.ts";
import { sizeOf, type TensorSet, tensorsOf } from "../tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import { type AdaptedLayout, adaptedLayout } from "./adapters.ts";

/** Weights that stand still, and which adapters are trained beside them. */
export interface FrozenBase {
  /** By Hugging Face's names: a shape's tensors but for a value head. */
  readonly tensors: StoredTensors;
  readonly adapted: AdaptedLayout;
  /** Ids that the tokenizer knows; those after them are never sampled. All by default. */
  readonly tokenizerSize?: number;
}

/** Bytes of a stored tensor, by its shape and type alone. */
export function storedSize({ shape, type }: Omit<StoredTensor, "bytes">): number {
  return (shape.reduce((product, extent) => product * extent, 1) / type.values) * type.bytes;
}

/** Whether a tensor is a matrix; norms and biases are vectors. */
export const isMatrix = ({ shape }: { readonly shape: readonly number[] }): boolean => shape.length === 2;

const missing = (name: string, shape: readonly number[]) => new Error(`the base: tensor "${name}" [${shape.join(", ")}] is missing`);

/** The base's tensor of that name. Throws a sentence where it is missing, has another shape, or rows that are no whole blocks. */
export function baseTensor(tensors: StoredTensors, name: string, shape: readonly number[]): StoredTensor {
  const tensor = tensors.get(name);
  if (!tensor) throw missing(name, shape);
  if (tensor.shape.join() !== shape.join())
    throw new Error(`the base: tensor "${name}" must have shape [${shape.join(", ")}], got [${tensor.shape.join(", ")}]`);
  if (shape.at(-1)! % tensor.type.values !== 0)
    throw new Error(
      `the base: rows of "${name}" must be whole blocks of ${tensor.type.values} (${tensor.type.name}), got ${shape.at(-1)} values`,
    );
  return tensor;
}

/** The first layers and ids of a base, in its own types, as a base of that smaller shape. */
export async function smallerBase(config: TransformerConfig, { tensors, adapted, tokenizerSize }: FrozenBase): Promise<FrozenBase> {
  const fewer = new Map<string, StoredTensor>();
  for (const { name, shape } of parameterLayout(config).filter(({ name }) => !isValueHead(name))) {
    const whole = tensors.get(name);
    if (!whole) throw missing(name, shape);
    const { type, bytes } = await broughtIn(whole);
    fewer.set(name, { shape, type, bytes: bytes.slice(0, storedSize({ shape, type })) });
  }
  const ids = config.vocabularySize;
  return { tensors: fewer, adapted: adaptedLayout(config, adapted.lora), tokenizerSize: Math.min(tokenizerSize ?? ids, ids) };
}

/** Weights as a base of single precision, without a value head; its tensors are views of theirs. */
export function storedWeights(weights: TensorSet): StoredTensors {
  const tensors = new Map<string, StoredTensor>();
  for (const [name, { shape, data }] of tensorsOf(weights))
    if (!isValueHead(name)) tensors.set(name, stored({ shape, data: data instanceof Float32Array ? data : Float32Array.from(data) }));
  return tensors;
}

/** A base's tensors as floats in the order of parameterLayout, read one after the other; a value head is 0. Throws where one is missing. */
export async function widenedWeights(config: TransformerConfig, tensors: StoredTensors): Promise<Float32Array> {
  const layout = parameterLayout(config);
  const values = new Float32Array(sizeOf(layout));
  for (const { name, shape, offset } of layout.filter(({ name }) => !isValueHead(name))) {
    values.set(widened(await broughtIn(baseTensor(tensors, name, shape))).data, offset);
  }
  return values;
}

/** Tensors of a shape with no bytes in them, to count what a base takes; each has the type that `typeOf` gives its name. */
export function hollowBase(config: TransformerConfig, typeOf: (name: string) => GgmlType): StoredTensors {
  const trunk = parameterLayout(config).filter(({ name }) => !isValueHead(name));
  return new Map(trunk.map(({ name, shape }) => [name, { shape, type: typeOf(name), bytes: new Uint8Array(0) }]));
}
