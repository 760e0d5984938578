// The two kernels of the optimizer step against plain loops and the plain AdamW.
import { describe, expect, it, vi } from "vitest";
import { adamwKernel, gradientNormKernel, normGroups, stepFields } from "../../../src/kernels/webgpu/update/adamw.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { type AdamwOptions, adamw } from "../reference/adamw.ts";
import { expectNear, normals, runCall, useEngine } from "./runCall.ts";

vi.setConfig({ testTimeout: 60_000 });
const { gpu, skip } = await gpuForTests();
const call = { rows: 0, scored: 0, temperature: 1 };
/** More than the threads of a dispatch of two workgroups, and no multiple of them. */
const count = 700;
/** Step number 3. */
const options: AdamwOptions = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 0.01, weightDecay: 0.2, maxGradNorm: 5 };
const corrections = { correction1: 1 / (1 - options.beta1 ** 3), correction2: 1 / (1 - options.beta2 ** 3) };

function stepWords(over: Partial<AdamwOptions & { sgd: number }>): Float32Array<ArrayBuffer> {
  const all = { ...options, ...corrections, sgd: 0, ...over };
  const rests = { rest1: 1 - all.beta1, rest2: 1 - all.beta2, keep: 1 - all.learningRate * all.weightDecay };
  const values = { ...all, ...rests };
  return Float32Array.from(stepFields, (name) => values[name]);
}

const squaresOf = (values: Float64Array) => values.reduce((sum, value) => sum + value * value, 0);

describe.skipIf(skip !== undefined)(skip ? `webgpu update kernels (skipped: ${skip})` : "webgpu update kernels", () => {
  const engine = useEngine(gpu);

  it.each([1, 3])("add up %i copies of the gradient and its squares", async (copies) => {
    const [first, stride, partial] = [5, count + 9, 2];
    const given = normals(first + copies * stride);
    const { gradient, partials } = await runCall(engine(), gradientNormKernel(), {
      buffers: { gradient: given, partials: (partial + normGroups) * 2 },
      offsets: { first, count, copies, stride, partial },
      call,
      grid: [2, 1, 1],
    });
    const sums = new Float64Array(count);
    const plain = Float64Array.from(given);
    for (let i = 0; i < count; i++) {
      for (let copy = 0; copy < copies; copy++) {
        sums[i]! += given[first + i + copy * stride]!;
        plain[first + i + copy * stride] = 0;
      }
      plain[first + i] = sums[i]!;
    }
    expectNear(gradient, plain);
    expectNear([partials![2 * partial]! + partials![2 * partial + 2]!], [squaresOf(sums)]);
    expect(partials!.filter((_, i) => i !== 2 * partial && i !== 2 * partial + 2).every((value) => value === 0)).toBe(true);
  });

  it("count what is not finite apart from the squares", async () => {
    const given = normals(count);
    given.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY], 100);
    const { partials } = await runCall(engine(), gradientNormKernel(), {
      buffers: { gradient: given, partials: normGroups * 2 },
      offsets: { first: 0, count, copies: 1, stride: count, partial: 0 },
      call,
      grid: [1, 1, 1],
    });
    expectNear(partials!.subarray(0, 1), [squaresOf(Float64Array.from(given.filter(Number.isFinite)))]);
    expect(partials![1]).toBe(3);
  });

  const first = 3;

  /** Runs the step over [first, first + count) with the norm's square spread over more partial sums than threads. */
  async function step(over: Partial<AdamwOptions & { sgd: number }>, broken = 0) {
    const given = {
      gradient: normals(first + count + 2),
      weights: normals(first + count + 2),
      first: normals(first + count + 2),
      second: normals(first + count + 2).map(Math.abs),
    };
    const inside = (values: Float32Array) => Float64Array.from(values.subarray(first, first + count));
    const squares = squaresOf(inside(given.gradient));
    const partials = Float32Array.from({ length: 2 * 300 }, (_, i) => (i % 2 === 0 ? squares / 300 : 0));
    partials[2 * 290 + 1] = broken;
    const made = await runCall(engine(), adamwKernel(), {
      buffers: { step: stepWords(over), partials, ...given },
      offsets: { first, count, partials: 300 },
      call,
      grid: [2, 1, 1],
    });
    const expected = Float32Array.from(given.gradient);
    expected.fill(0, first, first + count);
    expect(made.gradient).toEqual(expected);
    for (const name of ["weights", "first", "second"] as const) {
      expect(made[name]!.subarray(0, first)).toEqual(given[name].subarray(0, first));
      expect(made[name]!.subarray(first + count)).toEqual(given[name].subarray(first + count));
    }
    return { given, made, inside, norm: Math.sqrt(squares) };
  }

  it.each([5, 500, 0])("step as AdamW does, clipped to %i", async (maxGradNorm) => {
    const { given, made, inside, norm } = await step({ maxGradNorm });
    expect(norm).toBeGreaterThan(5);
    expect(norm).toBeLessThan(500);
    const state = { weights_N: inside(given.weights), first_N: inside(given.first), second_N: inside(given.second) };
    const plain = adamw(state, inside(given.gradient), 3, { ...options, maxGradNorm });
    expectNear(inside(made.weights!), plain.weights_N);
    expectNear(inside(made.first!), plain.first_N);
    expectNear(inside(made.second!), plain.second_N);
  });

  it("move the second moment by 1 - beta2 as it is, not as single precision takes it", async () => {
    const { given, made, inside } = await step({ beta2: 0.999, maxGradNorm: 0 });
    const gradient = inside(given.gradient);
    const [before, after] = [inside(given.second), inside(made.second!)];
    let [share, squares] = [0, 0];
    for (let i = 0; i < count; i++) {
      share += after[i]! - Math.fround(0.999) * before[i]!;
      squares += gradient[i]! * gradient[i]!;
    }
    // Rounding of single values averages out; 1 - fround(0.999) would be off by 1.3e-5 of itself.
    expect(Math.abs(share / squares / 0.001 - 1)).toBeLessThan(4e-6);
  });

  it("step against the clipped gradient as SGD, moments left alone", async () => {
    const { given, made, inside, norm } = await step({ sgd: 1 });
    const { learningRate, weightDecay, maxGradNorm } = options;
    const gradient = inside(given.gradient);
    expectNear(
      inside(made.weights!),
      inside(given.weights).map((w, i) => w * (1 - learningRate * weightDecay) - (learningRate * gradient[i]! * maxGradNorm) / norm),
    );
    expect(made.first).toEqual(given.first);
    expect(made.second).toEqual(given.second);
  });

  it("change nothing but the gradient where it was not finite", async () => {
    const { given, made } = await step({}, 1);
    for (const name of ["weights", "first", "second"] as const) expect(made[name]).toEqual(given[name]);
  });
});
