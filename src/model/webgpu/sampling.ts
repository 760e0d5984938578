// The rollout loop. The GPU chooses tokens and advances by itself; the host looks in every 16 steps,
// only to see who has stopped, and then packs the live sequences together.

import { readStaging, resize } from "../../kernels/webgpu/program.ts";
import { decodingWords, rowInfoWords, rowRuns } from "../../kernels/webgpu/rowInfo.ts";
import type { SampleRequest, SampleResult } from "../../rl/policy.ts";

import type { Engine } from "./engine.ts";
import { mostCacheSlots, type SamplingCapacity, type SamplingPlan } from "./samplingPlan.ts";
import { mostPerMicroBatch } from "./scoringPlan.ts";

/** What this sampler tells so far: all but entropies. */
type TurnResult = Omit<SampleResult, "entropies_BT">;

/** Decode steps between two looks at the results. */
export const stepsPerRead = 16;

/** Sequences [first, last) that are sampled together. */
export interface Wave {
  readonly first: number;
  readonly last: number;
  readonly firstPrompt: number;
  readonly lastPrompt: number;
  readonly promptRows: number;
}

/** Cuts a request into waves that fit the device; a prompt whose copies are split is run in each. */
export function cutWaves(engine: Engine, { prompts, copies, maxNewTokens }: SampleRequest): Wave[] {
  const slots = mostCacheSlots(engine);
  const most = mostPerMicroBatch(engine);
  // Choosing a token takes a workgroup for each sequence; each is a row and a scored token of a step.
  const mostSequences = Math.min(most.rows, most.scored, engine.workgroups);
  const waves: Wave[] = [];
  let first = 0;
  let promptRows = 0;
  const push = (last: number) =>
    waves.push({ first, last, firstPrompt: Math.floor(first / copies), lastPrompt: Math.floor((last - 1) / copies) + 1, promptRows });
  for (let b = 0; b < prompts.length * copies; b++) {
    const length = prompts[Math.floor(b / copies)]!.length;
    if (length + maxNewTokens > slots || length > most.rows) {
      throw new Error(`a prompt of ${length} tokens and ${maxNewTokens} new ones exceed the ${slots} cache slots of this GPU`);
    }
    const added = b % copies === 0 ? length : 0;
    const full =
      promptRows + added + (b - first + 1) * maxNewTokens > slots || promptRows + added > most.rows || b - first >= mostSequences;
    if (b > first && full) {
      push(b);
      first = b;
      promptRows = length;
    } else promptRows += added;
  }
  if (prompts.length * copies > first) push(prompts.length * copies);
  return waves;
}

/** What a plan needs to hold for a wave. */
export function waveCapacity(request: SampleRequest, wave: Wave): SamplingCapacity {
  const longest = Math.max(...request.prompts.slice(wave.firstPrompt, wave.lastPrompt).map((prompt) => prompt.length));
  const sequences = wave.last - wave.first;
  return {
    promptRows: wave.promptRows,
    sequences,
    tokens: sequences * request.maxNewTokens,
    positions: longest + request.maxNewTokens,
  };
}

function emptyResult(sequences: number, T: number): TurnResult {
  return {
    tokens_BT: new Int32Array(sequences * T).fill(-1),
    lengths_B: new Int32Array(sequences),
    logprobs_BT: new Float32Array(sequences * T),
    stopped_B: new Uint8Array(sequences),
  };
}

/** Uploads prompts and starts every sequence of a wave at its prompt's end. */
function upload(engine: Engine, plan: SamplingPlan, request: SampleRequest, wave: Wave): Uint32Array<ArrayBuffer> {
  const T = request.maxNewTokens;
  const promptInfo = new Uint32Array(wave.promptRows * rowInfoWords);
  const starts: number[] = [];
  let row = 0;
  for (const prompt of request.prompts.slice(wave.firstPrompt, wave.lastPrompt)) {
    starts.push(row);
    prompt.forEach((token, i) => {
      const at = (row + i) * rowInfoWords;
      promptInfo[at + rowRuns.ownStart] = row;
      promptInfo[at + rowRuns.ownLength] = i + 1;
      promptInfo[at + decodingWords.token] = token;
    });
    row += prompt.length;
  }
  const sequences = wave.last - wave.first;
  const rowInfo = new Uint32Array(sequences * rowInfoWords);
  const lastRow = new Uint32Array(sequences);
  for (let b = 0; b < sequences; b++) {
    const p = Math.floor((wave.first + b) / request.copies) - wave.firstPrompt;
    const length = request.prompts[wave.firstPrompt + p]!.length;
    const at = b * rowInfoWords;
    rowInfo[at + rowRuns.prefixStart] = starts[p]!;
    rowInfo[at + rowRuns.prefixLength] = length;
    rowInfo[at + rowRuns.ownStart] = wave.promptRows + b * T;
    rowInfo[at + decodingWords.sequence] = b;
    lastRow[b] = starts[p]! + length - 1;
  }
  const { queue } = engine.device;
  queue.writeBuffer(plan.promptInfo, 0, promptInfo);
  queue.writeBuffer(plan.rowInfo, 0, rowInfo);
  queue.writeBuffer(plan.lastRow, 0, lastRow);
  queue.writeBuffer(plan.uniforms, 0, request.uniforms_BT.slice(wave.first * T, wave.last * T));
  return rowInfo;
}

