// Frozen bases for tests: a model's weights as they are, or drawn anew as blocks of a type that files store.
import type { GgmlType, StoredTensor, StoredTensors } from "../../src/model/folder/ggmlTypes.ts";
import { toHalfBits } from "../../src/model/folder/halfFloat.ts";
import { storedWeights } from "../../src/model/lora/frozenBase.ts";
import { parameterLayout, type TransformerConfig } from "../../src/model/transformerConfig.ts";
import type { Random } from "../../src/rl/random.ts";

/** Weights in the order of parameterLayout as a base of single precision. */
export const storedBase = (config: TransformerConfig, base_N: Float32Array): StoredTensors =>
  storedWeights({ layout: parameterLayout(config), values: base_N });

/** A matrix of random blocks, whose values are about as large as a trained model's. */
function randomBlocks(type: GgmlType, shape: readonly number[], random: Random): StoredTensor {
  const blocks = shape.reduce((product, extent) => product * extent, 1) / type.values;
  const bytes = Uint8Array.from({ length: blocks * type.bytes }, () => random.below(256));
  const view = new DataView(bytes.buffer);
  const levels = type.name === "Q8_0" ? 127 : 8;
  for (let block = 0; block < blocks; block++) {
    const at = block * type.bytes;
    const scale = (0.2 + 0.2 * random.uniform()) / levels;
    if (type.name === "F32") view.setFloat32(at, 0.2 * random.normal(), true);
    else if (type.name === "F16") view.setUint16(at, toHalfBits(0.2 * random.normal()), true);
    else if (type.name === "BF16") view.setUint16(at, ((random.below(2) << 15) | (0x3e00 - random.below(512))) & 0xffff, true);
    else view.setUint16(at, toHalfBits(scale), true);
    if (type.name === "Q4_1") view.setUint16(at + 2, toHalfBits(-7.5 * scale), true);
  }
  return { shape, type, bytes };
}

/** A base whose matrices are random blocks of one type; `base_N` gives its norms and biases. */
export function randomBase(config: TransformerConfig, base_N: Float32Array, type: GgmlType, random: Random): StoredTensors {
  const whole = storedBase(config, base_N);
  return new Map([...whole].map(([name, tensor]) => [name, tensor.shape.length === 2 ? randomBlocks(type, tensor.shape, random) : tensor]));
}
