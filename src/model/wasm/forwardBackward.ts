// One micro-batch at a time: place its partitions, forward, objective, backward.

import { PARTITION_BYTES } from "../../kernels/assembly/memoryMap.ts";
import type { Arena } from "../../kernels/wasm/arena.ts";
import type { JobRunner } from "../../kernels/wasm/engine.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import { emptyScores, type Objective, type PackedBatch, type Span, type TokenScores, unitRows } from "../backend.ts";
import { checkTokens } from "../openSequences.ts";
import { type ModelMemory, SLOT_INDEX } from "./modelMemory.ts";
import { cutMicroBatches, cutParts, keptRowBytes, placePartition } from "./partition.ts";

/** Rows scored at once; only memory depends on it. */
export const SCORE_ROWS = 4096;

/**
 * What an update may keep beside a frozen base, whose layers are many and wide: two prompts of 40 tokens with four
 * completions of 48 each in SmolLM2-135M, one for each of two threads.
 */
const KEPT_BYTES = 384 * 2 ** 20;

/** Rows of a micro-batch where so many were asked for. */
function microBatchRows({ config, adapterRank }: ModelMemory, asked: number): number {
  return adapterRank === null ? asked : Math.min(asked, Math.floor(KEPT_BYTES / keptRowBytes(config, adapterRank)));
}

/** Most keys any row of the batch attends to. */
function longestSequence(batch: PackedBatch): number {
  let longest = 1;
  for (let s = 0; s < batch.segmentLength_S.length; s++) {
    const prefix = batch.segmentPrefix_S[s]!;
    longest = Math.max(longest, batch.segmentLength_S[s]! + (prefix < 0 ? 0 : batch.segmentLength_S[prefix]!));
  }
  return longest;
}

/** Packs weights and grows tables for a batch; must come before anything is taken from the arena. */
function prepareBatch(memory: ModelMemory, batch: PackedBatch, slot: WeightSlot, backward: boolean): void {
  checkTokens(batch.tokens_N, memory.config.vocabularySize);
  checkTokens(batch.scoreTarget_K, memory.config.vocabularySize);
  memory.ensurePositions(longestSequence(batch));
  memory.ensurePacked(slot, backward);
}

function placeMicroBatch(memory: ModelMemory, batch: PackedBatch, rows_U: Int32Array, units: Span, gradients: number | null) {
  const { engine, config } = memory;
  engine.arena.begin();
  const parts = cutParts(rows_U, units, memory.partitions);
  const address = engine.arena.take(parts.length * PARTITION_BYTES);
  const partitions = parts.map((part, p) =>
    placePartition(engine.arena, config, batch, part, address + p * PARTITION_BYTES, {
      gradients: gradients === null ? null : gradients + p * memory.gradientStride,
      firstPrompt: null,
      adapterRank: memory.adapterRank,
    }),
  );
  engine.takeScratch(longestSequence(batch));
  return { partitions, address };
}
/** Partitions that are in memory together, and the address of their words. */
type Placed = ReturnType<typeof placeMicroBatch>;

function readScores(engine: JobRunner, placed: Placed, scores: TokenScores): void {
  for (const { firstToken, tokens, logprobs, entropies, values } of placed.partitions) {
    scores.logprobs_K.set(engine.arena.floats(logprobs, tokens), firstToken);
    scores.entropies_K.set(engine.arena.floats(entropies, tokens), firstToken);
    scores.values_K?.set(engine.arena.floats(values, tokens), firstToken);
  }
}

/** Forward over the whole batch. Micro-batches only bound memory: their cut does not change a bit of the result. */
export function scoreBatch(memory: ModelMemory, batch: PackedBatch, slot: WeightSlot, maxRows: number): TokenScores {
  prepareBatch(memory, batch, slot, false);
  const { engine, config } = memory;
  const scores = emptyScores(batch.scoreRow_K.length, config);
  const rows_U = unitRows(batch);
  for (const units of cutMicroBatches(rows_U, maxRows)) {
    const placed = placeMicroBatch(memory, batch, rows_U, units, null);
    const { address: partitions } = placed;
    engine.run("forward", { slot: SLOT_INDEX[slot], count: placed.partitions.length, partitions, temperature: batch.temperature });
    readScores(engine, placed, scores);
  }
  return scores;
}

/** Asks the objective about a micro-batch's sequences and hands each partition its part of the gradient. */
function applyObjective(arena: Arena, batch: PackedBatch, placed: Placed, units: Span, scores: TokenScores, objective: Objective): void {
  const firstSequence = batch.unitSequence_U[units.first]!;
  const lastSequence = batch.unitSequence_U[units.last]!;
  const firstToken = batch.sequenceStart_Q[firstSequence]!;
  const lastToken = batch.sequenceStart_Q[lastSequence]!;
  const part: TokenScores = {
    logprobs_K: scores.logprobs_K.subarray(firstToken, lastToken),
    entropies_K: scores.entropies_K.subarray(firstToken, lastToken),
    values_K: scores.values_K?.subarray(firstToken, lastToken) ?? null,
  };
  const gradient = objective(part, { firstSequence, lastSequence, firstToken });
  for (const partition of placed.partitions) {
    const from = partition.firstToken - firstToken;
    const put = (at: number, source: Float32Array | null) => {
      const target = arena.floats(at, partition.tokens);
      if (source) target.set(source.subarray(from, from + partition.tokens));
      else target.fill(0);
    };
    put(partition.logprobGradients, gradient.logprobs_K);
    put(partition.entropyGradients, gradient.entropies_K);
    put(partition.valueGradients, gradient.values_K);
  }
}

/** Forward, objective and backward, one micro-batch of about microBatchTokens rows, or as many as may be kept, after the other. */
export function accumulateBatch(memory: ModelMemory, batch: PackedBatch, objective: Objective, microBatchTokens: number): TokenScores {
  prepareBatch(memory, batch, "policy", true);
  const { engine, config } = memory;
  const scores = emptyScores(batch.scoreRow_K.length, config);
  const rows_U = unitRows(batch);
  for (const units of cutMicroBatches(rows_U, microBatchRows(memory, microBatchTokens))) {
    const placed = placeMicroBatch(memory, batch, rows_U, units, memory.gradients());
    const job = { slot: SLOT_INDEX.policy, count: placed.partitions.length, partitions: placed.address, temperature: batch.temperature };
    engine.run("forward", job);
    readScores(engine, placed, scores);
    applyObjective(engine.arena, batch, placed, units, scores, objective);
    engine.run("backward", job);
  }
  return scores;
}
