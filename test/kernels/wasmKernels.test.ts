// Each WASM kernel against its plain float64 reference, forward and gradient, in shapes whose rows do
// not fill whole vectors or tiles.
import { beforeAll, describe, expect, it } from "vitest";
import { MODEL, MODEL_ROPE_TABLE } from "../../src/kernels/assembly/memoryMap.ts";
import { Random } from "../../src/rl/random.ts";
import { mostLikelyToken, sampleToken } from "../../src/rl/rollout/sampleToken.ts";
import { type KernelModule, kernelBuilds, type LayerShape, loadKernelModule, normals } from "../support/kernelModule.ts";
import { difference } from "../support/tokenBatches.ts";
import { attentionBackward, attentionForward } from "./reference/packedAttention.ts";
import { rmsNormBackward, rmsNormForward } from "./reference/rmsNormRows.ts";
import { rope } from "./reference/rope.ts";
import { swiglu, swigluGradient } from "./reference/swiglu.ts";

const shape: LayerShape = { vocabularySize: 53, hiddenSize: 30, heads: 4, kvHeads: 2, headSize: 12, intermediateSize: 27 };

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, relative = 3e-6): void {
  const { largest, scale } = difference(actual, expected);
  expect(largest).toBeLessThan(relative * Math.max(scale, 1));
}

const rowsOf = (flat: Float64Array, width: number): Float64Array[] =>
  Array.from({ length: flat.length / width }, (_, row) => flat.slice(row * width, (row + 1) * width));

const flatten = (rows: readonly Float64Array[]): number[] => rows.flatMap((row) => Array.from(row));

