// LoRA (Hu et al. 2021): beside a frozen matrix W [out, in] two small ones are trained, A [r, in] and B [out, r], and
// what computes is W + s B A, with s = alpha / r, or alpha / sqrt(r) when rank-stabilized (Kalajdzievski 2023). Names,
// shapes and the start are PEFT's: A uniform in +-1 / sqrt(in), B zero, so that the adapted model begins as its base.
import type { RunConfig } from "../../protocol/config.ts";
import type { Random } from "../../rl/random.ts";
import { layoutOf, sizeOf, type TensorLayout, type TensorSlice, trainableOf } from "../tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";

/** Projections of a layer that have adapters, under the names that configurations have for them. */
export const LORA_TARGETS = {
  "all-linear": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
  attention: ["q_proj", "k_proj", "v_proj", "o_proj"],
  "feed-forward": ["gate_proj", "up_proj", "down_proj"],
  "query-value": ["q_proj", "v_proj"],
} as const satisfies Readonly<Record<RunConfig["loraTargets"], readonly string[]>>;
/** A projection that may have adapters. */
type Projection = (typeof LORA_TARGETS)["all-linear"][number];

/** Which adapters there are, and how much they count. */
export interface LoraConfig {
  readonly rank: number;
  readonly alpha: number;
  readonly rankStabilized: boolean;
  readonly targets: readonly Projection[];
}

/** Where a base's matrix and its two adapters lie in their flat buffers. */
interface AdaptedMatrix {
  readonly matrix: TensorSlice;
  readonly a: TensorSlice;
  readonly b: TensorSlice;
}

/** A base of some shape with its adapters: which tensors training moves, and how they and the base's become one. */
export interface AdaptedLayout {
  readonly lora: LoraConfig;
  /** All that training moves: the adapters, and a value head, which has no frozen start. */
  readonly layout: TensorLayout;
  readonly scale: number;
  readonly matrices: readonly AdaptedMatrix[];
  /** Tensors of the base that are trained as they are. */
  readonly whole: readonly { readonly inBase: TensorSlice; readonly own: TensorSlice }[];
}

/** Name of one of a matrix's adapters. */
const adapterOf = (name: string, which: "A" | "B"): string => name.replace(/\.weight$/, `.lora_${which}.weight`);

/** Whether a tensor is one of an adapter's. */
export const isAdapter = (name: string): boolean => /\.lora_[AB]\.weight$/.test(name);

/** Which tensors a base of this shape trains with these adapters. */
export function adaptedLayout(config: TransformerConfig, lora: LoraConfig): AdaptedLayout {
  const { rank, alpha, rankStabilized, targets } = lora;
  const base = parameterLayout(config);
  const adapted = base.filter(({ name }) => targets.some((target) => name.endsWith(`.${target}.weight`)));
  const frozen = base.map((tensor) => ({ ...tensor, trainable: isValueHead(tensor.name) }));
  const adapters = adapted.flatMap(({ name, shape }) => [
    { name: adapterOf(name, "A"), shape: [rank, shape[1]!], trainable: true },
    { name: adapterOf(name, "B"), shape: [shape[0]!, rank], trainable: true },
  ]);
  const layout = trainableOf(layoutOf([...frozen, ...adapters]));
  const byName = new Map(layout.map((tensor) => [tensor.name, tensor]));
  return {
    lora,
    layout,
    scale: alpha / (rankStabilized ? Math.sqrt(rank) : rank),
    matrices: adapted.map((matrix) => ({
      matrix,
      a: byName.get(adapterOf(matrix.name, "A"))!,
      b: byName.get(adapterOf(matrix.name, "B"))!,
    })),
    whole: base.filter(({ name }) => isValueHead(name)).map((inBase) => ({ inBase, own: byName.get(inBase.name)! })),
  };
}

/** Adapters with which the model is its base: A drawn, B zero, a value head as the base has it, or 0 where none is given. */
export function initialAdapters({ layout, matrices, whole }: AdaptedLayout, base_N: Float32Array | null, random: Random): Float32Array {
  const values = new Float32Array(sizeOf(layout));
  for (const { a } of matrices) {
    const bound = 1 / Math.sqrt(a.shape[1]!);
    for (let i = a.offset; i < a.offset + a.size; i++) values[i] = bound * (2 * random.uniform() - 1);
  }
  if (base_N) for (const { inBase, own } of whole) values.set(base_N.subarray(inBase.offset, inBase.offset + inBase.size), own.offset);
  return values;
}

/** The base's weights with the adapters added in: W + s B A, summed in double precision and rounded once. */
export function mergeAdapters({ scale, matrices, whole }: AdaptedLayout, base_N: Float32Array, values: Float32Array): Float32Array {
  const merged_N = base_N.slice();
  for (const { matrix, a, b } of matrices) {
    const [outputs, inputs] = matrix.shape as readonly [number, number];
    const rank = a.shape[0]!;
    const row_I = new Float64Array(inputs);
    for (let o = 0; o < outputs; o++) {
      row_I.fill(0);
      for (let r = 0; r < rank; r++) addScaled(row_I, scale * values[b.offset + o * rank + r]!, values, a.offset + r * inputs);
      const at = matrix.offset + o * inputs;
      for (let i = 0; i < inputs; i++) merged_N[at + i]! += row_I[i]!;
    }
  }
  for (const { inBase, own } of whole) merged_N.set(values.subarray(own.offset, own.offset + own.size), inBase.offset);
  return merged_N;
}

function addScaled(into: Float64Array, by: number, values: Float32Array, from: number): void {
  if (by === 0) return;
  for (let i = 0; i < into.length; i++) into[i]! += by * values[from + i]!;
}

/** The adapters' gradient from that of the merged weights, by the chain rule: dA = s B' dW, dB = s dW A'. */
export function adapterGradient(adapted: AdaptedLayout, gradient_N: Float32Array, values: Float32Array): Float32Array {
  const gradient = new Float32Array(values.length);
  for (const one of adapted.matrices) matrixGradient(one, adapted.scale, gradient_N, values, gradient);
  for (const { inBase, own } of adapted.whole) gradient.set(gradient_N.subarray(inBase.offset, inBase.offset + inBase.size), own.offset);
  return gradient;
}

function matrixGradient(
  { matrix, a, b }: AdaptedMatrix,
  scale: number,
  gradient_N: Float32Array,
  values: Float32Array,
  into: Float32Array,
) {
  const [outputs, inputs] = matrix.shape as readonly [number, number];
  const rank = a.shape[0]!;
  const row_I = new Float64Array(inputs);
  for (let r = 0; r < rank; r++) {
    row_I.fill(0);
    for (let o = 0; o < outputs; o++) {
      const at = matrix.offset + o * inputs;
      const of = b.offset + o * rank + r;
      addScaled(row_I, values[of]!, gradient_N, at);
      let sum = 0;
      for (let i = 0; i < inputs; i++) sum += gradient_N[at + i]! * values[a.offset + r * inputs + i]!;
      into[of] = scale * sum;
    }
    for (let i = 0; i < inputs; i++) into[a.offset + r * inputs + i] = scale * row_I[i]!;
  }
}