/** Notes lengths and stops of the rows read back; returns the rows still live. */
function note(result: TurnResult, wave: Wave, rowInfo: Uint32Array, T: number): Uint32Array<ArrayBuffer> {
  const live: number[] = [];
  for (let at = 0; at < rowInfo.length; at += rowInfoWords) {
    const b = wave.first + rowInfo[at + decodingWords.sequence]!;
    result.lengths_B[b] = rowInfo[at + rowRuns.ownLength]!;
    result.stopped_B[b] = rowInfo[at + decodingWords.stopped]!;
    if (result.stopped_B[b] === 0 && result.lengths_B[b]! < T) live.push(...rowInfo.subarray(at, at + rowInfoWords));
  }
  return Uint32Array.from(live);
}

async function runWave(engine: Engine, plan: SamplingPlan, request: SampleRequest, wave: Wave, result: TurnResult): Promise<void> {
  const T = request.maxNewTokens;
  const greedy = request.temperature === 0;
  const setCall = (rows: number, scored: number) => engine.writeCall({ ...request, greedy, rows, scored });
  let info = upload(engine, plan, request, wave);
  const rowsOf = () => info.length / rowInfoWords;
  setCall(wave.promptRows, rowsOf());
  resize(plan.prefill, { rows: wave.promptRows, scored: rowsOf() });
  await engine.submit([plan.prefill], T === 1 ? [{ from: plan.rowInfo, to: plan.rowStaging, words: info.length }] : []);
  let done = 1;
  let restart = false;
  while (info.length > 0) {
    const count = Math.min(T - done, done === 1 ? stepsPerRead - 1 : stepsPerRead);
    if (count > 0) {
      const rows = rowsOf();
      setCall(rows, rows);
      resize(plan.restart, { rows, scored: rows });
      resize(plan.step, { rows, scored: rows });
      const steps = Array.from({ length: count }, () => plan.step);
      const copy = { from: plan.rowInfo, to: plan.rowStaging, words: info.length };
      await engine.submit(restart ? [plan.restart, ...steps] : steps, [copy]);
    }
    done += count;
    const live = note(result, wave, new Uint32Array(await readStaging(plan.rowStaging, info.length)), T);
    restart = live.length < info.length;
    info = live;
    if (restart) engine.device.queue.writeBuffer(plan.rowInfo, 0, info);
    request.onProgress?.(done, T);
  }
  await readTokens(engine, plan, wave, T, result);
}

/** Copies the sampled tokens and log-probs of a finished wave. */
async function readTokens(engine: Engine, plan: SamplingPlan, wave: Wave, T: number, result: TurnResult): Promise<void> {
  const words = (wave.last - wave.first) * T * 2;
  await engine.submit([], [{ from: plan.sampled, to: plan.sampledStaging, words }]);
  const buffer = await readStaging(plan.sampledStaging, words);
  const tokens = new Int32Array(buffer);
  const logprobs = new Float32Array(buffer);
  for (let b = wave.first; b < wave.last; b++) {
    for (let t = 0; t < result.lengths_B[b]!; t++) {
      const at = ((b - wave.first) * T + t) * 2;
      result.tokens_BT[b * T + t] = tokens[at]!;
      result.logprobs_BT[b * T + t] = logprobs[at + 1]!;
    }
  }
}

/** Samples a request wave by wave; `planFor` gives a plan with room for the capacity. */
export async function sampleAll(
  engine: Engine,
  request: SampleRequest,
  planFor: (capacity: SamplingCapacity) => Promise<SamplingPlan>,
): Promise<TurnResult> {
  const result = emptyResult(request.prompts.length * request.copies, request.maxNewTokens);
  if (request.maxNewTokens === 0) return result;
  for (const wave of cutWaves(engine, request)) {
    await runWave(engine, await planFor(waveCapacity(request, wave)), request, wave, result);
  }
  return result;
}
