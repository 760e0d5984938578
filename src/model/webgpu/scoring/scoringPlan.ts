// Scoring with one weight slot, and with `keep` the way back: buffers and two programs for so many rows, scored tokens
// and positions, used again for every micro-batch that fits.

import { Arena, type BufferSource, planIn } from "../../../kernels/webgpu/arena.ts";
import { type Operation, readStaging, resize, rowGrid } from "../../../kernels/webgpu/program.ts";
import { tokenScoresKernel } from "../../../kernels/webgpu/tokenScores.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { TokenGradients, TokenScores } from "../../backend.ts";
import type { Capacity, DeviceSizes } from "../deviceSizes.ts";
import type { Engine } from "../engine.ts";
import { planFrozenBackward, planFrozenScores } from "../frozen/backward.ts";
import { headBuffers } from "../frozen/buffers.ts";
import { planFrozenForward } from "../frozen/forward.ts";
import { layerBuffers } from "../layerBuffers.ts";
import { type ForwardPass, type PassKind, type PlannedKernel, planKernel } from "../passes.ts";
import { type BackwardBuffers, passBuffers, planWholeBackward, wholeBuffers } from "../whole/backward.ts";
import { planWholeForward } from "../whole/forward.ts";
import type { MicroBatch } from "./microBatch.ts";

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

/** All buffers of a plan; the head's are those of whole weights or of a frozen base. */
export function scoringBuffers<B>(
  engine: DeviceSizes & { rope(positions: number): B },
  arena: BufferSource<B>,
  capacity: Capacity,
  keep: boolean,
) {
  return {
    layers: layerBuffers(engine, (name, words) => arena.storage(name, words), capacity.rows, keep),
    buffers: passBuffers(engine, arena, capacity, keep),
    whole: engine.base ? null : wholeBuffers(engine, arena, capacity, keep),
    head: engine.base ? headBuffers(engine, engine.base, arena, capacity, keep) : null,
    staging: arena.staging("scores staging", capacity.scored * 4),
  };
}
type ScoringBuffers<B> = ReturnType<typeof scoringBuffers<B>>;

/** Compiles the forward pass of an engine, over whole weights or beside its frozen base; in low tiles where each row is a sequence that decodes. */
export function planForward(engine: Engine, kind: PassKind): Promise<ForwardPass> {
  return engine.base ? planFrozenForward(engine, kind) : planWholeForward(engine, kind);
}

/** The forward pass up to the scores, and the way back where there is one. */
async function planOperations(
  engine: Engine,
  slot: WeightSlot,
  { layers, buffers, whole, head }: ScoringBuffers<GPUBuffer>,
  keep: boolean,
) {
  const pass = await planForward(engine, { decoding: false, keep });
  const first = layers[0];
  const last = layers.at(-1);
  if (!first || !last) throw new Error("internal: a model needs a layer");
  const trunk = [...pass.embed(slot, buffers.rowInfo, first.x), ...pass.layers(slot, buffers, layers)];
  if (head) {
    const scores = await planFrozenScores(engine, slot, buffers, head, last.next);
    return {
      forward: [...trunk, ...scores],
      backward: keep ? await planFrozenBackward(engine, layers, buffers, head) : null,
    };
  }
  if (!whole) throw new Error("internal: a pass needs the buffers of its head");
  const all = { ...buffers, ...whole };
  const scores = await planKernel(engine, tokenScoresKernel(engine.shape), ({ scored }) => rowGrid(scored));
  const { scoreRow } = buffers;
  const { logits, finalInverseRms: inverseRms } = whole;
  const logitsOfRows = pass.logits(slot, { x: last.next, scoreRow, normed: last.next, logits, inverseRms });
  return {
    forward: [...trunk, ...logitsOfRows, scoresOperation(engine, scores, slot, all, last.next)],
    backward: keep ? await planWholeBackward(engine, layers, all) : null,
  };
}

async function planBuffers(engine: Engine, slot: WeightSlot, capacity: Capacity, keep: boolean, arena: Arena) {
  const all = scoringBuffers(engine, arena, capacity, keep);
  const { forward, backward } = await planOperations(engine, slot, all, keep);
  const { buffers, whole, staging } = all;
  return {
    ...{ capacity, buffers, staging, arena },
    /** Where the rows of each token are told, for the embedding's gradient; null where it has none. */
    tokenRows: whole && keep ? whole.tokenRows : null,
    forward: await engine.program(`scoring (${slot})`, arena, forward),
    backward: backward && (await engine.program("backward", arena, backward)),
  };
}

export type ScoringPlan = Awaited<ReturnType<typeof planBuffers>>;

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
    if (plan.tokenRows) upload(plan.tokenRows, part.tokenRows);
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
