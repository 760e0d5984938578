// Sums and maxima over a workgroup, with subgroups and without them, against plain ones.
import { afterAll, describe, expect, it } from "vitest";
import { type Kernel, kernelCode, read, write } from "../../../src/kernels/webgpu/kernel.ts";
import { createEngine } from "../../../src/model/webgpu/engine.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { expectNear, normals, oddSizes, runCall } from "./runCall.ts";

const { gpu, skip } = await gpuForTests();
const hasSubgroups = (await gpu?.requestAdapter())?.features.has("subgroups") ?? false;
const together = 8;

/** Of each thread's value: the sum and the maximum as every thread has them; and of eight values a thread, those of `reduceEach`. */
const kernelOf = (threads: number): Kernel => ({
  label: `reductions of ${threads}`,
  buffers: [read("x"), write("sums"), write("most"), write("each")],
  offsets: [],
  reduces: { threads, together },
  code: `
@compute @workgroup_size(${threads})
fn main(@builtin(local_invocation_index) lid: u32) {
  sums[lid] = reduceSum(x[lid], lid);
  most[lid] = reduceMax(x[lid], lid);
  var values: array<f32, ${together}>;
  for (var i = 0u; i < ${together}u; i++) { values[i] = x[lid * ${together}u + i]; }
  each[lid] = reduceEach(&values, lid);
}
`,
});

describe.skipIf(skip !== undefined)(skip ? `reductions (skipped: ${skip})` : "reductions over a workgroup", () => {
  const cases: readonly { readonly name: string; readonly features: GPUFeatureName[] }[] = [
    ...(hasSubgroups ? [{ name: "with subgroups", features: ["subgroups" as const] }] : []),
    { name: "without subgroups", features: [] },
  ];

  it.each(cases)("$name have every thread's value once, the same bits in every thread", async ({ features }) => {
    const device = await (await gpu!.requestAdapter())!.requestDevice({ requiredFeatures: features });
    afterAll(() => device.destroy());
    expect(device.features.has("subgroups")).toBe(features.length > 0);
    const engine = createEngine(device, oddSizes, {});
    for (const threads of [64, 128, 256]) {
      const x = normals(threads * together);
      const { sums, most, each } = await runCall(engine, kernelOf(threads), {
        buffers: { x, sums: threads, most: threads, each: threads },
        call: { rows: 1, scored: 1, temperature: 1 },
        grid: [1, 1, 1],
      });
      const own = x.subarray(0, threads);
      expectNear([sums![0]!], [own.reduce((sum, value) => sum + value, 0)]);
      expect(new Set(sums).size).toBe(1);
      expect(new Set(most)).toEqual(new Set([Math.max(...own)]));
      const expected = Array.from({ length: together }, (_, i) => x.reduce((sum, value, at) => sum + (at % together === i ? value : 0), 0));
      expectNear(each!.subarray(0, together), expected);
    }
    engine.destroy();
  });

  it("ask for the feature only where they are used", () => {
    const { reduces: _, ...plain } = kernelOf(64);
    expect(kernelCode(kernelOf(64), true)).toMatch(/^enable subgroups;/);
    expect(kernelCode(kernelOf(64), false)).not.toContain("subgroup");
    expect(kernelCode(plain, true)).not.toContain("subgroup");
  });
});
