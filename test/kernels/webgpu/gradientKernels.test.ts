// The kernels of the backward pass against the plain references, in every tile they are used with;
// the plain projection's, the norm's and attention's are in kernels.test.ts.
import { describe, expect, it, vi } from "vitest";
import { modelShape } from "../../../src/kernels/modelSizes.ts";
import { embeddingGradientKernel } from "../../../src/kernels/webgpu/embedding.ts";
import { headInputGradientKernel, headWeightGradientKernel, logitsGradientKernel } from "../../../src/kernels/webgpu/head.ts";
import { swigluGradientKernel, weightGradientKernel } from "../../../src/kernels/webgpu/product/projections.ts";
import { trainedForm } from "../../../src/kernels/webgpu/product/storedForm.ts";
import { gemmGrid, lowTile, wideTile } from "../../../src/kernels/webgpu/product/tile.ts";
import { rowGrid } from "../../../src/kernels/webgpu/program.ts";
import { finalNormGradientKernel, normGradientGrid } from "../../../src/kernels/webgpu/update/normGradient.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { project, projectBackward } from "../reference/matrix.ts";
import { rmsNormBackward, rmsNormForward } from "../reference/rmsNormRows.ts";
import { swiglu, swigluGradient } from "../reference/swiglu.ts";
import { tokenScores, tokenScoresGradient } from "../reference/tokenScores.ts";
import { expectNear, normals, oddSizes, runCall, trainedMatrix, useEngine, wholes } from "./runCall.ts";

vi.setConfig({ testTimeout: 60_000 });
const { gpu, skip } = await gpuForTests();
const shape = modelShape(oddSizes);
const { D, F, V } = shape;
const eps = oddSizes.rmsNormEps;
const tiles = [wideTile, lowTile];
/** Logits that are made at once: more than there are ids. */
const block = 128;
const variants = tiles.flatMap((tile) => [true, false].map((valueHead) => ({ tile, valueHead })));

/** Rows of x at the given indices. */
const gather = (x: ArrayLike<number>, indices: ArrayLike<number>) =>
  Float32Array.from({ length: indices.length * D }, (_, i) => x[indices[Math.floor(i / D)]! * D + (i % D)]!);

/** (row, token) of each scored token. */
const askedOf = (scoreRow: Uint32Array, target: Uint32Array) =>
  Uint32Array.from({ length: 2 * target.length }, (_, i) => (i % 2 === 0 ? scoreRow : target)[Math.floor(i / 2)]!);

/** Rows of V values, each in the first of so many. */
const inBlocks = (dz: Float32Array) =>
  Float32Array.from({ length: (dz.length / V) * block }, (_, i) => (i % block < V ? dz[Math.floor(i / block) * V + (i % block)]! : 0));

/** Where each key's list begins and the indices of keys, by key: what the kernels are given. */
function lists(keys: Uint32Array, bound: number): number[] {
  const order = Array.from(keys.keys()).sort((a, b) => keys[a]! - keys[b]! || a - b);
  return [...Array.from({ length: bound + 1 }, (_, key) => order.filter((i) => keys[i]! < key).length), ...order];
}

/** A gradient from op.gradient = 2 on, after each of three parts has added its share of the rows to a copy of its own. */
function addedInParts(had: Float32Array, stride: number, x: Float64Array, dy: Float32Array, outputs: number): Float64Array {
  const after = Float64Array.from(had);
  const share = Math.ceil(x.length / D / 3);
  for (let part = 0; part < 3; part++) {
    const [first, end] = [part * share, (part + 1) * share];
    const rows = dy.subarray(first * outputs, end * outputs);
    const { dw } = projectBackward(x.subarray(first * D, end * D), normals(outputs * D), rows, outputs, D);
    for (let i = 0; i < dw.length; i++) after[2 + part * stride + i]! += dw[i]!;
  }
  return after;
}

const sum = (a: ArrayLike<number>, b: ArrayLike<number>) => Float64Array.from(a, (value, i) => value + b[i]!);

