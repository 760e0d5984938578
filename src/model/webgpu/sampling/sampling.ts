// The rollout loop. A turn begins with one pass over all tokens that were not run yet; then the GPU
// chooses tokens and advances by itself. The host looks in every 16 steps, only to see who has stopped,
// and then packs the live sequences together.

import { decodingWords, rowInfoWords, rowRuns, sampledWords } from "../../../kernels/webgpu/kernel.ts";
import { readStaging, resize } from "../../../kernels/webgpu/program.ts";
import { emptyResult, type OpenRequest, type SampleResult, type TurnRequest, type WeightSlot } from "../../../rl/policy.ts";
import type { Sampler } from "../../openSequences.ts";
import type { Engine } from "../engine.ts";
import type { SamplingPlan } from "./samplingPlan.ts";
import {
  cutWaves,
  decodingRows,
  type Held,
  type Lines,
  mostCacheRows,
  type Prefill,
  prefillOf,
  type SamplingCapacity,
  type Wave,
  waveCapacity,
} from "./waves.ts";

/** Decode steps between two looks at the results. */
export const stepsPerRead = 16;

/** The sequences of a turn that belong to one wave: places [begin, end) of the request. */
interface Share {
  readonly engine: Engine;
  readonly plan: SamplingPlan;
  readonly turn: TurnRequest;
  readonly result: SampleResult;
  readonly begin: number;
  readonly end: number;
}

/** Sizes the next programs of a turn will run with. */
function setCall({ engine, turn }: Share, rows: number, scored: number): void {
  engine.writeCall({ ...turn, greedy: turn.temperature === 0, rows, scored });
}

/** Runs the rows and samples each sequence's first token. @param info the rows that decode from there */
async function prefill(share: Share, { fills, last, lastRow }: Prefill, info: Uint32Array<ArrayBuffer>): Promise<void> {
  const { engine, plan, turn, begin, end } = share;
  const { queue } = engine.device;
  const T = turn.maxNewTokens;
  queue.writeBuffer(plan.rowInfo, 0, info);
  queue.writeBuffer(plan.lastRow, 0, lastRow);
  queue.writeBuffer(plan.uniforms, 0, turn.uniforms_BT.slice(begin * T, end * T));
  for (const fill of fills) {
    const sizes = { rows: fill.length / rowInfoWords, scored: 0 };
    queue.writeBuffer(plan.prefillInfo, 0, fill);
    setCall(share, sizes.rows, sizes.scored);
    resize(plan.fill, sizes);
    await engine.submit([plan.fill], []);
  }
  const sizes = { rows: last.length / rowInfoWords, scored: lastRow.length };
  queue.writeBuffer(plan.prefillInfo, 0, last);
  setCall(share, sizes.rows, sizes.scored);
  resize(plan.prefill, sizes);
  await engine.submit([plan.prefill], T === 1 ? [{ from: plan.rowInfo, to: plan.rowStaging, words: info.length }] : []);
}

/** Notes lengths and stops of the rows read back; returns the rows still live. */
function note({ result, begin, turn }: Share, rowInfo: Uint32Array): Uint32Array<ArrayBuffer> {
  const live: number[] = [];
  for (let at = 0; at < rowInfo.length; at += rowInfoWords) {
    const b = begin + rowInfo[at + decodingWords.place]!;
    result.lengths_B[b] = rowInfo[at + rowRuns.ownLength]! - rowInfo[at + decodingWords.turnStart]!;
    result.stopped_B[b] = rowInfo[at + decodingWords.stopped]!;
    if (result.stopped_B[b] === 0 && result.lengths_B[b]! < turn.maxNewTokens) live.push(...rowInfo.subarray(at, at + rowInfoWords));
  }
  return Uint32Array.from(live);
}

