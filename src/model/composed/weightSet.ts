// Weights of the composed transformer as tf.Variables. Matrices lie as [in, out], and those that read
// the same input side by side, because tfjs multiplies fast only when neither side is transposed; the
// flat buffer (parameterLayout) has them as [out, in], one by one.
import * as tf from "@tensorflow/tfjs";
import { parameterCount, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";

/** Where one weight of the flat buffer lies inside a fused variable. */
interface Part {
  readonly offset: number;
  readonly size: number;
  /** Rows and columns in the flat buffer. */
  readonly out: number;
  readonly in: number;
  /** First column in the variable. */
  readonly column: number;
}

interface FusedTensor {
  readonly key: string;
  readonly shape: readonly number[];
  readonly transposed: boolean;
  readonly parts: readonly Part[];
}

const fusions: readonly (readonly [RegExp, string])[] = [
  [/self_attn\.[qkv]_proj\.weight$/, "self_attn.qkv"],
  [/self_attn\.[qkv]_proj\.bias$/, "self_attn.qkv.bias"],
  [/mlp\.(gate|up)_proj\.weight$/, "mlp.gate_up"],
];

/** The variables of a transformer in a fixed order, with the pieces of the flat buffer they hold. */
function fusedLayout(config: TransformerConfig): readonly FusedTensor[] {
  const groups = new Map<string, { transposed: boolean; width: number; depth: number; vector: boolean; parts: Part[] }>();
  for (const { name, shape, offset, size } of parameterLayout(config)) {
    const fusion = fusions.find(([pattern]) => pattern.test(name));
    const key = fusion ? name.replace(fusion[0], fusion[1]) : name.replace(/\.weight$/, "");
    // The embedding is looked up by row and stays as it is.
    const transposed = shape.length === 2 && key !== "model.embed_tokens";
    const out = shape[0]!;
    const depth = shape[1] ?? 1;
    const group = groups.get(key) ?? { transposed, width: 0, depth, vector: shape.length === 1, parts: [] };
    group.parts.push({ offset, size, out, in: depth, column: group.width });
    group.width += out;
    groups.set(key, group);
  }
  return Array.from(groups, ([key, { transposed, width, depth, vector, parts }]) => {
    const matrix = transposed ? [depth, width] : [width, depth];
    return { key, shape: vector ? [width] : matrix, transposed, parts };
  });
}

/** The stretch of the flat buffer that a variable is: its parts are neighbours there. */
function wholeOf({ parts }: FusedTensor): { readonly offset: number; readonly size: number } {
  return { offset: parts[0]!.offset, size: parts.reduce((sum, { size }) => sum + size, 0) };
}

/** Values of one variable, taken from the flat buffer. */
function fuse(tensor: FusedTensor, flat_N: Float32Array): Float32Array {
  if (!tensor.transposed) {
    const { offset, size } = wholeOf(tensor);
    return flat_N.slice(offset, offset + size);
  }
  const width = tensor.shape[1]!;
  const fused = new Float32Array(tensor.shape[0]! * width);
  for (const part of tensor.parts) {
    for (let o = 0; o < part.out; o++) {
      for (let i = 0; i < part.in; i++) fused[i * width + part.column + o] = flat_N[part.offset + o * part.in + i]!;
    }
  }
  return fused;
}

/** The inverse of fuse: writes one variable's values to their places in the flat buffer. */
function unfuse(tensor: FusedTensor, fused: Float32Array, flat_N: Float32Array): void {
  if (!tensor.transposed) {
    flat_N.set(fused, wholeOf(tensor).offset);
    return;
  }
  const width = tensor.shape[1]!;
  for (const part of tensor.parts) {
    for (let o = 0; o < part.out; o++) {
      for (let i = 0; i < part.in; i++) flat_N[part.offset + o * part.in + i] = fused[i * width + part.column + o]!;
    }
  }
}

/** One value per weight, held by tfjs; owned state. */
export class WeightSet {
  readonly layout: readonly FusedTensor[];
  readonly variables: readonly tf.Variable[];
  readonly #byKey: ReadonlyMap<string, tf.Variable>;
  readonly #count: number;

  /** All zero. */
  constructor(config: TransformerConfig, trainable: boolean) {
    this.layout = fusedLayout(config);
    this.#count = parameterCount(config);
    this.variables = this.layout.map(({ shape }) => tf.tidy(() => tf.variable(tf.zeros([...shape]), trainable)));
    this.#byKey = new Map(this.layout.map(({ key }, i) => [key, this.variables[i]!]));
  }

  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  get(key: string): tf.Tensor2D {
    const variable = this.#byKey.get(key);
    if (!variable) throw new Error(`internal: no weight "${key}"`);
    return variable as tf.Tensor as tf.Tensor2D;
  }

  /** Copies the flat buffer in, with a pause after each variable: all of a large model take seconds. */
  async write(flat_N: Float32Array, pause: () => Promise<void>): Promise<void> {
    if (flat_N.length !== this.#count) throw new Error(`internal: expected ${this.#count} values, got ${flat_N.length}`);
    for (const [i, tensor] of this.layout.entries()) {
      tf.tidy(() => this.variables[i]!.assign(tf.tensor(fuse(tensor, flat_N), [...tensor.shape])));
      await pause();
    }
  }

  read(): Promise<Float32Array> {
    return readFused(this.layout, this.variables, this.#count);
  }

  dispose(): void {
    for (const variable of this.variables) variable.dispose();
  }
}

/** Tensors in the order of the layout as one flat buffer of `count` values. */
export async function readFused(layout: readonly FusedTensor[], tensors: readonly tf.Tensor[], count: number): Promise<Float32Array> {
  const flat_N = new Float32Array(count);
  for (const [i, tensor] of layout.entries()) unfuse(tensor, (await tensors[i]!.data()) as Float32Array, flat_N);
  return flat_N;
}
