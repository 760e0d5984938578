// The sampling kernel against the plain choice, with a vocabulary larger than its workgroup and logits
// in steps of a half, so that many tokens tie at every threshold.
import { describe, expect, it, vi } from "vitest";
import { modelShape } from "../../../src/kernels/modelSizes.ts";
import { decodingWords, rowInfoWords, rowRuns, sampledWords } from "../../../src/kernels/webgpu/kernel.ts";
import { trainedForm } from "../../../src/kernels/webgpu/product/storedForm.ts";
import { sampleKernel } from "../../../src/kernels/webgpu/sample.ts";
import { plainLogSoftmax } from "../../../src/model/plainForward.ts";
import type { CallValues } from "../../../src/model/webgpu/engine.ts";
import { Random } from "../../../src/rl/random.ts";
import { mostLikelyToken, type SamplingOptions, sampleToken } from "../../../src/rl/rollout/sampleToken.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { normals, oddSizes, runCall, useEngine } from "./runCall.ts";

vi.setConfig({ testTimeout: 60_000 });
const { gpu, skip } = await gpuForTests();
const V = 600;
const shape = modelShape({ ...oddSizes, vocabularySize: V });
const { D } = shape;
const [rows, T] = [12, 5];
const random = new Random(5);
const logits = normals(rows * V).map((value) => Math.round(4 * value) / 2);
const weights = normals(7 + V * D);
const uniforms = Float32Array.from({ length: rows * T }, () => random.uniform());
const logitsOf = (r: number) => Float64Array.from(logits.subarray(r * V, (r + 1) * V));

/** Row r has place rows - 1 - r in the turn, which it began with r % 3 tokens, and r % 4 of the turn. */
const given = Array.from({ length: rows }, (_, r) => ({ place: rows - 1 - r, start: r % 3, done: r % 4, stopped: 0 }));

/** What the kernel leaves of rows, samples and embeddings. */
async function sample(engine: ReturnType<ReturnType<typeof useEngine>>, options: Partial<CallValues>, from = given) {
  const info = new Uint32Array(rows * rowInfoWords);
  from.forEach(({ place, start, done, stopped }, r) => {
    info[r * rowInfoWords + rowRuns.ownLength] = start + done;
    info[r * rowInfoWords + decodingWords.turnStart] = start;
    info[r * rowInfoWords + decodingWords.place] = place;
    info[r * rowInfoWords + decodingWords.stopped] = stopped;
  });
  const made = await runCall(engine, sampleKernel(shape, { ids: shape.V, form: trainedForm(7, D) }), {
    buffers: { base: weights, logits, uniforms, row_info: info, sampled: rows * T * sampledWords, x: rows * D },
    offsets: { matrix: 7 },
    call: { rows, scored: rows, temperature: 1, maxNewTokens: T, ...options },
    grid: [rows, 1, 1],
  });
  const infoAfter = new Uint32Array(made.row_info!.buffer);
  const rowAfter = (r: number, word: number) => infoAfter[r * rowInfoWords + word]!;
  const drawn = new Uint32Array(made.sampled!.buffer);
  return from.map(({ place, start, done }, r) => {
    const at = (place * T + done) * sampledWords;
    const token = drawn[at]!;
    return {
      token,
      logprob: made.sampled![at + 1]!,
      entropy: made.sampled![at + 2]!,
      done: rowAfter(r, rowRuns.ownLength) - start,
      stopped: rowAfter(r, decodingWords.stopped),
      next: rowAfter(r, decodingWords.token),
      embedded: made.x!.subarray(r * D, (r + 1) * D),
    };
  });
}

const filters: [string, Partial<SamplingOptions>][] = [
  ["without filters", {}],
  ["at a temperature", { temperature: 2 }],
  ["with top-k", { topK: 20 }],
  ["with top-p", { topP: 0.6 }],
  ["with top-p among the least of the top k", { topK: 20, topP: 0.97 }],
  ["with min-p", { minP: 0.2 }],
  ["with all of them", { temperature: 2, topK: 200, topP: 0.7, minP: 0.1 }],
];

describe.skipIf(skip !== undefined)(skip ? `webgpu sampling kernel (skipped: ${skip})` : "webgpu sampling kernel", () => {
  const engine = useEngine(gpu);

  it.each(filters)("chooses as the plain sampler does %s, and goes on with that token", async (_, over) => {
    const options = { temperature: 1, topK: 0, topP: 1, minP: 0, ...over };
    for (const [r, chosen] of (await sample(engine(), options)).entries()) {
      const { place, done } = given[r]!;
      const logprobs = plainLogSoftmax(logitsOf(r), options.temperature);
      const token = sampleToken(logprobs, options, uniforms[place * T + done]!);
      expect(chosen).toMatchObject({ token, next: token, done: done + 1, stopped: 0 });
      expect(Math.abs(chosen.logprob - logprobs[token]!)).toBeLessThan(1e-5);
      const entropy = -logprobs.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0);
      expect(Math.abs(chosen.entropy - entropy)).toBeLessThan(1e-5);
      expect(chosen.embedded).toEqual(weights.subarray(7 + token * D, 7 + (token + 1) * D));
    }
  });

  it("takes the lowest of the most likely tokens when greedy", async () => {
    const chosen = await sample(engine(), { greedy: true });
    const best = given.map((_, r) => mostLikelyToken(logitsOf(r)));
    expect(chosen.map(({ token }) => token)).toEqual(best);
    const isTied = best.some((token, r) => logitsOf(r).indexOf(logitsOf(r)[token]!, token + 1) > 0);
    expect(isTied).toBe(true);
  });

  it("marks the rows that a stop token ends", async () => {
    const best = given.map((_, r) => mostLikelyToken(logitsOf(r)));
    const stopTokens = [1, 2, 3, 4, best[3]!, best[8]!];
    const chosen = await sample(engine(), { greedy: true, stopTokens });
    expect(chosen.map(({ stopped }) => stopped)).toEqual(best.map((token) => (stopTokens.includes(token) ? 1 : 0)));
  });

  it("leaves rows alone that have stopped or are full", async () => {
    const ended = given.map((row, r) => ({ ...row, stopped: r === 2 ? 1 : 0, done: r === 5 ? T : row.done }));
    const chosen = await sample(engine(), { greedy: true }, ended);
    expect(chosen.map(({ done }, r) => done - ended[r]!.done)).toEqual(given.map((_, r) => (r === 2 || r === 5 ? 0 : 1)));
    expect(chosen[2]).toMatchObject({ token: 0, logprob: 0, stopped: 1 });
    expect(chosen[5]).toMatchObject({ done: T, stopped: 0 });
  });
});