/** Decodes until every sequence has stopped or is full. @param info rows after their first token was drawn */
async function decode(share: Share, info: Uint32Array<ArrayBuffer>): Promise<void> {
  const { engine, plan, turn } = share;
  const T = turn.maxNewTokens;
  let live = info;
  let done = 1;
  let restart = false;
  while (live.length > 0) {
    const count = Math.min(T - done, done === 1 ? stepsPerRead - 1 : stepsPerRead);
    if (count > 0) {
      const rows = live.length / rowInfoWords;
      setCall(share, rows, rows);
      resize(plan.restart, { rows, scored: rows });
      resize(plan.step, { rows, scored: rows });
      const steps = Array.from({ length: count }, () => plan.step);
      const copy = { from: plan.rowInfo, to: plan.rowStaging, words: live.length };
      await engine.submit(restart ? [plan.restart, ...steps] : steps, [copy]);
    }
    done += count;
    const left = note(share, new Uint32Array(await readStaging(plan.rowStaging, live.length)));
    restart = left.length < live.length;
    live = left;
    if (restart) engine.device.queue.writeBuffer(plan.rowInfo, 0, live);
    turn.onProgress?.(done, T);
  }
}

/** Copies the sampled tokens with their log-probs and entropies. */
async function readTokens({ engine, plan, turn, result, begin, end }: Share): Promise<void> {
  const T = turn.maxNewTokens;
  const words = (end - begin) * T * sampledWords;
  await engine.submit([], [{ from: plan.sampled, to: plan.sampledStaging, words }]);
  const buffer = await readStaging(plan.sampledStaging, words);
  const tokens = new Int32Array(buffer);
  const values = new Float32Array(buffer);
  for (let b = begin; b < end; b++) {
    for (let i = b * T; i < b * T + result.lengths_B[b]!; i++) {
      const at = (i - begin * T) * sampledWords;
      result.tokens_BT[i] = tokens[at]!;
      result.logprobs_BT[i] = values[at + 1]!;
      result.entropies_BT[i] = values[at + 2]!;
    }
  }
}

async function runWave(share: Share, wave: Wave, lines: Lines): Promise<void> {
  const { plan, turn, result, begin, end } = share;
  const sequences = turn.sequences_B.subarray(begin, end);
  const before = plan.held?.wave === wave ? plan.held : null;
  plan.held = null; // until the turn has gone well
  const info = decodingRows(wave, lines, sequences);
  await prefill(share, prefillOf(wave, lines, sequences, before, plan.capacity.rows), info);
  await decode(share, info);
  await readTokens(share);
  const held: Held = { wave, tokens_B: before?.tokens_B.slice() ?? new Int32Array(wave.last - wave.first) };
  for (const [place, sequence] of sequences.entries()) {
    // The last token was drawn but not run; after a stop its slot may have been written with others.
    held.tokens_B[sequence - wave.first] = lines.own_B[sequence]!.length + result.lengths_B[begin + place]! - 1;
  }
  plan.held = held;
}

/** Samples open sequences wave by wave; `planFor` gives a slot's plan with room for the capacity, with what it holds or nothing. */
export function gpuSampler(
  engine: Engine,
  request: OpenRequest,
  planFor: (slot: WeightSlot, capacity: SamplingCapacity) => Promise<SamplingPlan>,
): Sampler {
  const longestPrompt = request.prompts.reduce((most, { length }) => Math.max(most, length), 0);
  const mostRoom = Math.min(engine.config.maxPositions, mostCacheRows(engine)) - longestPrompt;
  let room = 0;
  let waves: readonly Wave[] = [];
  return {
    async sample(own_B, turn) {
      const result = emptyResult(turn.sequences_B.length, turn.maxNewTokens);
      const needed = turn.sequences_B.reduce((most, b) => Math.max(most, own_B[b]!.length), 0) + turn.maxNewTokens;
      if (needed > room) {
        room = Math.max(needed, Math.min(room === 0 ? request.expectedTokens : 2 * room, mostRoom));
        waves = cutWaves(engine, request, room);
      }
      let begin = 0;
      for (const wave of waves) {
        let end = begin;
        while (end < turn.sequences_B.length && turn.sequences_B[end]! < wave.last) end += 1;
        if (end === begin) continue;
        const plan = await planFor(turn.slot ?? "policy", waveCapacity(engine, wave));
        await runWave({ engine, plan, turn, result, begin, end }, wave, { ...request, own_B });
        begin = end;
      }
      return result;
    },
    close() {
      // The plan stays for the next sequences; the sequences in it are over.
    },
  };
}
