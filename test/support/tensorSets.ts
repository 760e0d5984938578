// Values as one tensor, for tests that make states up.
import { layoutOf, type TensorSet, type TensorValues } from "../../src/model/tensors.ts";

/** A set of a single tensor of this name and shape; all the values in a row where no shape is given. */
export const setOf = (values: TensorValues, name = "weights", shape: readonly number[] = [values.length]): TensorSet => ({
  layout: layoutOf([{ name, shape, trainable: true }]),
  values,
});