describe.each(kernelBuilds)("the $build kernels with a tile of $tile rows", ({ build, tile }) => {
  let module: KernelModule;
  beforeAll(async () => {
    module = await loadKernelModule(build, tile, shape, 64);
  });

  it.each([
    [1, 8, 1],
    [6, 8, 64],
    [13, 21, 7],
    [31, 40, 300],
    [64, 9, 33],
  ])("multiply [%i, k] by packed [%i, k] with k = %i", (m, n, k) => {
    const random = new Random(m);
    const [a, w, c] = [normals(random, m * k), normals(random, n * k), normals(random, m * n)];
    const panels = module.put(new Float64Array(Math.ceil(n / 8) * 8 * k));
    module.kernels.packTransposed(module.put(w), 4 * k, n, k, panels);
    const out = module.put(c);
    module.kernels.matmulPacked(m, n, k, module.put(a), panels, out, 1);
    const expected = c.map((value, i) => {
      let sum = value;
      for (let j = 0; j < k; j++) sum += a[Math.floor(i / n) * k + j]! * w[(i % n) * k + j]!;
      return sum;
    });
    expectClose(module.read(out, m * n), expected, 1e-6 * Math.sqrt(k) + 1e-6);
  });

  it.each([
    [1, 8, 1],
    [13, 21, 40],
    [200, 9, 300],
  ])("add to a weight gradient [%i, %i] from %i rows", (m, n, k) => {
    const random = new Random(k);
    const [a, b, c] = [normals(random, k * m), normals(random, k * n), normals(random, m * n)];
    const out = module.put(c);
    module.kernels.accumulateOuter(m, n, k, module.put(a), module.put(b), out);
    const expected = c.map((value, i) => {
      let sum = value;
      for (let j = 0; j < k; j++) sum += a[j * m + Math.floor(i / n)]! * b[j * n + (i % n)]!;
      return sum;
    });
    expectClose(module.read(out, m * n), expected, 1e-6 * Math.sqrt(k) + 1e-6);
  });

  it("normalise rows, and back", () => {
    const random = new Random(1);
    const width = shape.hiddenSize;
    const [x, w, dy, dx, dw] = [5, 1, 5, 5, 1].map((rows) => normals(random, rows * width)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const [xAt, wAt, yAt, inverseAt] = [module.put(x), module.put(w), module.put(x), module.put(new Float64Array(5))];
    module.kernels.rmsNorm(5, width, xAt, wAt, yAt, inverseAt);
    expectClose(module.read(yAt, x.length), rmsNormForward(x, w, 1e-5).y);
    const [dxAt, dwAt] = [module.put(dx), module.put(dw)];
    module.kernels.rmsNormBackward(5, width, xAt, wAt, inverseAt, module.put(dy), dxAt, dwAt);
    const gradient = rmsNormBackward(x, w, dy, 1e-5);
    expectClose(
      module.read(dxAt, dx.length),
      dx.map((value, i) => value + gradient.dx[i]!),
    );
    expectClose(
      module.read(dwAt, dw.length),
      dw.map((value, i) => value + gradient.dw[i]!),
    );
  });

  it("gate, and back", () => {
    const random = new Random(2);
    const F = shape.intermediateSize;
    const [gu, dh] = [normals(random, 3 * 2 * F).map((value) => 4 * value), normals(random, 3 * F)];
    const [guAt, hAt, dguAt] = [module.put(gu), module.put(dh), module.put(gu)];
    module.kernels.swiglu(3, F, guAt, hAt);
    const at = (i: number) => Math.floor(i / F) * 2 * F + (i % F);
    expectClose(
      module.read(hAt, dh.length),
      dh.map((_, i) => swiglu(gu[at(i)]!, gu[at(i) + F]!)),
    );
    module.kernels.swigluBackward(3, F, guAt, module.put(dh), dguAt);
    const expected = new Float64Array(gu.length);
    dh.forEach((d, i) => {
      const { dg, du } = swigluGradient(gu[at(i)]!, gu[at(i) + F]!, d);
      expected[at(i)] = dg;
      expected[at(i) + F] = du;
    });
    expectClose(module.read(dguAt, gu.length), expected);
  });

  it("rotate heads, and back to where they were", () => {
    const random = new Random(3);
    const [heads, D, positions] = [3, shape.headSize, [0, 1, 17, 62]];
    const x = normals(random, positions.length * heads * D);
    const table = Array.from({ length: 64 }, (_, position) => {
      const angles = Array.from({ length: D / 2 }, (_, i) => position * 10_000 ** (-i / (D / 2)));
      return [...angles.map(Math.cos), ...angles.map(Math.sin)];
    });
    module.arena.words(MODEL + MODEL_ROPE_TABLE, 1)[0] = module.put(table.flat());
    module.kernels.prepare();
    const positionsAt = module.arena.take(16);
    module.arena.words(positionsAt, 4).set(positions);
    const at = module.put(x);
    module.kernels.rope(positions.length, at, heads * D * 4, heads, positionsAt, 1);
    const expected = flatten(rowsOf(x, D).map((head, i) => rope(head, positions[Math.floor(i / heads)]!, 10_000)));
    expectClose(module.read(at, x.length), expected);
    module.kernels.rope(positions.length, at, heads * D * 4, heads, positionsAt, -1);
    expectClose(module.read(at, x.length), x);
  });

  it.each([
    ["without a prefix", 0, 31],
    ["after a shared prefix", 13, 29],
    ["of a single row", 5, 1],
  ])("attend %s, and back", (_, prefix, length) => {
    expectAttention(module, prefix, length);
  });

  it("choose tokens as the plain sampler does", () => {
    const random = new Random(4);
    for (let trial = 0; trial < 300; trial++) {
      const logits = normals(random, shape.vocabularySize).map((value) => Math.fround(2 * value));
      const options = {
        temperature: trial % 5 === 0 ? 0 : 0.3 + random.uniform(),
        topK: trial % 3 === 0 ? 1 + random.below(60) : 0,
        topP: trial % 2 === 0 ? 0.05 + 0.9 * random.uniform() : 1,
        minP: trial % 4 === 0 ? 0.3 * random.uniform() : 0,
      };
      const uniform = random.uniform();
      const by = options.temperature || 1;
      const norm = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit / by), 0));
      const logprobs = logits.map((logit) => logit / by - norm);
      const at = module.put(logits);
      const token = module.kernels.sampleRow(at, options.temperature, options.topK, options.topP, options.minP, uniform);
      expect(token).toBe(options.temperature === 0 ? mostLikelyToken(logprobs) : sampleToken(logprobs, options, uniform));
      expect(Math.abs(module.kernels.sampledLogprob.value - logprobs[token]!)).toBeLessThan(1e-5);
      // Of the whole distribution, whatever is filtered.
      const entropy = -logprobs.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0);
      expect(Math.abs(module.kernels.sampledEntropy.value - entropy)).toBeLessThan(1e-5);
    }
  });

  it("tell the entropy of the flattest and of the sharpest distribution, never below 0", () => {
    const entropyOf = (logits: ArrayLike<number>, temperature: number) => {
      module.kernels.sampleRow(module.put(logits), temperature, 0, 1, 0, 0.5);
      return module.kernels.sampledEntropy.value;
    };
    const flat = new Float64Array(shape.vocabularySize).fill(-7);
    expect(Math.abs(entropyOf(flat, 1) - Math.log(shape.vocabularySize))).toBeLessThan(1e-6);
    const sharp = flat.map((logit, i) => (i === 5 ? 90 : logit));
    for (const temperature of [0, 0.001, 1]) {
      expect(entropyOf(sharp, temperature)).toBeGreaterThanOrEqual(0);
      expect(entropyOf(sharp, temperature)).toBeLessThan(1e-30);
    }
  });
});