describe.skipIf(skip !== undefined)(skip ? `webgpu gradient kernels (skipped: ${skip})` : "webgpu gradient kernels", () => {
  const engine = useEngine(gpu);

  it.each(tiles)("carry gradients of log-prob and entropy to the logits, made again at a temperature, tile %o", async (tile) => {
    const [temperature, scored] = [0.7, 70];
    const [x, head, norm] = [normals(30 * D), normals(3 + V * D), normals(2 + D)];
    const [scoreRow, target, given] = [wholes(scored, 30), wholes(scored, V), normals(scored * 4)];
    const { y, inverse } = rmsNormForward(gather(x, scoreRow), norm.subarray(2), eps);
    const logits = project(y, head.subarray(3), V, D);
    const logitsOf = (k: number) => logits.subarray(k * V, (k + 1) * V);
    const scores = Array.from(target, (token, k) => {
      const { logprob, entropy } = tokenScores(logitsOf(k), token, temperature);
      return [logprob, entropy, 0, logitsOf(k)[token]! / temperature - logprob];
    });
    const made = await runCall(engine(), logitsGradientKernel(shape, trainedForm(3, D), tile, block), {
      buffers: {
        ...{ base: head, x, vectors: norm, inverse_rms: Float32Array.from(inverse), asked: askedOf(scoreRow, target) },
        ...{ scores: Float32Array.from(scores.flat()), token_gradients: given, dz: scored * block },
      },
      offsets: { matrix: 3, norm: 2, id: 0, count: V, first: 0 },
      call: { rows: 30, scored, temperature },
      grid: [...gemmGrid(tile, scored, V), 1],
    });
    const plain = Array.from(target, (token, k) =>
      Array.from(tokenScoresGradient(logitsOf(k), token, temperature, given[k * 4]!, given[k * 4 + 1]!)),
    );
    expectNear(
      made.dz!.filter((_, i) => i % block < V),
      plain.flat(),
    );
  });

  it.each(variants)("carry it through the head to scored rows in two parts, %o", async ({ tile, valueHead }) => {
    const scored = 70;
    const [dy, weights, given] = [normals(scored * V), normals(4 + V * D + D), normals(scored * 4)];
    const { dh } = await runCall(engine(), headInputGradientKernel({ ...shape, valueHead }, trainedForm(4, D), tile, block), {
      buffers: {
        ...{ base: weights, dz: inBlocks(dy), dh: 2 * scored * D },
        ...(valueHead ? { token_gradients: given, value_head: weights } : {}),
      },
      offsets: { matrix: 4, count: V, first: 0, is_first: 1, stride: scored * D, value: 4 + V * D },
      call: { rows: 1, scored, temperature: 1 },
      grid: [...gemmGrid(tile, scored, D), 2],
    });
    const [head, critic] = [weights.subarray(4, 4 + V * D), weights.subarray(4 + V * D)];
    const plain = projectBackward(normals(scored * D), head, dy, V, D).dx;
    const share = (i: number) => (valueHead ? given[Math.floor(i / D) * 4 + 2]! * critic[i % D]! : 0);
    expectNear(
      sum(dh!.subarray(0, scored * D), dh!.subarray(scored * D)),
      plain.map((value, i) => value + share(i)),
    );
  });

  it.each(tiles)("add the head's weight gradient over scored rows in three parts, tile %o", async (tile) => {
    const [scored, stride] = [70, V * D + 6];
    const [x, dy, scoreRow, norm, had] = [
      normals(30 * D),
      normals(scored * V),
      wholes(scored, 30),
      normals(2 + D),
      normals(2 + 3 * stride),
    ];
    const { y, inverse } = rmsNormForward(gather(x, scoreRow), norm.subarray(2), eps);
    const { gradient } = await runCall(engine(), headWeightGradientKernel(shape, tile, block), {
      buffers: {
        ...{ dz: inBlocks(dy), x, asked: askedOf(scoreRow, scoreRow) },
        ...{ inverse_rms: Float32Array.from(inverse), vectors: norm, gradient: had },
      },
      offsets: { gradient: 2, stride, count: V, norm: 2 },
      call: { rows: 30, scored, temperature: 1 },
      grid: [...gemmGrid(tile, V, D), 3],
    });
    expectNear(gradient, addedInParts(had, stride, y, dy, V));
  });

  it.each(tiles)("add the weight gradient behind a norm in three parts, tile %o", async (tile) => {
    const [rows, stride] = [70, 2 * F * D + 6];
    const [x, dy, norm, had] = [normals(rows * D), normals(rows * 2 * F), normals(2 + D), normals(2 + 3 * stride)];
    const { y, inverse } = rmsNormForward(x, norm.subarray(2), eps);
    const { gradient } = await runCall(engine(), weightGradientKernel(trainedMatrix(2 * F, D, 0), true, tile), {
      buffers: { dy, x, inverse_rms: Float32Array.from(inverse), vectors: norm, gradient: had },
      offsets: { gradient: 2, stride, norm: 2 },
      call: { rows, scored: 0, temperature: 1 },
      grid: [...gemmGrid(tile, 2 * F, D), 3],
    });
    expectNear(gradient, addedInParts(had, stride, y, dy, 2 * F));
  });

  it.each(tiles)("carry it through the down projection to gate and up, tile %o", async (tile) => {
    const rows = 70;
    const [dy, gates, weights] = [normals(rows * D), normals(rows * 2 * F), normals(3 + D * F)];
    const made = await runCall(engine(), swigluGradientKernel(shape, trainedMatrix(D, F, 3), tile), {
      buffers: { base: weights, dy, gates, act: rows * F },
      offsets: { matrix: 3 },
      call: { rows, scored: 0, temperature: 1 },
      grid: [...gemmGrid(tile, rows, F), 1],
    });
    const { dx: dAct } = projectBackward(normals(rows * F), weights.subarray(3), dy, D, F);
    const plain = { act: new Float64Array(rows * F), gates: new Float64Array(rows * 2 * F) };
    for (let i = 0; i < rows * F; i++) {
      const at = Math.floor(i / F) * 2 * F + (i % F);
      const { dg, du } = swigluGradient(gates[at]!, gates[at + F]!, dAct[i]!);
      plain.act[i] = swiglu(gates[at]!, gates[at + F]!);
      plain.gates[at] = dg;
      plain.gates[at + F] = du;
    }
    expectNear(made.gates, plain.gates);
    expectNear(made.act, plain.act);
  });

  it.each([true, false])("carry it through the final norm to rows scored never, once or often, with a critic: %s", async (valueHead) => {
    const [rows, scored] = [20, 29];
    // Rows 15 to 19 have no scored token, rows 0 to 14 some have several.
    const scoreRow = wholes(scored, 15);
    const [x, dy, weights, given, had] = [
      normals(rows * D),
      normals(scored * D),
      normals(2 + D),
      normals(scored * 4),
      normals(3 + 2 * D + 1),
    ];
    const w = weights.subarray(2);
    const gathered = gather(x, scoreRow);
    const { y, inverse } = rmsNormForward(gathered, w, eps);
    // In two parts, of which the second has half as much of everything again.
    const dh = Float32Array.from([...dy.map((value) => value / 1.5), ...dy.map((value) => value / 3)]);
    const made = await runCall(engine(), finalNormGradientKernel({ ...shape, valueHead }, 2, true), {
      buffers: {
        ...{ vectors: weights, x, inverse_rms: Float32Array.from(inverse), dh, dx: normals(rows * D), gradient: had },
        row_scores: Uint32Array.from([...lists(scoreRow, rows), ...scoreRow]),
        ...(valueHead ? { token_gradients: given } : {}),
      },
      offsets: { norm: 2, stride: scored * D, gradient: 3, valueGradient: 3 + D },
      call: { rows, scored, temperature: 1 },
      grid: normGradientGrid(rows, D, true),
    });
    const plain = rmsNormBackward(gathered, w, dy, eps);
    const dx = new Float64Array(rows * D);
    const critic = new Float64Array(D + 1);
    for (let i = 0; i < scored * D; i++) {
      const [k, d] = [Math.floor(i / D), i % D];
      dx[scoreRow[k]! * D + d]! += plain.dx[i]!;
      critic[d]! += valueHead ? given[k * 4 + 2]! * y[i]! : 0;
    }
    for (let k = 0; valueHead && k < scored; k++) critic[D]! += given[k * 4 + 2]!;
    expectNear(made.dx, dx);
    expectNear(made.gradient, sum(had, [0, 0, 0, ...plain.dw, ...critic]));
  });

  it("add the rows of each token to its embedding's gradient", async () => {
    const rows = 40;
    const [dx, tokens, had] = [normals(rows * D), wholes(rows, 20), normals(3 + V * D)];
    const { gradient } = await runCall(engine(), embeddingGradientKernel(shape), {
      buffers: { dx, token_rows: Uint32Array.from(lists(tokens, V)), gradient: had },
      offsets: { gradient: 3, id: 0, count: V },
      call: { rows, scored: 0, temperature: 1 },
      grid: rowGrid(V),
    });
    const plain = Float64Array.from(had);
    for (let i = 0; i < rows * D; i++) plain[3 + tokens[Math.floor(i / D)]! * D + (i % D)]! += dx[i]!;
    expectNear(gradient, plain);
    expect(Array.from(gradient!.subarray(3 + 20 * D))).toEqual(Array.from(had.subarray(3 + 20 * D)));
  });
});
