// Open sequences on the kernels' memory. Prompts go through the model once, and their sequences decode
// together from the shared keys and values. The caches stay in the arena from turn to turn; what one lacks,
// its sequence's last token and what was inserted since, goes through the model as the next turn begins. The
// sequences' own caches lie last, so that they can grow where they are: keys and values are moved, not made again.

import * as map from "../../kernels/assembly/memoryMap.ts";
import { type OpenRequest, slotsOf, type TurnRequest, type WeightSlot } from "../../rl/policy.ts";
import type { Sampler } from "../openSequences.ts";
import type { WaveSizes } from "../samplerWaves.ts";
import type { ModelMemory } from "./modelMemory.ts";
import { prefill } from "./prefill.ts";
import { decodeTurn } from "./turn.ts";

/** Keys and values that one slot's weights made, and where they lie. */
interface SlotCache {
  readonly promptCache: number;
  readonly promptHidden: number;
  readonly ownCache: number;
  /** Tokens after the prompt that are in a sequence's own cache. */
  readonly cached_B: Int32Array;
}

/** The blocks of open sequences, held in the arena. */
interface Caches {
  readonly longestPrompt: number;
  /** Positions of each sequence's own cache. */
  readonly capacity: number;
  readonly bySlot: ReadonlyMap<WeightSlot, SlotCache>;
  /** Where the blocks of a turn begin. */
  readonly end: number;
}

const pad8 = (count: number) => Math.ceil(count / 8) * 8;

function longestOf(prompts: OpenRequest["prompts"]): number {
  return prompts.reduce((longest, { length }) => Math.max(longest, length), 0);
}

/** Bytes of a prompt's block and of those of one of its sequences, with room for so many tokens after the prompt. */
export function waveSizes({ engine, config }: ModelMemory, request: OpenRequest, room: number): WaveSizes {
  const { kernels } = engine;
  const longestPrompt = longestOf(request.prompts);
  const capacity = Math.min(room, config.maxPositions);
  const slots = slotsOf(request).length;
  return {
    promptBytes: slots * (kernels.cacheBytes(longestPrompt) + config.hiddenSize * 4),
    // What a row adds to the decoding state where there are many.
    sequenceBytes: slots * kernels.cacheBytes(capacity) + (kernels.decodeBytes(256, 0, 1) - kernels.decodeBytes(128, 0, 1)) / 128,
  };
}

/** Says which caches the kernels read and write. */
function pointAt({ engine }: ModelMemory, cache: SlotCache, longestPrompt: number, capacity: number): void {
  const words = engine.arena.words(map.SAMPLER, map.SAMPLER_BYTES / 4);
  words[map.SAMPLER_PROMPT_CACHE >> 2] = cache.promptCache;
  words[map.SAMPLER_PROMPT_CAPACITY >> 2] = longestPrompt;
  words[map.SAMPLER_PROMPT_HIDDEN >> 2] = cache.promptHidden;
  words[map.SAMPLER_OWN_CACHE >> 2] = cache.ownCache;
  words[map.SAMPLER_OWN_CAPACITY >> 2] = capacity;
}

/** Takes room for so many tokens after each prompt, and runs the prompts. */
export function takeCaches(memory: ModelMemory, request: OpenRequest, capacity: number): Caches {
  const { engine, config } = memory;
  const { arena, kernels } = engine;
  const { prompts, promptOf_B } = request;
  const longestPrompt = longestOf(prompts);
  // Some turns more than what was expected.
  memory.ensurePositions(Math.max(longestPrompt, Math.min(config.maxPositions, longestPrompt + 4 * capacity)));
  const slots = slotsOf(request);
  for (const slot of slots) memory.ensurePacked(slot, false);
  arena.begin();
  engine.takeScratch(longestPrompt);
  const ofPrompts = slots.map((slot) => ({
    slot,
    promptHidden: arena.take(prompts.length * config.hiddenSize * 4),
    promptCache: arena.take(kernels.cacheBytes(longestPrompt) * prompts.length),
    cached_B: new Int32Array(promptOf_B.length),
  }));
  const bySlot = new Map<WeightSlot, SlotCache>();
  for (const { slot, ...cache } of ofPrompts)
    bySlot.set(slot, { ...cache, ownCache: arena.take(kernels.cacheBytes(capacity) * promptOf_B.length) });
  for (const [slot, cache] of bySlot) {
    pointAt(memory, cache, longestPrompt, capacity);
    prefill(memory, prompts, slot);
  }
  arena.hold();
  return { longestPrompt, capacity, bySlot, end: arena.here() };
}

