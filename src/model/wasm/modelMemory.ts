// The blocks of a model that stay in memory: weights and their packed forms, gradients, optimizer
// moments, rotary table. Each is taken when first needed, so a model that only samples stays small.

import * as map from "../../kernels/assembly/memoryMap.ts";
import type { JobRunner } from "../../kernels/wasm/engine.ts";
import { writeShape } from "../../kernels/wasm/modelShape.ts";
import { cos, power, sin } from "../../rl/exactMath.ts";
import { mergeAdapters } from "../lora/adapters.ts";
import type { FrozenBase } from "../lora/frozenBase.ts";
import { sizeOf, type TensorLayout } from "../tensors.ts";
import { parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import { FrozenMemory } from "./frozenMemory.ts";

/** Slots in the order of their words. */
export const SLOT_INDEX = { policy: 0, reference: 1 } as const;
type Slot = keyof typeof SLOT_INDEX;

/** Into how many partitions a batch is cut where sums may not depend on the threads. */
export const DEFAULT_PARTITIONS = 4;

interface SlotState {
  weights: number;
  forwardPanels: number;
  backwardPanels: number;
  forwardStale: boolean;
  backwardStale: boolean;
}

/** Bytes from one partition's gradient buffer to the next. */
function gradientStride(floats: number): number {
  return Math.ceil((floats * 4) / 128) * 128;
}

const ROPE_WORD = map.MODEL + map.MODEL_ROPE_TABLE;

function checkConfig(config: TransformerConfig): void {
  const { heads, kvHeads, headSize } = config;
  if (heads % kvHeads !== 0) throw new Error(`kvHeads must divide heads = ${heads}, got ${kvHeads}`);
  if (headSize % 2 !== 0) throw new Error(`headSize must be even, got ${headSize}`);
}

/** Owned state: which blocks of the arena hold what. */
export class ModelMemory {
  /** What training moves. */
  readonly layout: TensorLayout;
  readonly floats: number;
  readonly partitions: number;
  readonly gradientStride: number;
  readonly engine: JobRunner;
  readonly config: TransformerConfig;
  readonly #frozen: FrozenMemory | null;
  readonly #base: FrozenBase["adapted"] | null;
  /** Of the adapters beside a frozen base; null without one. */
  readonly adapterRank: number | null;
  readonly #slots: Partial<Record<Slot, SlotState>> = {};
  #gradients = 0;
  #moments: { readonly first: number; readonly second: number } | null = null;
  #ropePositions = 0;

  /** @param base of which training moves adapters alone; null where it moves all weights. */
  constructor(engine: JobRunner, config: TransformerConfig, partitions: number, base: FrozenBase | null = null) {
    checkConfig(config);
    this.engine = engine;
    this.config = config;
    this.layout = base?.adapted.layout ?? parameterLayout(config);
    this.floats = sizeOf(this.layout);
    this.partitions = partitions;
    this.gradientStride = gradientStride(this.floats);
    writeShape(engine.arena, config);
    this.#base = base?.adapted ?? null;
    this.adapterRank = base?.adapted.matrices[0]?.a.shape[0] ?? null;
    this.#frozen = base && new FrozenMemory(engine.arena, config, base);
    engine.kernels.prepare();
  }

  /** Reads of a frozen base what still lies in files. */
  async fill(): Promise<void> {
    await this.#frozen?.fill();
  }

  /** Address of a slot's weights; throws where they were never set. */
  weights(slot: Slot): number {
    const state = this.#slots[slot];
    if (!state) throw new Error(`internal: the ${slot} weights are not set`);
    return state.weights;
  }

  /** Takes a slot's weights from a flat array. */
  setWeights(slot: Slot, weights_N: Float32Array): void {
    if (weights_N.length !== this.floats) throw new Error(`weights must have ${this.floats} values, got ${weights_N.length}`);
    this.holdWeights(slot);
    this.engine.arena.floats(this.weights(slot), this.floats).set(weights_N);
    this.weightsChanged(slot);
    if (!this.#frozen) return;
    // The policy's count even where they change nothing yet: their gradients follow from what they make of their inputs.
    const isCounted = slot === "policy" || this.#frozen.changes(weights_N);
    this.#slotWords(slot)[map.SLOT_ADAPTED >> 2] = Number(isCounted);
    const state = this.#slots[slot]!;
    if (!isCounted || state.forwardPanels > 0) return;
    state.forwardPanels = this.engine.arena.reserve(this.engine.kernels.panelBytes(0));
    this.#writeSlot(slot, state);
  }

  /** Takes a slot's room, if it has none yet. */
  holdWeights(slot: Slot): void {
    if (this.#slots[slot]) return;
    const { arena, kernels } = this.engine;
    const weights = arena.reserve(this.floats * 4);
    // A reference is most often the base itself.
    const forwardPanels = this.#frozen && slot === "reference" ? 0 : arena.reserve(kernels.panelBytes(0));
    const state = { weights, forwardPanels, backwardPanels: 0, forwardStale: true, backwardStale: true };
    this.#slots[slot] = state;
    this.#writeSlot(slot, state);
  }

  /** All weights of the policy, in the order of parameterLayout, its adapters added in. */
  wholeWeights(): Float32Array {
    const own = this.engine.arena.floats(this.weights("policy"), this.floats);
    return this.#frozen && this.#base ? mergeAdapters(this.#base, this.#frozen.widenedWeights(), own) : own.slice();
  }

  #slotWords(slot: Slot): Int32Array {
    return this.engine.arena.words(map.SLOTS + map.SLOT_BYTES * SLOT_INDEX[slot], map.SLOT_BYTES / 4);
  }

  #writeSlot(slot: Slot, state: SlotState): void {
    const words = this.#slotWords(slot);
    words[map.SLOT_WEIGHTS >> 2] = this.#frozen ? this.#frozen.vectors : state.weights;
    words[map.SLOT_ADAPTERS >> 2] = this.#frozen ? state.weights : 0;
    words[map.SLOT_FORWARD_PANELS >> 2] = state.forwardPanels;
    words[map.SLOT_BACKWARD_PANELS >> 2] = state.backwardPanels;
  }

  /** Gives back what a slot holds. */
  dropWeights(slot: Slot): void {
    const state = this.#slots[slot];
    if (!state) return;
    const { arena, kernels } = this.engine;
    arena.giveBack(state.weights, this.floats * 4);
    if (state.forwardPanels > 0) arena.giveBack(state.forwardPanels, kernels.panelBytes(0));
    if (state.backwardPanels > 0) arena.giveBack(state.backwardPanels, kernels.panelBytes(1));
    delete this.#slots[slot];
  }

  /** Packed weights are of no use any more. */
  weightsChanged(slot: Slot): void {
    const state = this.#slots[slot];
    if (state) state.forwardStale = state.backwardStale = true;
  }

  /** Packs what a forward pass needs, and with `backward` what a backward pass needs, if it is stale. Before any take. */
  ensurePacked(slot: Slot, backward: boolean): void {
    this.weights(slot);
    const state = this.#slots[slot]!;
    const engine = this.engine;
    const items = { slot: SLOT_INDEX[slot], count: 4 * this.config.layers + 1 };
    // Of a reference that is the base itself there is nothing to pack.
    if (state.forwardStale && state.forwardPanels > 0) engine.run("packForward", items);
    state.forwardStale = false;
    // A base's matrices are widened as they are used.
    if (!backward || this.#frozen) return;
    if (state.backwardPanels === 0) {
      state.backwardPanels = engine.arena.reserve(engine.kernels.panelBytes(1));
      this.#writeSlot(slot, state);
    }
    if (state.backwardStale) engine.run("packBackward", items);
    state.backwardStale = false;
  }

  /** Address of the first partition's gradients; the others follow at gradientStride. */
  gradients(): number {
    if (this.#gradients === 0) this.#gradients = this.engine.arena.reserve(this.gradientStride * this.partitions);
    return this.#gradients;
  }

  /** Addresses of AdamW's moments. */
  moments(): { readonly first: number; readonly second: number } {
    const { arena } = this.engine;
    this.#moments ??= { first: arena.reserve(this.floats * 4), second: arena.reserve(this.floats * 4) };
    return this.#moments;
  }

  /** Throws for a sequence longer than the model was made for. */
  checkPositions(count: number): void {
    const { maxPositions } = this.config;
    if (count > maxPositions) throw new Error(`sequence length must be <= ${maxPositions} (the model's maxPositions), got ${count}`);
  }

  /** Positions that the rotary table covers. */
  get ropePositions(): number {
    return this.#ropePositions;
  }

  /** Makes sure the rotary table covers so many positions; throws beyond what the model was made for. */
  ensurePositions(count: number): void {
    this.checkPositions(count);
    const { maxPositions, headSize, ropeTheta } = this.config;
    if (count <= this.#ropePositions) return;
    let size = Math.max(128, this.#ropePositions);
    while (size < count) size *= 2;
    size = Math.min(size, maxPositions);
    const { arena } = this.engine;
    const at = arena.reserve(size * headSize * 4);
    const table = arena.floats(at, size * headSize);
    const half = headSize / 2;
    for (let i = 0; i < half; i++) {
      const frequency = power(ropeTheta, (-2 * i) / headSize);
      for (let position = 0; position < size; position++) {
        table[position * headSize + i] = cos(position * frequency);
        table[position * headSize + half + i] = sin(position * frequency);
      }
    }
    if (this.#ropePositions > 0) arena.giveBack(arena.words(ROPE_WORD, 1)[0]!, this.#ropePositions * headSize * 4);
    this.#ropePositions = size;
    arena.words(ROPE_WORD, 1)[0] = at;
  }
}
