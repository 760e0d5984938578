// Cuts a step's sequences into the pieces that one optimizer step each sees.
import type { PackedBatch } from "../../../model/backend.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { Random } from "../../../rl/random.ts";
import { packGroups, type TokenGroup } from "./batch.ts";
import { cutGroups } from "./cutGroups.ts";

/** A packed part of a step and where its sequences and tokens stand in the whole. */
export interface Minibatch {
  /** Its sequences, ascending; none are named where it is the whole step. */
  readonly sequences: readonly number[];
  readonly batch: PackedBatch;
  /** Token of the whole step at each scored place of the minibatch. */
  readonly tokenOf_K: Int32Array;
}

/** The whole step as its only minibatch. */
export function wholeBatch(batch: PackedBatch): Minibatch {
  const tokenOf_K = new Int32Array(batch.scoreTarget_K.length);
  for (let k = 0; k < tokenOf_K.length; k++) tokenOf_K[k] = k;
  return { sequences: [], batch, tokenOf_K };
}

/** Cuts shuffled sequences into so many parts as equal as can be; completions of one prompt in a part share it. */
export function splitMinibatches(
  groups: readonly TokenGroup[],
  whole: PackedBatch,
  random: Random,
  { minibatches, microBatchTokens }: Pick<RunConfig, "minibatches" | "microBatchTokens">,
): readonly Minibatch[] {
  const sequences = groups.flatMap((group, g) => group.completions.map((_, member) => ({ group: g, member })));
  const order = sequences.map((_, q) => q);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  const parts = Math.min(minibatches, order.length);
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * order.length) / parts);
    const to = Math.floor(((part + 1) * order.length) / parts);
    // Sorted so that a group's completions are neighbours and its prompt is packed once.
    return packSequences(
      groups,
      sequences,
      whole,
      order.slice(from, to).sort((a, b) => a - b),
      microBatchTokens,
    );
  });
}

function packSequences(
  groups: readonly TokenGroup[],
  sequences: readonly { readonly group: number; readonly member: number }[],
  whole: PackedBatch,
  chosen: readonly number[],
  maxRows: number,
): Minibatch {
  const membersOf: number[][] = groups.map(() => []);
  for (const q of chosen) membersOf[sequences[q]!.group]!.push(sequences[q]!.member);
  const parts = groups.flatMap((group, index): TokenGroup[] => {
    const members = membersOf[index]!;
    if (members.length === 0) return [];
    const pick = <Item>(items: readonly Item[]) => members.map((member) => items[member]!);
    return [{ ...group, completions: pick(group.completions), ...(group.masks ? { masks: pick(group.masks) } : {}) }];
  });
  const tokenOf = chosen.flatMap((q) => {
    const start = whole.sequenceStart_Q[q]!;
    return Array.from({ length: whole.sequenceStart_Q[q + 1]! - start }, (_, i) => start + i);
  });
  const batch = packGroups(cutGroups(parts, maxRows), whole.temperature);
  return { sequences: chosen, batch, tokenOf_K: Int32Array.from(tokenOf) };
}

/** values[index[i]] for every i, as the same kind of array. */
export function gather<A extends Float32Array | Float64Array | Uint8Array>(values: A, index: Int32Array): A {
  const gathered = new (values.constructor as new (length: number) => A)(index.length);
  for (let i = 0; i < index.length; i++) gathered[i] = values[index[i]!]!;
  return gathered;
}