/** The same caches with room for so many tokens after each prompt, where they are. */
function grownCaches({ engine, config }: ModelMemory, caches: Caches, sequences: number, capacity: number): Caches {
  const { arena, kernels } = engine;
  const before = kernels.cacheBytes(caches.capacity);
  const after = kernels.cacheBytes(capacity);
  // Keys and values of each layer and head in turn, each a run that starts with the first position.
  const runs = 2 * config.layers * config.kvHeads;
  const slots = [...caches.bySlot];
  arena.backTo(slots[0]![1].ownCache);
  const bySlot = new Map(slots.map(([slot, cache]) => [slot, { ...cache, ownCache: arena.take(after * sequences) }]));
  // From the last to the first: every run moves up, and none onto one that is still to be moved.
  for (const [slot, { ownCache: from }] of slots.reverse()) {
    const to = bySlot.get(slot)!.ownCache;
    const bytes = arena.bytes(0, to + after * sequences);
    for (let run = sequences * runs - 1; run >= 0; run--)
      bytes.copyWithin(to + (run * after) / runs, from + (run * before) / runs, from + ((run + 1) * before) / runs);
  }
  return { ...caches, capacity, bySlot, end: arena.here() };
}

/** Most keys a row of these caches attends to, each part padded to 8. */
export const cacheKeys = ({ longestPrompt, capacity }: Caches): number => pad8(longestPrompt) + pad8(capacity);

/** Most tokens after the prompt that a sequence of the turn may reach; throws where that is more than the model takes. */
function tokensAfter(
  memory: ModelMemory,
  { prompts, promptOf_B }: OpenRequest,
  own_B: readonly (readonly number[])[],
  turn: TurnRequest,
): number {
  let most = 0;
  for (const sequence of turn.sequences_B) {
    const tokens = own_B[sequence]!.length + turn.maxNewTokens;
    memory.checkPositions(prompts[promptOf_B[sequence]!]!.length + tokens);
    most = Math.max(most, tokens);
  }
  return most;
}

/** Samples with the weights of each turn's slot. Nothing is taken before the first turn. */
export function wasmSampler(memory: ModelMemory, request: OpenRequest): Sampler {
  const { engine, config } = memory;
  const { prompts, promptOf_B } = request;
  let capacity = Math.max(1, request.expectedTokens);
  let caches: Caches | null = null;

  function close(): void {
    if (caches) engine.arena.release();
    caches = null;
  }

  function cachesFor(tokens: number): Caches {
    if (caches && tokens <= caches.capacity) return caches;
    while (capacity < tokens) capacity *= 2;
    const room = Math.min(capacity, config.maxPositions);
    // The rotary table cannot grow while sequences are held, so that beyond it everything begins anew.
    if (caches && caches.longestPrompt + room <= memory.ropePositions) {
      caches = grownCaches(memory, caches, promptOf_B.length, room);
      return caches;
    }
    close();
    caches = takeCaches(memory, request, room);
    return caches;
  }

  return {
    async sample(own_B, turn) {
      const held = cachesFor(tokensAfter(memory, request, own_B, turn));
      const cache = held.bySlot.get(turn.slot ?? "policy");
      if (!cache) throw new Error(`internal: sequences were not opened for the ${turn.slot}`);
      pointAt(memory, cache, held.longestPrompt, held.capacity);
      const rows_B = Array.from(turn.sequences_B, (sequence) => {
        const prompt = promptOf_B[sequence]!;
        const cached = cache.cached_B[sequence]!;
        return { sequence, prompt, promptLength: prompts[prompt]!.length, cached, forced: own_B[sequence]!.slice(cached) };
      });
      engine.arena.backTo(held.end);
      const { result, cached_B } = decodeTurn(engine, rows_B, turn, cacheKeys(held));
      for (const [b, { sequence }] of rows_B.entries()) cache.cached_B[sequence] = cached_B[b]!;
      return result;
    },
    close,
  };
}
