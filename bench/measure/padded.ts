// The batch that a trainer without packing would compute: every completion a unit of its own with its
// own copy of the prompt, all as long as the longest prompt and the longest completion together.
import type { PackedBatch } from "../../src/model/backend.ts";
import type { TokenGroup } from "../../src/train/step/update/batch.ts";

/**
 * Same scored tokens in the same order as packGroups(groups), followed in each sequence by scored
 * padding up to the longest completion. Padding comes last, so that no real token sees it.
 */
export function packPadded(groups: readonly TokenGroup[], padToken: number, temperature: number): PackedBatch {
  const sequences = groups.flatMap(({ promptTokens, completions }) => completions.map((completion) => ({ promptTokens, completion })));
  const longestPrompt = Math.max(...sequences.map(({ promptTokens }) => promptTokens.length));
  const longestCompletion = Math.max(...sequences.map(({ completion }) => completion.length));
  // The last token predicts nothing, so it needs no row.
  const rows = longestPrompt + longestCompletion - 1;
  const count = sequences.length;
  const each = (step: number) => Int32Array.from({ length: count + 1 }, (_, q) => q * step);
  const tokens_N = new Int32Array(count * rows).fill(padToken);
  const scoreRow_K = new Int32Array(count * longestCompletion);
  const scoreTarget_K = new Int32Array(count * longestCompletion).fill(padToken);
  for (const [q, { promptTokens, completion }] of sequences.entries()) {
    tokens_N.set([...promptTokens, ...completion].slice(0, rows), q * rows);
    for (let i = 0; i < longestCompletion; i++) scoreRow_K[q * longestCompletion + i] = q * rows + promptTokens.length - 1 + i;
    scoreTarget_K.set(completion, q * longestCompletion);
  }
  return {
    tokens_N,
    segmentStart_S: each(rows).subarray(0, count),
    segmentLength_S: new Int32Array(count).fill(rows),
    segmentPrefix_S: new Int32Array(count).fill(-1),
    scoreRow_K,
    scoreTarget_K,
    sequenceStart_Q: each(longestCompletion),
    unitSegment_U: each(1),
    unitSequence_U: each(1),
    temperature,
  };
}
