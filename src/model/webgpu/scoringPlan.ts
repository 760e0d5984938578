// Forward over packed rows for scores, with or without keeping what a backward pass needs. A plan holds
// the buffers for some capacity and the programs over them; a larger batch makes a new plan.

import { Arena, type BufferSource, planIn } from "../../kernels/webgpu/arena.ts";
import { decodeTile } from "../../kernels/webgpu/gemm.ts";
import { rowInfoWords } from "../../kernels/webgpu/kernel.ts";
import { type Operation, readStaging, resize, rowGrid } from "../../kernels/webgpu/program.ts";
import { tokenScoresKernel } from "../../kernels/webgpu/tokenScores.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import type { TokenGradients, TokenScores } from "../backend.ts";
import { type BackwardBuffers, backwardBuffers, backwardKernels, backwardOperations, type Capacity } from "./backward.ts";
import type { Engine } from "./engine.ts";
import {
  embedOperation,
  forwardKernels,
  layerBuffers,
  layerOperations,
  logitsOperation,
  type PlannedKernel,
  planKernel,
  tileFor,
} from "./forward.ts";
import type { MicroBatch } from "./microBatch.ts";

/** What the sizes of plans follow from: the model, and what the device can bind and dispatch. */
export type DeviceSizes = Pick<Engine, "shape" | "config" | "bindingBytes" | "workgroups">;

/** Rows scored at once when nothing has to be kept. */
export const SCORING_ROWS = 8192;

/** The RoPE table is made this long at first, if the model allows. */
const USUAL_POSITIONS = 4096;

/** Positions of a plan's RoPE table. */
export function roomyPositions({ config }: DeviceSizes, needed: number): number {
  return Math.max(needed, Math.min(config.maxPositions, USUAL_POSITIONS));
}

/** Room to grow into, so that plans are not made anew for every slightly longer batch. */
const roomy = (needed: number, had: number): number => Math.max(had, Math.ceil((needed * 1.25) / 64) * 64);

/** What a new plan holds, after one that had less than is needed. */
export function scoringCapacity(device: DeviceSizes, needed: Capacity, had: Capacity = { rows: 0, scored: 0, positions: 0 }): Capacity {
  const most = mostPerMicroBatch(device);
  return {
    rows: Math.min(most.rows, roomy(needed.rows, had.rows)),
    scored: Math.min(most.scored, roomy(needed.scored, had.scored)),
    positions: Math.max(had.positions, roomyPositions(device, needed.positions)),
  };
}

/** Largest rows and scored tokens whose buffers this device can bind and whose products it can dispatch. */
export function mostPerMicroBatch(engine: DeviceSizes): { rows: number; scored: number } {
  const { D, F, Q, KV, V, heads } = engine.shape;
  const words = engine.bindingBytes / 4;
  const dispatched = engine.workgroups * decodeTile.rows;
  return {
    rows: Math.min(dispatched, Math.floor(words / Math.max(2 * F, Q + 2 * KV, D, 2 * heads, 2 * rowInfoWords))),
    scored: Math.min(dispatched, Math.floor(words / Math.max(V, D, 4))),
  };
}

function scoresOperation(engine: Engine, kernel: PlannedKernel, slot: WeightSlot, b: BackwardBuffers, x: GPUBuffer): Operation {
  const { parameters, shape } = engine;
  const head = { logits: b.logits, target_token: b.targetToken, scores: b.scores };
  if (!shape.valueHead) return { ...kernel, buffers: head, offsets: {} };
  const from = parameters.offsetOf("model.norm.weight");
  const value = parameters.offsetOf("value_head.weight");
  const { binding, base } = parameters.window(parameters.weights(slot), from, value + shape.D + 1);
  return {
    ...kernel,
    buffers: { ...head, weights: binding, x, score_row: b.scoreRow, inverse_rms: b.finalInverseRms },
    offsets: { norm: from - base, valueWeight: value - base, valueBias: value + shape.D - base },
  };
}

/** Plans scoring with one weight slot; with `keep` also the backward pass. */
export function planScoring(engine: Engine, slot: WeightSlot, capacity: Capacity, keep: boolean) {
  return planIn(new Arena(engine.device, engine.bindingBytes), (arena) => planBuffers(engine, slot, capacity, keep, arena));
}

