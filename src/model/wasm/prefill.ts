// Prompts go through the model once each. What their sequences go on from, keys and values of every
// layer and the last hidden row, lands where the sampler's words say.

import { PARTITION_BYTES } from "../../kernels/assembly/memoryMap.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import type { PackedBatch } from "../backend.ts";
import { type ModelMemory, SLOT_INDEX } from "./modelMemory.ts";
import { cutMicroBatches, cutParts, placePartition } from "./partition.ts";

/** Rows of prompts that are computed at once. */
const PREFILL_ROWS = 4096;

/** Each prompt as a unit of its own; its last row is scored, on no particular token. */
function packPrompts(prompts: readonly (readonly number[])[]): PackedBatch {
  const count = prompts.length;
  const lengths = prompts.map((prompt) => prompt.length);
  const starts: number[] = [0];
  for (const length of lengths) starts.push(starts[starts.length - 1]! + length);
  const each = Int32Array.from({ length: count + 1 }, (_, i) => i);
  return {
    tokens_N: Int32Array.from(prompts.flat()),
    segmentStart_S: Int32Array.from(starts.slice(0, count)),
    segmentLength_S: Int32Array.from(lengths),
    segmentPrefix_S: new Int32Array(count).fill(-1),
    scoreRow_K: Int32Array.from(starts.slice(1), (end) => end - 1),
    scoreTarget_K: new Int32Array(count),
    sequenceStart_Q: each,
    unitSegment_U: each,
    unitSequence_U: each,
    temperature: 1,
  };
}

/** Runs all prompts through a slot's weights; takes nothing from the arena that stays. */
export function prefill(
  { engine, config, partitions, adapterRank }: ModelMemory,
  prompts: readonly (readonly number[])[],
  slot: WeightSlot,
): void {
  const batch = packPrompts(prompts);
  const rows_U = batch.segmentLength_S;
  const { arena } = engine;
  const here = arena.here();
  for (const units of cutMicroBatches(rows_U, PREFILL_ROWS)) {
    const parts = cutParts(rows_U, units, Math.max(partitions, engine.threads));
    const address = arena.take(parts.length * PARTITION_BYTES);
    for (const [p, part] of parts.entries())
      placePartition(arena, config, batch, part, address + p * PARTITION_BYTES, { gradients: null, firstPrompt: part.first, adapterRank });
    engine.run("forward", { slot: SLOT_INDEX[slot], count: parts.length, partitions: address });
    arena.backTo(here);
  }
}
