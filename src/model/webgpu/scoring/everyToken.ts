// Scores of every token of a large vocabulary at a few places: an answer's alternatives. The head of a scoring pass goes
// through the vocabulary once for each scored token; this one does so once for each row, reads the row's logits back and
// normalises them in double precision.
import { type Arena, type BufferSource, planOn } from "../../../kernels/webgpu/arena.ts";
import { rowInfoWords } from "../../../kernels/webgpu/kernel.ts";
import { readStaging, resize } from "../../../kernels/webgpu/program.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { PackedBatch, TokenScores } from "../../backend.ts";
import type { Engine } from "../engine.ts";
import { planForward } from "../passes/forward.ts";
import { type Capacity, type DeviceSizes, mostPerMicroBatch, roomyPositions } from "../plan/deviceSizes.ts";
import { layerBuffers } from "../plan/layerBuffers.ts";
import { cutMicroBatches, layOut, type MicroBatch } from "./microBatch.ts";

/** Tokens scored at a row from which on its logits are read whole. */
const MANY = 16;

/** Rows of a batch at which many tokens are scored, and the tokens at other rows. */
export interface AskedRows {
  /** The batch with one scored token at each such row. */
  readonly rows: PackedBatch;
  /** Scored tokens [begin, end) of each such row. */
  readonly range_R: readonly (readonly [number, number])[];
  /** The batch with the tokens at other rows, and where they stand in the whole. */
  readonly others: PackedBatch;
  readonly place_K: Int32Array;
}

/** The same batch with some of its scored tokens, given in order. */
function withTokens(batch: PackedBatch, kept: readonly number[]): PackedBatch {
  const { scoreRow_K, scoreTarget_K, sequenceStart_Q } = batch;
  let before = 0;
  return {
    ...batch,
    scoreRow_K: Int32Array.from(kept, (k) => scoreRow_K[k]!),
    scoreTarget_K: Int32Array.from(kept, (k) => scoreTarget_K[k]!),
    sequenceStart_Q: sequenceStart_Q.map((start) => {
      while (before < kept.length && kept[before]! < start) before++;
      return before;
    }),
  };
}

/** Neighbouring scored tokens of one row and one sequence, as [begin, end). */
function runsOf({ scoreRow_K, sequenceStart_Q }: PackedBatch): readonly (readonly [number, number])[] {
  const runs: (readonly [number, number])[] = [];
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    const last = sequenceStart_Q[q + 1]!;
    for (let begin = sequenceStart_Q[q]!, end = begin; begin < last; begin = end) {
      while (end < last && scoreRow_K[end] === scoreRow_K[begin]) end++;
      runs.push([begin, end]);
    }
  }
  return runs;
}

/** The rows of a batch that are asked for many tokens each; null where there are none. */
export function rowsAsked(batch: PackedBatch): AskedRows | null {
  const runs = runsOf(batch);
  const range_R = runs.filter(([begin, end]) => end - begin >= MANY);
  if (range_R.length === 0) return null;
  const others = runs.flatMap(([begin, end]) => (end - begin < MANY ? Array.from({ length: end - begin }, (_, i) => begin + i) : []));
  return {
    rows: withTokens(
      batch,
      range_R.map(([begin]) => begin),
    ),
    range_R,
    others: withTokens(batch, others),
    place_K: Int32Array.from(others),
  };
}

/** Parts of it whose logits the device can bind at once. */
function partsOf(device: DeviceSizes, batch: PackedBatch): readonly MicroBatch[] {
  const { rows, sequences: scored } = mostPerMicroBatch(device);
  return cutMicroBatches(batch, rows, { rows, scored }).map((range) => layOut(batch, range, device.config.vocabularySize));
}

/** Room for each part. */
export function everyTokenCapacity(device: DeviceSizes, { rows }: Pick<AskedRows, "rows">): Capacity {
  const parts = partsOf(device, rows);
  const most = (name: keyof Capacity) => Math.max(1, ...parts.map((part) => part[name]));
  return { rows: most("rows"), scored: most("scored"), positions: roomyPositions(device, most("positions")) };
}

