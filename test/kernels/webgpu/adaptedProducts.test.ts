// Products with a stored matrix and adapters beside it against plain ones, in every tile, with rows, columns and terms that
// fill none of them: models small enough for a software adapter choose the low tile alone.
import { describe, it, vi } from "vitest";
import { modelShape } from "../../../src/kernels/modelSizes.ts";
import { gateUpKernel, inputGradientKernel, type Matrix, residualKernel } from "../../../src/kernels/webgpu/product/projections.ts";
import { packRows, STORED_FORMS } from "../../../src/kernels/webgpu/product/storedForm.ts";
import { gemmGrid, lowTile, wideTile } from "../../../src/kernels/webgpu/product/tile.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { project, projectBackward } from "../reference/matrix.ts";
import { swiglu } from "../reference/swiglu.ts";
import { expectNear, normals, oddSizes, runCall, useEngine } from "./runCall.ts";

vi.setConfig({ testTimeout: 60_000 });
const { gpu, skip } = await gpuForTests();
const tiles = [wideTile, lowTile];
const form = STORED_FORMS.F32!;
/** More than the rows of the widest tile. */
const rows = 150;
const rank = 5;
const call = { rows, scored: rows, temperature: 1 };

const packed = (values: Float32Array<ArrayBuffer>, width: number) => packRows(form, new Uint8Array(values.buffer), width);

/** A matrix beside whose later outputs stands one adapter, and what it makes of rows. */
function adaptedMatrix(outputs: number, inputs: number) {
  const first = 4;
  const [base, a, b] = [normals(outputs * inputs), normals(rank * inputs), normals((outputs - first) * rank)];
  const matrix: Matrix = { form, outputs, inputs, parts: [{ first, last: outputs, at: 0, rank }], scale: "0.5f" };
  const whole = Float32Array.from(base, (value, i) => {
    const [n, k] = [Math.floor(i / inputs), i % inputs];
    if (n < first) return value;
    return Array.from({ length: rank }, (_, r) => b[(n - first) * rank + r]! * a[r * inputs + k]!).reduce(
      (sum, one) => sum + 0.5 * one,
      value,
    );
  });
  return { matrix, whole, base: packed(base, inputs), trained: Float32Array.from([...a, ...b]), a, first, b };
}

describe.skipIf(skip !== undefined)(skip ? `adapted products (skipped: ${skip})` : "products with adapters", () => {
  const engine = useEngine(gpu);

  it.each(tiles)("have the adapters' terms and the residual, tile %o", async (tile) => {
    const [outputs, inputs] = [71, 44];
    const { matrix, whole, base, trained, a } = adaptedMatrix(outputs, inputs);
    const [x, residual] = [normals(rows * inputs), normals(rows * outputs)];
    const { y } = await runCall(engine(), residualKernel(matrix, tile), {
      buffers: { base, a: x, inner: Float32Array.from(project(x, a, rank, inputs)), trained, residual, y: rows * outputs },
      offsets: { adapter0: 0, matrix: 0 },
      call,
      grid: [...gemmGrid(tile, rows, outputs), 1],
    });
    expectNear(
      y,
      project(x, whole, outputs, inputs).map((value, i) => value + residual[i]!),
    );
  });

  it.each(tiles)("make gate and up in one and keep them, tile %o", async (tile) => {
    const [F, inputs] = [42, 20];
    const { matrix, whole, base, trained, a } = adaptedMatrix(2 * F, inputs);
    const normed = normals(rows * inputs);
    const { act, gates } = await runCall(engine(), gateUpKernel(modelShape({ ...oddSizes, intermediateSize: F }), matrix, tile, true), {
      buffers: { base, normed, inner: Float32Array.from(project(normed, a, rank, inputs)), trained, act: rows * F, gates: rows * 2 * F },
      offsets: { adapter0: 0, matrix: 0 },
      call,
      grid: [...gemmGrid(tile, rows, 2 * F), 1],
    });
    const plain = project(normed, whole, 2 * F, inputs);
    expectNear(gates, plain);
    const at = (i: number) => Math.floor(i / F) * 2 * F + (i % F);
    expectNear(
      act,
      Float64Array.from({ length: rows * F }, (_, i) => swiglu(plain[at(i)]!, plain[at(i) + F]!)),
    );
  });

  it.each(tiles)("carry the gradient back to their input, tile %o", async (tile) => {
    const [outputs, inputs] = [44, 72];
    const { matrix, whole, base, trained, first, b } = adaptedMatrix(outputs, inputs);
    const dy = normals(rows * outputs);
    // s B^T dy of each row.
    const inner = Float32Array.from({ length: rows * rank }, (_, i) => {
      const [m, r] = [Math.floor(i / rank), i % rank];
      let sum = 0;
      for (let n = first; n < outputs; n++) sum += 0.5 * b[(n - first) * rank + r]! * dy[m * outputs + n]!;
      return sum;
    });
    const { dx } = await runCall(engine(), inputGradientKernel(matrix, tile), {
      buffers: { base, dy, inner, trained, dx: rows * inputs },
      offsets: { adapter0: 0, matrix: 0 },
      call,
      grid: [...gemmGrid(tile, rows, inputs), 1],
    });
    expectNear(dx, projectBackward(normals(rows * inputs), whole, dy, outputs, inputs).dx);
  });
});