/** One segment of `length` rows after `prefix` rows of another: every head of the output and of each gradient. */
function expectAttention(module: KernelModule, prefix: number, length: number): void {
  const { heads, kvHeads, headSize } = shape;
  const random = new Random(prefix + length);
  const rows = prefix + length;
  const width = (heads + 2 * kvHeads) * headSize;
  const outWidth = heads * headSize;
  const qkv = normals(random, rows * width);
  // Only the segment's own rows are attended here, so only they have a gradient to carry back.
  const dOut = normals(random, rows * outWidth).map((value, i) => (i < prefix * outWidth ? 0 : value));
  const [outAt, logSumAt] = [module.put(dOut), module.put(new Float64Array(rows * heads))];
  const [qkvAt, dqkvAt] = [module.put(qkv), module.put(new Float64Array(qkv.length))];
  module.kernels.attendSegment(qkvAt, outAt, logSumAt, prefix, length, 0, prefix);
  module.kernels.attendSegmentBackward(qkvAt, outAt, logSumAt, module.put(dOut), dqkvAt, prefix, length, 0, prefix);
  const columns = (flat: Float64Array, from: number, count: number) =>
    flatten(rowsOf(flat, width).map((row) => row.slice(from, from + count)));
  const split = (flat: Float64Array) => [
    columns(flat, 0, outWidth),
    columns(flat, outWidth, kvHeads * headSize),
    columns(flat, outWidth + kvHeads * headSize, kvHeads * headSize),
  ];
  const [q, k, v] = split(qkv) as [number[], number[], number[]];
  const attended = Array.from({ length: rows }, (_, row) =>
    row < prefix
      ? { prefixStart: 0, prefixLength: 0, ownStart: 0, ownLength: row + 1 }
      : { prefixStart: 0, prefixLength: prefix, ownStart: prefix, ownLength: row - prefix + 1 },
  );
  const out = attentionForward(q, k, v, attended, shape);
  expectClose(module.read(outAt, dOut.length).slice(prefix * outWidth), out.slice(prefix * outWidth));
  const { dq, dk, dv } = attentionBackward(q, k, v, dOut, attended, shape);
  for (const [i, part] of split(module.read(dqkvAt, qkv.length)).entries()) expectClose(part, [dq, dk, dv][i]!, 1e-5);
}