/** All buffers of a request, which are given back after it. */
export function everyTokenBuffers<B>(
  engine: DeviceSizes & { rope(positions: number): B },
  arena: BufferSource<B>,
  { rows, scored, positions }: Capacity,
) {
  const { V } = engine.shape;
  return {
    layers: layerBuffers(engine, (name, words) => arena.storage(name, words), rows, false),
    rowInfo: arena.storage("row info", rows * (rowInfoWords + 4)),
    rope: engine.rope(positions),
    scoreRow: arena.storage("score row", scored),
    inverseRms: arena.storage("final inverse rms", scored),
    logits: arena.storage("logits", scored * V),
    staging: arena.staging("logits staging", scored * V),
  };
}

async function planLogits(engine: Engine, slot: WeightSlot, capacity: Capacity, arena: Arena) {
  const b = everyTokenBuffers(engine, arena, capacity);
  const pass = await planForward(engine, slot, { decoding: false, keep: false });
  const first = b.layers[0];
  const last = b.layers.at(-1);
  if (!first || !last) throw new Error("internal: a model needs a layer");
  const { scoreRow, logits, inverseRms } = b;
  const operations = [
    ...pass.embed(b.rowInfo, first.x),
    ...pass.layers(b, b.layers),
    ...pass.logits({ x: last.next, scoreRow, logits, inverseRms }),
  ];
  return { ...b, arena, program: await engine.program(`every token (${slot})`, arena, operations) };
}

/** Log-probs of all tokens from a row's logits, in place, and their entropy. Both in nats. */
function weigh(logits_V: Float32Array, temperature: number): number {
  const most = logits_V.reduce((found, value) => Math.max(found, value), Number.NEGATIVE_INFINITY) / temperature;
  let sum = 0;
  let weighted = 0;
  for (const logit of logits_V) {
    const above = logit / temperature - most;
    const weight = Math.exp(above);
    sum += weight;
    weighted += weight * above;
  }
  const logSum = Math.log(sum);
  for (let v = 0; v < logits_V.length; v++) logits_V[v] = logits_V[v]! / temperature - most - logSum;
  return logSum - weighted / sum;
}

/** Writes log-probs and entropies of the tokens at the rows that are asked for many; values of a value head are left as they are. */
export async function scoreEveryToken(
  engine: Engine,
  slot: WeightSlot,
  asked: AskedRows,
  targets_K: Int32Array,
  into: Pick<TokenScores, "logprobs_K" | "entropies_K">,
): Promise<void> {
  const { V } = engine.shape;
  const capacity = everyTokenCapacity(engine, asked);
  const plan = await planOn(engine, (arena) => planLogits(engine, slot, capacity, arena));
  const upload = (buffer: GPUBuffer, words: Uint32Array) => engine.device.queue.writeBuffer(buffer, 0, words as Uint32Array<ArrayBuffer>);
  const { temperature } = asked.rows;
  try {
    for (const part of partsOf(engine, asked.rows)) {
      const { rows, scored, firstToken: firstRow } = part;
      if (scored === 0) continue;
      upload(plan.rowInfo, part.rowInfo);
      upload(plan.scoreRow, part.scoreRow_K);
      engine.writeCall({ rows, scored, temperature });
      resize(plan.program, part);
      await engine.submit([plan.program], [{ from: plan.logits, to: plan.staging, words: scored * V }]);
      const logits_RV = new Float32Array(await readStaging(plan.staging, scored * V));
      for (let r = 0; r < scored; r++) {
        const logprobs_V = logits_RV.subarray(r * V, (r + 1) * V);
        const entropy = weigh(logprobs_V, temperature);
        const [begin, end] = asked.range_R[firstRow + r]!;
        for (let k = begin; k < end; k++) {
          into.logprobs_K[k] = logprobs_V[targets_K[k]!]!;
          into.entropies_K[k] = entropy;
        }
      }
    }
  } finally {
    plan.arena.destroy();
  }
}
