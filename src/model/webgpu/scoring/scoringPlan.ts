// Scoring with one weight slot, and with `keep` the way back: buffers and two programs for so many rows, scored tokens
// and positions, used again for every micro-batch that fits.

import { type Arena, type BufferSource, planOn } from "../../../kernels/webgpu/arena.ts";
import { readStaging, resize } from "../../../kernels/webgpu/program.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { TokenGradients, TokenScores } from "../../backend.ts";
import type { Engine } from "../engine.ts";
import { planBackward } from "../passes/backward.ts";
import { planForward } from "../passes/forward.ts";
import { planScores } from "../passes/head.ts";
import type { Capacity, DeviceSizes } from "../plan/deviceSizes.ts";
import { layerBuffers } from "../plan/layerBuffers.ts";
import type { MicroBatch } from "./microBatch.ts";
import { headBuffers, passBuffers } from "./passBuffers.ts";

/** Plans scoring with one weight slot; with `keep` also the backward pass. */
export const planScoring = (engine: Engine, slot: WeightSlot, capacity: Capacity, keep: boolean) =>
  planOn(engine, (arena) => planBuffers(engine, slot, capacity, keep, arena));

/** All buffers of a plan. */
export function scoringBuffers<B>(
  engine: DeviceSizes & { rope(positions: number): B },
  arena: BufferSource<B>,
  capacity: Capacity,
  keep: boolean,
) {
  return {
    layers: layerBuffers(engine, (name, words) => arena.storage(name, words), capacity.rows, keep),
    buffers: passBuffers(engine, arena, capacity, keep),
    head: headBuffers(engine, arena, capacity, keep),
    staging: arena.staging("scores staging", capacity.scored * 4),
  };
}

async function planBuffers(engine: Engine, slot: WeightSlot, capacity: Capacity, keep: boolean, arena: Arena) {
  const { layers, buffers, head, staging } = scoringBuffers(engine, arena, capacity, keep);
  const first = layers[0];
  const last = layers.at(-1);
  if (!first || !last) throw new Error("internal: a model needs a layer");
  const pass = await planForward(engine, slot, { decoding: false, keep });
  const forward = [
    ...pass.embed(buffers.rowInfo, first.x),
    ...pass.layers(buffers, layers),
    ...(await planScores(engine, slot, buffers, head, last.next)),
  ];
  const backward = keep ? await planBackward(engine, layers, buffers, head) : null;
  return {
    capacity,
    buffers,
    staging,
    arena,
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
  upload(buffers.asked, part.asked_K);
  if (plan.backward) {
    upload(buffers.rowScores, part.rowScores);
    if (buffers.tokenRows) upload(buffers.tokenRows, part.tokenRows);
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
