// Packs sampled groups into the padding-free batch a model trains on: each prompt once, its
// completions behind it, and one scored row for every token that the policy sampled.
import type { PackedBatch } from "../../../model/backend.ts";
import { consecutiveSubarrays } from "../../../rl/objective/types.ts";

/** One prompt with its completions, as token ids. */
export interface TokenGroup {
  readonly promptTokens: readonly number[];
  /** What follows the prompt: tokens the policy sampled, and between its turns such as were inserted. The last is sampled. */
  readonly completions: readonly (readonly number[])[];
  /** For each completion 1 where the policy sampled the token, 0 where it was inserted; left out where it sampled all. */
  readonly masks?: readonly (readonly number[])[];
}

function measure(groups: readonly TokenGroup[]) {
  const extents = { rows: 0, segments: 0, scored: 0, sequences: 0 };
  for (const group of groups) {
    if (group.promptTokens.length === 0) throw new Error("internal: a prompt must have at least one token");
    extents.rows += group.promptTokens.length;
    extents.segments += 1;
    for (const [index, completion] of group.completions.entries()) {
      const mask = group.masks?.[index];
      if (completion.length === 0) throw new Error("internal: a completion must have at least one token");
      if (mask && mask.at(-1) !== 1) throw new Error("internal: a completion must end with a sampled token");
      // The last token predicts nothing, so it needs no row.
      extents.rows += completion.length - 1;
      extents.segments += completion.length > 1 ? 1 : 0;
      extents.scored += mask ? mask.reduce((sum, sampled) => sum + sampled, 0) : completion.length;
      extents.sequences += 1;
    }
  }
  return extents;
}

/**
 * Packs groups in order; sequence q is the q-th completion. The prompt's last row predicts the first
 * token of every completion; row i of a completion predicts its token i + 1. The K scored tokens are the
 * sampled ones.
 * @param temperature divides the logits, > 0.
 */
export function packGroups(groups: readonly TokenGroup[], temperature: number): PackedBatch {
  const { rows, segments, scored: tokens, sequences } = measure(groups);
  const next = consecutiveSubarrays(new Int32Array(rows + 3 * segments + 2 * tokens + sequences + 1 + 2 * (groups.length + 1)));
  const batch: PackedBatch = {
    tokens_N: next(rows),
    segmentStart_S: next(segments),
    segmentLength_S: next(segments),
    segmentPrefix_S: next(segments),
    scoreRow_K: next(tokens),
    scoreTarget_K: next(tokens),
    sequenceStart_Q: next(sequences + 1),
    unitSegment_U: next(groups.length + 1),
    unitSequence_U: next(groups.length + 1),
    temperature,
  };
  let row = 0;
  let segment = 0;
  let scored = 0;
  let sequence = 0;
  for (const [unit, group] of groups.entries()) {
    batch.unitSegment_U[unit] = segment;
    batch.unitSequence_U[unit] = sequence;
    const prefix = segment;
    batch.segmentStart_S[segment] = row;
    batch.segmentLength_S[segment] = group.promptTokens.length;
    batch.segmentPrefix_S[segment] = -1;
    segment += 1;
    batch.tokens_N.set(group.promptTokens, row);
    row += group.promptTokens.length;
    const lastPromptRow = row - 1;
    for (const [index, completion] of group.completions.entries()) {
      const mask = group.masks?.[index];
      batch.sequenceStart_Q[sequence] = scored;
      sequence += 1;
      for (let i = 0; i < completion.length; i++) {
        // Inserted tokens are context: they have a row, and no score.
        if (mask && mask[i] === 0) continue;
        batch.scoreRow_K[scored] = i === 0 ? lastPromptRow : row + i - 1;
        batch.scoreTarget_K[scored] = completion[i]!;
        scored += 1;
      }
      if (completion.length === 1) continue;
      batch.segmentStart_S[segment] = row;
      batch.segmentLength_S[segment] = completion.length - 1;
      batch.segmentPrefix_S[segment] = prefix;
      segment += 1;
      for (let i = 0; i + 1 < completion.length; i++) batch.tokens_N[row + i] = completion[i]!;
      row += completion.length - 1;
    }
  }
  batch.unitSegment_U[groups.length] = segment;
  batch.unitSequence_U[groups.length] = sequence;
  batch.sequenceStart_Q[sequence] = scored;
  return batch;
}
