// Sampling: prompts go through the model once each, then all their copies decode together from the
// shared keys and values, some steps a call.

import type { Engine } from "../../kernels/wasm/engine.ts";
import { ROLLOUT_ADDRESS } from "../../kernels/wasm/header.ts";
import type { SampleRequest, SampleResult } from "../../rl/policy.ts";
import type { PackedBatch } from "../backend.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { cutParts, cutWaves } from "./batchCut.ts";
import { type ModelMemory, SLOT_INDEX } from "./modelMemory.ts";
import { PARTITION_BYTES, placePartition } from "./partition.ts";

/** What this sampler tells so far: all but entropies. */
type TurnResult = Omit<SampleResult, "entropies_BT">;

/** Rows of prompts that are prefilled at once. */
const PREFILL_ROWS = 4096;
/** Decode steps between two reports of progress. */
const STEPS_PER_CALL = 8;

interface Rollout {
  readonly engine: Engine;
  readonly memory: ModelMemory;
  readonly config: TransformerConfig;
  readonly request: SampleRequest;
}

/** Addresses of what a rollout leaves behind. */
interface RolloutBlocks {
  readonly tokens: number;
  readonly lengths: number;
  readonly logprobs: number;
  readonly stopped: number;
  readonly state: number;
  readonly stateStride: number;
}

/** Each prompt as a unit of its own; its last row is scored, on no particular token. */
function packPrompts(prompts: SampleRequest["prompts"]): PackedBatch {
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

const pad8 = (count: number) => Math.ceil(count / 8) * 8;

/** Takes all blocks of the rollout and writes its words (../../kernels/assembly/promptCache.ts). */
function placeRollout({ engine, config, request }: Rollout, longestPrompt: number): RolloutBlocks {
  const { arena, kernels } = engine;
  const { prompts, copies, maxNewTokens: T } = request;
  const B = prompts.length * copies;
  const promptHidden = arena.take(prompts.length * config.hiddenSize * 4);
  const promptLengths = arena.take(prompts.length * 4);
  const stops = arena.take(request.stopTokens.length * 4);
  const uniforms = arena.take(B * T * 4);
  const tokens = arena.take(B * T * 4);
  const logprobs = arena.take(B * T * 4);
  const lengths = arena.take(B * 4);
  const stopped = arena.take(B * 4);
  const promptCache = arena.take(kernels.cacheBytes(longestPrompt) * prompts.length);
  const ownCache = arena.take(kernels.cacheBytes(T) * B);
  const stateStride = kernels.decodeBytes(Math.ceil(B / engine.threads), pad8(longestPrompt) + pad8(T));
  const state = arena.take(stateStride * engine.threads);
  arena.words(promptLengths, prompts.length).set(prompts.map((prompt) => prompt.length));
  arena.words(stops, request.stopTokens.length).set(request.stopTokens);
  arena.floats(uniforms, B * T).set(request.uniforms_BT.subarray(0, B * T));
  arena.words(tokens, B * T).fill(-1);
  arena.floats(logprobs, B * T).fill(0);
  arena.words(lengths, B).fill(0);
  arena.words(stopped, B).fill(0);
  const words = arena.words(ROLLOUT_ADDRESS, 21);
  words.set([copies, B, T, 0, request.topK, 0, 0, request.stopTokens.length, stops, uniforms, tokens, lengths, logprobs, stopped]);
  words.set([promptLengths, promptCache, longestPrompt, ownCache, promptHidden, state, stateStride], 14);
  const values = arena.floats(ROLLOUT_ADDRESS, 21);
  values[3] = request.temperature;
  values[5] = request.topP;
  values[6] = request.minP;
  return { tokens, lengths, logprobs, stopped, state, stateStride };
}

/** Runs all prompts through the model; their keys, values and last rows land in the rollout's blocks. */
function prefill({ engine, memory, config, request }: Rollout): void {
  const batch = packPrompts(request.prompts);
  const rows_U = batch.segmentLength_S;
  const { arena } = engine;
  const here = arena.here();
  for (const units of cutWaves(rows_U, PREFILL_ROWS)) {
    arena.backTo(here);
    const parts = cutParts(rows_U, units, Math.max(memory.partitions, engine.threads));
    const address = arena.take(parts.length * PARTITION_BYTES);
    for (const [p, part] of parts.entries())
      placePartition(arena, config, batch, part, address + p * PARTITION_BYTES, { gradients: null, firstPrompt: part.first });
    engine.run("forward", { slot: SLOT_INDEX.policy, count: parts.length, partitions: address });
  }
}

function readResult(engine: Engine, blocks: RolloutBlocks, B: number, T: number): TurnResult {
  const { arena } = engine;
  return {
    tokens_BT: arena.words(blocks.tokens, B * T).slice(),
    lengths_B: arena.words(blocks.lengths, B).slice(),
    logprobs_BT: arena.floats(blocks.logprobs, B * T).slice(),
    stopped_B: Uint8Array.from(arena.words(blocks.stopped, B)),
  };
}

function checkRequest({ prompts, copies, maxNewTokens, uniforms_BT }: SampleRequest, vocabularySize: number): void {
  for (const prompt of prompts) {
    if (prompt.length === 0) throw new Error("prompt must have >= 1 tokens, got 0");
    for (const token of prompt)
      if (!(token >= 0 && token < vocabularySize)) throw new Error(`token must be >= 0 and < ${vocabularySize}, got ${token}`);
  }
  const draws = prompts.length * copies * maxNewTokens;
  if (uniforms_BT.length < draws) throw new Error(`internal: uniforms must be ${draws}, got ${uniforms_BT.length}`);
}

/** Samples as SampleRequest says, with the policy's weights. */
export function sampleRollout(engine: Engine, memory: ModelMemory, config: TransformerConfig, request: SampleRequest): TurnResult {
  checkRequest(request, config.vocabularySize);
  const { prompts, copies, maxNewTokens: T } = request;
  const B = prompts.length * copies;
  const longestPrompt = Math.max(1, ...prompts.map((prompt) => prompt.length));
  memory.ensurePositions(longestPrompt + T);
  memory.ensurePacked("policy", false);
  engine.arena.begin();
  engine.takeScratch(longestPrompt);
  const rollout = { engine, memory, config, request };
  const blocks = placeRollout(rollout, longestPrompt);
  if (B > 0 && T > 0) {
    prefill(rollout);
    decode(rollout, blocks);
  }
  return readResult(engine, blocks, B, T);
}

function decode({ engine, request }: Rollout, { state, stateStride }: RolloutBlocks): void {
  const slot = SLOT_INDEX.policy;
  engine.run("beginDecode", { slot });
  for (let done = 0; done < request.maxNewTokens; ) {
    const steps = Math.min(STEPS_PER_CALL, request.maxNewTokens - done);
    engine.run("decode", { slot, steps });
    done += steps;
    let live = 0;
    for (let thread = 0; thread < engine.threads; thread++) live += engine.arena.words(state + thread * stateStride, 1)[0]!;
    request.onProgress?.(live === 0 ? request.maxNewTokens : done, request.maxNewTokens);
    if (live === 0) break;
  }
}