/** All buffers of a plan. */
export function scoringBuffers<B>(
  engine: Pick<Engine, "shape" | "config"> & { rope(positions: number): B },
  arena: BufferSource<B>,
  capacity: Capacity,
  keep: boolean,
) {
  return {
    layers: layerBuffers(engine, (name, words) => arena.storage(name, words), capacity.rows, keep),
    buffers: backwardBuffers(engine, arena, capacity, keep),
    staging: arena.staging("scores staging", capacity.scored * 4),
  };
}

async function planBuffers(engine: Engine, slot: WeightSlot, capacity: Capacity, keep: boolean, arena: Arena) {
  const { layers, buffers, staging } = scoringBuffers(engine, arena, capacity, keep);
  const kernels = await forwardKernels(engine, tileFor, keep);
  const scores = await planKernel(engine, tokenScoresKernel(engine.shape), ({ scored }) => rowGrid(scored));
  const first = layers[0];
  const last = layers.at(-1);
  if (!first || !last) throw new Error("internal: a model needs a layer");
  const { rowInfo, rope } = buffers;
  const forward = await engine.program(`scoring (${slot})`, arena, [
    embedOperation(engine, kernels, slot, rowInfo, first.x),
    ...layers.flatMap((l, layer) => layerOperations(engine, kernels, slot, layer, rowInfo, rope, l)),
    logitsOperation(engine, kernels, slot, {
      x: last.next,
      scoreRow: buffers.scoreRow,
      logits: buffers.logits,
      inverseRms: buffers.finalInverseRms,
    }),
    scoresOperation(engine, scores, slot, buffers, last.next),
  ]);
  const backward = keep
    ? await engine.program("backward", arena, backwardOperations(engine, await backwardKernels(engine), layers, buffers))
    : null;
  return { capacity, forward, backward, buffers, staging, arena };
}

export type ScoringPlan = Awaited<ReturnType<typeof planBuffers>>;

/** Whether a plan has room for a micro-batch. */
export function fits({ capacity }: Pick<ScoringPlan, "capacity">, { rows, scored, positions }: Capacity): boolean {
  return capacity.rows >= rows && capacity.scored >= scored && capacity.positions >= positions;
}

function scoresFrom(words: ArrayBuffer, valueHead: boolean): TokenScores {
  const packed = new Float32Array(words);
  const column = (i: number) => Float32Array.from({ length: packed.length / 4 }, (_, k) => packed[k * 4 + i]!);
  return { logprobs_K: column(0), entropies_K: column(1), values_K: valueHead ? column(2) : null };
}

/** Uploads a micro-batch, runs the forward pass and reads the scores: one submit, one read. */
export async function runForward(engine: Engine, plan: ScoringPlan, part: MicroBatch, temperature: number): Promise<TokenScores> {
  const { device } = engine;
  const { buffers } = plan;
  const upload = (buffer: GPUBuffer, words: Uint32Array) => device.queue.writeBuffer(buffer, 0, words as Uint32Array<ArrayBuffer>);
  upload(buffers.rowInfo, part.rowInfo);
  upload(buffers.scoreRow, part.scoreRow_K);
  upload(buffers.targetToken, part.targetToken_K);
  if (plan.backward) {
    upload(buffers.rowScores, part.rowScores);
    upload(buffers.tokenRows, part.tokenRows);
  }
  engine.writeCall({ rows: part.rows, scored: part.scored, temperature });
  resize(plan.forward, part);
  await engine.submit([plan.forward], [{ from: buffers.scores, to: plan.staging, words: part.scored * 4 }]);
  const words = part.scored > 0 ? await readStaging(plan.staging, part.scored * 4) : new ArrayBuffer(0);
  return scoresFrom(words, engine.shape.valueHead);
}

/** Uploads d loss / d scores and runs the backward pass of the micro-batch just scored. */
export async function runBackward(engine: Engine, plan: ScoringPlan, part: MicroBatch, given: TokenGradients): Promise<void> {
  if (!plan.backward) throw new Error("internal: this plan keeps nothing for a backward pass");
  const packed = new Float32Array(part.scored * 4);
  for (let k = 0; k < part.scored; k++) {
    packed[k * 4] = given.logprobs_K[k]!;
    packed[k * 4 + 1] = given.entropies_K?.[k] ?? 0;
    packed[k * 4 + 2] = given.values_K?.[k] ?? 0;
  }
  engine.device.queue.writeBuffer(plan.buffers.tokenGradients, 0, packed);
  resize(plan.backward, part);
  await engine.submit([plan.backward], []);
}
