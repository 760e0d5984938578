// Weights, gradients and moments by name. A layout says which tensors there are, in which order, and which of
// them training moves; a set is a layout with the values of all its tensors in one flat array, of which a tensor
// is a view. So backends exchange flat arrays, and whatever goes from one model to another goes by name.
import { shortened, showValue } from "../protocol/problems.ts";

/** Name and shape as Hugging Face has them: [out, in] of a projection. */
export interface TensorSpec {
  readonly name: string;
  readonly shape: readonly number[];
  /** Moved by training; gradients, moments, saves and hand-overs have these tensors alone. */
  readonly trainable: boolean;
}

/** A tensor's place among the flat values. */
export interface TensorSlice extends TensorSpec {
  readonly offset: number;
  readonly size: number;
}

/** Which tensors there are, and in which order their values lie. */
export type TensorLayout = readonly TensorSlice[];

/** Single precision where a transformer computes, double in the tabular policy. */
export type TensorValues = Float32Array | Float64Array;

/** Tensors with their values. */
export interface TensorSet {
  readonly layout: TensorLayout;
  /** In the layout's order. */
  readonly values: TensorValues;
}

/** Row-major values of one tensor. */
export interface NamedTensor<V extends TensorValues = TensorValues> {
  readonly shape: readonly number[];
  readonly data: V;
}

/** Tensors one behind the other. */
export function layoutOf(specs: readonly TensorSpec[]): TensorLayout {
  let end = 0;
  return specs.map(({ name, shape, trainable }) => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    const offset = end;
    end += size;
    return { name, shape, trainable, offset, size };
  });
}

/** Those that training moves, packed. */
export function trainableOf(layout: TensorLayout): TensorLayout {
  return layout.every(({ trainable }) => trainable) ? layout : layoutOf(layout.filter(({ trainable }) => trainable));
}

/** Values in all. */
export const sizeOf = (layout: TensorLayout): number => layout.reduce((sum, { size }) => sum + size, 0);

const shapeText = (shape: readonly number[]): string => shortened(`[${shape.join(", ")}]`);

const isSameShape = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((extent, axis) => extent === b[axis]);

/** Each tensor as a view into the set's values. */
export function tensorsOf({ layout, values }: TensorSet): ReadonlyMap<string, NamedTensor> {
  return new Map(layout.map(({ name, shape, offset, size }) => [name, { shape, data: values.subarray(offset, offset + size) }]));
}

/**
 * Copies tensors to their places by name, one after the other. Throws naming the tensor that is missing, unknown or
 * misshapen, but for those that `mayDiffer`.
 * @param where what the tensors are of, to begin the sentence.
 */
export function placeTensors(
  tensors: Iterable<readonly [string, NamedTensor]>,
  { layout, values }: TensorSet,
  where: string,
  mayDiffer: (name: string) => boolean = () => false,
): void {
  const places = new Map(layout.map((slice) => [slice.name, slice]));
  const missing = new Set(places.keys());
  for (const [name, tensor] of tensors) {
    const place = places.get(name);
    if (!place && mayDiffer(name)) continue;
    if (!place) throw new Error(`${where}: tensor ${showValue(name)} has no place in this model`);
    if (!isSameShape(tensor.shape, place.shape))
      throw new Error(`${where}: tensor "${name}" must have shape [${place.shape.join(", ")}], got ${shapeText(tensor.shape)}`);
    values.set(tensor.data, place.offset);
    missing.delete(name);
  }
  for (const { name, shape } of layout)
    if (missing.has(name) && !mayDiffer(name)) throw new Error(`${where}: tensor "${name}" [${shape.join(", ")}] is missing`);
}

/**
 * A set's values in the order of a layout: the very array where it has that order, else a copy, in which those tensors
 * that `mayDiffer` and are missing are 0. Throws as placeTensors does.
 */
export function valuesFor(layout: TensorLayout, set: TensorSet, where: string, mayDiffer?: (name: string) => boolean): TensorValues {
  const { layout: own, values } = set;
  const isOrdered =
    own.length === layout.length && own.every(({ name, shape }, i) => name === layout[i]!.name && isSameShape(shape, layout[i]!.shape));
  if (isOrdered) return values;
  const placed = { layout, values: values instanceof Float64Array ? new Float64Array(sizeOf(layout)) : new Float32Array(sizeOf(layout)) };
  placeTensors(tensorsOf(set), placed, where, mayDiffer);
  return placed.values;
}
