// What a workload takes of TensorFlow.js's memory. Its operations make a tensor each and plan nothing, so
// this counts those that forward.ts and scoring.ts make and a forward pass keeps to its end. A gradient
// keeps those it needs and makes others on its way back: how many times as many was measured.

import type { MemoryPart } from "../../protocol/memory.ts";
import { type OpenRequest, slotsOf } from "../../rl/policy.ts";
import type { PackedBatch, RolloutSize, Workload } from "../backend.ts";
import { cutSequences, partOf, type WaveSizes } from "../samplerWaves.ts";
import { parameterCount, type TransformerConfig } from "../transformerConfig.ts";
import { type PaddedPiece, padBatch } from "./padding.ts";

/** Rows of one forward when nothing limits them: bounds memory, large enough to be fast. */
export const FORWARD_ROWS = 8192;

/** A block of rows; each attends to `keys` keys at most. */
interface BlockSize {
  readonly rows: number;
  readonly keys: number;
  readonly scored: number;
}

/** Floats of one row in one layer, and of each pair of a row and a key, that a forward pass leaves behind. */
function layerFloats({ hiddenSize: D, intermediateSize: F, heads, kvHeads, headSize: C }: TransformerConfig) {
  const qkv = (heads + 2 * kvHeads) * C;
  const rotated = (heads + kvHeads) * C;
  return { row: 9 * D + 2 * qkv + rotated + 6 * heads * C + 3 * kvHeads * C + 7 * F, pair: 4 * heads };
}

/** How often what belongs to a row, to a pair of a row and a key, and to a scored row is there at the peak. */
interface Shares {
  readonly row: number;
  readonly pair: number;
  readonly scored: number;
}

const FORWARD: Shares = { row: 1, pair: 1, scored: 1 };
const WITH_GRADIENT: Shares = { row: 3.3, pair: 1.9, scored: 2.8 };

function passBytes(config: TransformerConfig, { rows, keys, scored }: BlockSize, shares: Shares): number {
  const { row, pair } = layerFloats(config);
  const { hiddenSize: D, vocabularySize: V, layers } = config;
  const ofRows = shares.row * rows * (layers * row + 2 * D);
  const ofPairs = shares.pair * rows * layers * pair * keys;
  return 4 * (ofRows + ofPairs + shares.scored * scored * (D + 8 * V) + V * D);
}

/** Bytes of one position's keys and values in all layers. */
const positionBytes = ({ layers, kvHeads, headSize }: TransformerConfig): number => layers * 2 * kvHeads * headSize * 4;

/** Bytes of a prompt and of one of its sequences while it is sampled, with room for so many tokens after the prompt. */
export function waveSizes(config: TransformerConfig, request: OpenRequest, room: number): WaveSizes {
  const longest = request.prompts.reduce((most, { length }) => Math.max(most, length), 0);
  const keys = longest + room;
  const { row, pair } = layerFloats(config);
  // The cache before and after a step, the step's own tensors, and its logits.
  const step = 4 * (config.layers * (row + pair * keys) + 2 * config.hiddenSize + config.vocabularySize);
  return {
    promptBytes: 4 * config.layers * longest * (row + pair * longest),
    // The slot whose turn it is grows its cache, another's rests.
    sequenceBytes: (1 + slotsOf(request).length) * keys * positionBytes(config) + step,
  };
}

/** Bytes of the largest wave of a rollout. */
function rolloutBytes(config: TransformerConfig, rollout: RolloutSize): number {
  const sizes = waveSizes(config, rollout, rollout.expectedTokens);
  const [wave] = cutSequences(rollout.promptOf_B, sizes);
  if (!wave) return 0;
  const { prompts, promptOf_B } = partOf(rollout, wave, rollout.expectedTokens);
  return Math.max(prompts.length * sizes.promptBytes, promptOf_B.length * sizes.sequenceBytes);
}

const sizeOf = ({ tokens_BT, T, rows_K }: PaddedPiece): BlockSize => ({ rows: tokens_BT.length, keys: T, scored: rows_K.length });

/** What weights are asked to score, beside the policy's own update. */
function scoredBatches({ scores, scored, probed }: Workload): readonly PackedBatch[] {
  return [...(scores.length > 0 ? [scored] : []), ...(probed ? [probed] : [])];
}

/** What each kind of request takes at its peak, beside the weights. */
function requestParts(config: TransformerConfig, workload: Workload): readonly MemoryPart[] {
  const largest = (pieces: readonly PaddedPiece[], shares: Shares) =>
    pieces.reduce((most, piece) => Math.max(most, passBytes(config, sizeOf(piece), shares)), 0);
  const sampling = workload.rollouts.map((rollout) => rolloutBytes(config, rollout));
  return [
    { title: "Keys and values while sampling", bytes: Math.max(0, ...sampling) },
    {
      title: "Activations while scoring",
      bytes: largest(
        scoredBatches(workload).flatMap((batch) => padBatch(batch, FORWARD_ROWS)),
        FORWARD,
      ),
    },
    { title: "Activations of a micro-batch", bytes: largest(padBatch(workload.updated, workload.microBatchTokens), WITH_GRADIENT) },
  ];
}

/** Bytes of tensors that stay, and of the largest request, whose tensors are there while it lasts. */
export function countComposedMemory(
  config: TransformerConfig,
  workload: Workload,
): { readonly held: readonly MemoryPart[]; readonly request: MemoryPart } {
  const flat = 4 * parameterCount(config);
  const held = [
    { title: "Weights", bytes: flat },
    // What a micro-batch adds is there beside the sum.
    { title: "Gradients", bytes: 2 * flat },
    { title: "Optimizer's moments", bytes: 2 * flat },
    ...(workload.hasReference ? [{ title: "Reference", bytes: flat }] : []),
  ];
  return { held, request: requestParts(config, workload).reduce((most, part) => (part.bytes > most.bytes ? part : most)) };
}
