// A frozen base in the kernels' memory: each matrix once, in the type it was stored in, and its norms and biases, which
// are few, as floats in the order that the kernels know. Both weight slots share it and add adapters of their own.
import * as map from "../../kernels/assembly/memoryMap.ts";
import type { Arena } from "../../kernels/wasm/arena.ts";
import { broughtIn, type StoredTensor, widened } from "../folder/ggmlTypes.ts";
import { LORA_TARGETS } from "../lora/adapters.ts";
import { baseTensor, type FrozenBase, isMatrix, storedSize } from "../lora/frozenBase.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";

/** A matrix's place in the memory. */
interface Placed {
  readonly tensor: Omit<StoredTensor, "bytes">;
  readonly at: number;
}

/** Writes a base to the memory and says to the kernels where it lies. */
export class FrozenMemory {
  /** Address of norms and biases. */
  readonly vectors: number;
  readonly #arena: Arena;
  readonly #base: Omit<FrozenBase, "tensors">;
  readonly #config: TransformerConfig;
  readonly #matrices = new Map<string, Placed>();
  /** What still lies in files. */
  #waiting: readonly { readonly tensor: StoredTensor; readonly at: number }[] = [];

  constructor(arena: Arena, config: TransformerConfig, { tensors, ...base }: FrozenBase) {
    this.#arena = arena;
    this.#config = config;
    this.#base = base;
    const trunk = parameterLayout(config).filter(({ name }) => !isValueHead(name));
    const vectors = trunk.filter((slice) => !isMatrix(slice));
    this.vectors = arena.reserve(vectors.reduce((sum, { size }) => sum + size * 4, 0));
    let at = this.vectors;
    for (const { name, shape, size } of vectors) {
      this.#put(baseTensor(tensors, name, shape), at);
      at += size * 4;
    }
    for (const { name, shape } of trunk.filter(isMatrix)) {
      const tensor = baseTensor(tensors, name, shape);
      const placed = { tensor: { shape, type: tensor.type }, at: arena.reserve(storedSize(tensor)) };
      this.#put(tensor, placed.at);
      this.#matrices.set(name, placed);
    }
    this.#writeParts();
  }

  /** Writes a tensor to its place, or remembers to read it; one without bytes is only counted. */
  #put(tensor: StoredTensor, at: number): void {
    if (tensor.read) this.#waiting = [...this.#waiting, { tensor, at }];
    else if (isMatrix(tensor)) this.#arena.bytes(at, tensor.bytes.length).set(tensor.bytes);
    else if (tensor.bytes.length > 0) this.#arena.floats(at, tensor.shape[0]!).set(widened(tensor).data);
  }

  /** Reads what still lies in files, one tensor after the other. */
  async fill(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { tensor, at } of waiting) this.#put(await broughtIn(tensor), at);
  }

  /** The table of parts, and the words of the model that go with it. */
  #writeParts(): void {
    const { layers, vocabularySize } = this.#config;
    const { adapted, tokenizerSize } = this.#base;
    const parts = layers * map.FROZEN_LAYER_PARTS + 2;
    const table = this.#arena.reserve(parts * map.FROZEN_BYTES);
    const words = this.#arena.words(table, (parts * map.FROZEN_BYTES) / 4);
    const adapters = new Map(adapted.matrices.map(({ matrix, a, b }) => [matrix.name, { a, b }]));
    const put = (index: number, name: string) => {
      const { at, tensor } = this.#matrices.get(name)!;
      const beside = adapters.get(name);
      const offsets = [beside ? 4 * beside.a.offset : -1, beside ? 4 * beside.b.offset : -1];
      words.set([at, tensor.type.id, ...offsets], (index * map.FROZEN_BYTES) / 4);
    };
    const names = [...this.#matrices.keys()];
    for (let layer = 0; layer < layers; layer++) {
      for (const [part, projection] of LORA_TARGETS["all-linear"].entries()) {
        const name = names.find((each) => each.startsWith(`model.layers.${layer}.`) && each.endsWith(`.${projection}.weight`))!;
        put(layer * map.FROZEN_LAYER_PARTS + part, name);
      }
    }
    put(parts - 2, "model.embed_tokens.weight");
    if (this.#matrices.has("lm_head.weight")) put(parts - 1, "lm_head.weight");
    const model = this.#arena.words(map.MODEL, map.MODEL_BYTES / 4);
    model[map.MODEL_FROZEN >> 2] = table;
    model[map.MODEL_RANK >> 2] = adapted.matrices[0]!.a.shape[0]!;
    model[map.MODEL_SAMPLED_VOCAB >> 2] = Math.min(tokenizerSize ?? vocabularySize, vocabularySize);
    this.#arena.floats(map.MODEL + map.MODEL_ADAPTER_SCALE, 1)[0] = adapted.scale;
  }

  /** Whether these adapters change anything. */
  changes(values: Float32Array): boolean {
    return this.#base.adapted.matrices.some(({ b }) => values.subarray(b.offset, b.offset + b.size).some((value) => value !== 0));
  }

  /** All weights as floats, in the order of parameterLayout; those of a value head are 0. */
  widenedWeights(): Float32Array {
    const layout = parameterLayout(this.#config);
    const whole_N = new Float32Array(layout.reduce((sum, { size }) => sum + size, 0));
    let vector = this.vectors;
    for (const { name, offset, size } of layout) {
      const placed = this.#matrices.get(name);
      if (placed) {
        const bytes = this.#arena.bytes(placed.at, storedSize(placed.tensor));
        whole_N.set(widened({ ...placed.tensor, bytes }).data, offset);
      } else if (!isValueHead(name)) {
        whole_N.set(this.#arena.floats(vector, size), offset);
        vector += size * 4;
      }
    }
    return whole_N;
  }
}
