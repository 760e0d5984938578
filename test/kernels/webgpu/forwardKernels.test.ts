// The kernels of the forward pass against the plain references, in every tile they are used with.
import { describe, expect, it, vi } from "vitest";
import { modelShape } from "../../../src/kernels/modelSizes.ts";
import { headPartialsKernel, logitsKernel, scoresKernel } from "../../../src/kernels/webgpu/head.ts";
import { rowInfoWords, rowRuns } from "../../../src/kernels/webgpu/kernel.ts";
import { gateUpKernel, qkvKernel } from "../../../src/kernels/webgpu/product/projections.ts";
import { trainedForm } from "../../../src/kernels/webgpu/product/storedForm.ts";
import { gemmGrid, lowTile, wideTile } from "../../../src/kernels/webgpu/product/tile.ts";
import { rowGrid } from "../../../src/kernels/webgpu/program.ts";
import { ropeTable } from "../../../src/model/webgpu/engine.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { project } from "../reference/matrix.ts";
import { rmsNormForward } from "../reference/rmsNormRows.ts";
import { rope } from "../reference/rope.ts";
import { swiglu } from "../reference/swiglu.ts";
import { tokenScores } from "../reference/tokenScores.ts";
import { expectNear, normals, oddSizes, runCall, trainedMatrix, useEngine, wholes } from "./runCall.ts";

vi.setConfig({ testTimeout: 60_000 });
const { gpu, skip } = await gpuForTests();
const shape = modelShape(oddSizes);
const { D, F, Q, KV, V, headSize } = shape;
const eps = oddSizes.rmsNormEps;
const tiles = [wideTile, lowTile];
/** More than one row of the widest tile. */
const rows = 70;
/** Where a norm's weights and the matrix behind them lie. */
const at = { norm: 5, matrix: 5 + D };

/** Rows of x at the given indices. */
const gather = (x: Float32Array, indices: Uint32Array) =>
  Float32Array.from({ length: indices.length * D }, (_, i) => x[indices[Math.floor(i / D)]! * D + (i % D)]!);

/** Each row's position, and a slot of its own that is not its row. */
const places = Array.from({ length: rows }, (_, r) => {
  const [prefixLength, ownLength, slot] = [r % 7, (r % 4) + 1, 3 + ((r * 11 + 5) % rows)];
  return { prefixLength, ownLength, ownStart: slot + 1 - ownLength, slot, position: prefixLength + ownLength - 1 };
});

/** q of each row, then keys and values by slot, of the projected rows. */
function placed(projected: Float64Array): { q: Float64Array; kv: Float64Array } {
  const q = new Float64Array(rows * Q);
  const kv = new Float64Array((rows + 3) * 2 * KV);
  const width = Q + 2 * KV;
  places.forEach(({ slot, position }, r) => {
    for (let column = 0; column < width; column += headSize) {
      const head = projected.slice(r * width + column, r * width + column + headSize);
      const turned = column < Q + KV ? rope(head, position, oddSizes.ropeTheta) : head;
      if (column < Q) q.set(turned, r * Q + column);
      else kv.set(turned, slot * 2 * KV + column - Q);
    }
  });
  return { q, kv };
}

describe.skipIf(skip !== undefined)(skip ? `webgpu forward kernels (skipped: ${skip})` : "webgpu forward kernels", () => {
  const engine = useEngine(gpu);
  const call = { rows, scored: 0, temperature: 1 };

  it.each(tiles)("norm, project, rotate and place queries, keys and values, tile %o", async (tile) => {
    const width = Q + 2 * KV;
    const [x, weights] = [normals(rows * D), normals(at.matrix + width * D)];
    const info = new Uint32Array(rows * rowInfoWords);
    places.forEach(({ prefixLength, ownStart, ownLength }, r) => {
      info[r * rowInfoWords + rowRuns.prefixLength] = prefixLength;
      info[r * rowInfoWords + rowRuns.ownStart] = ownStart;
      info[r * rowInfoWords + rowRuns.ownLength] = ownLength;
    });
    const made = await runCall(engine(), qkvKernel(shape, trainedMatrix(width, D, at.matrix), tile), {
      buffers: {
        base: weights,
        vectors: weights,
        x,
        row_info: info,
        rope: ropeTable(10, oddSizes),
        q: rows * Q,
        kv: (rows + 3) * 2 * KV,
        inverse_rms: rows,
      },
      offsets: at,
      call,
      grid: [...gemmGrid(tile, rows, width), 1],
    });
    const { y, inverse } = rmsNormForward(x, weights.subarray(at.norm, at.matrix), eps);
    const plain = placed(project(y, weights.subarray(at.matrix), width, D));
    expectNear(made.q, plain.q);
    expectNear(made.kv, plain.kv);
    expectNear(made.inverse_rms, inverse);
  });

  it.each(tiles.flatMap((tile) => [true, false].map((keep) => ({ ...tile, keep }))))("norm, project and gate, %o", async (variant) => {
    const { keep, ...tile } = variant;
    const [x, weights] = [normals(rows * D), normals(at.matrix + 2 * F * D)];
    const made = await runCall(engine(), gateUpKernel(shape, trainedMatrix(2 * F, D, at.matrix), tile, keep), {
      buffers: { base: weights, vectors: weights, x, act: rows * F, inverse_rms: rows, ...(keep ? { gates: rows * 2 * F } : {}) },
      offsets: at,
      call,
      grid: [...gemmGrid(tile, rows, 2 * F), 1],
    });
    const { y, inverse } = rmsNormForward(x, weights.subarray(at.norm, at.matrix), eps);
    const gates = project(y, weights.subarray(at.matrix), 2 * F, D);
    const gateAt = (i: number) => Math.floor(i / F) * 2 * F + (i % F);
    expectNear(
      made.act,
      Float64Array.from({ length: rows * F }, (_, i) => swiglu(gates[gateAt(i)]!, gates[gateAt(i) + F]!)),
    );
    expectNear(made.inverse_rms, inverse);
    if (keep) expectNear(made.gates, gates);
  });

  it.each(tiles)("norm scored rows and make their logits, tile %o", async (tile) => {
    const [x, matrix, norm, scoreRow] = [normals(30 * D), normals(3 + V * D), normals(at.norm + D), wholes(rows, 30)];
    const made = await runCall(engine(), logitsKernel(shape, trainedForm(3, D), tile), {
      buffers: { base: matrix, vectors: norm, x, score_row: scoreRow, logits: rows * V, inverse_rms: rows },
      offsets: { norm: at.norm, matrix: 3, id: 0, count: V },
      call: { rows: 30, scored: rows, temperature: 1 },
      grid: [...gemmGrid(tile, rows, V), 1],
    });
    const { y, inverse } = rmsNormForward(gather(x, scoreRow), norm.subarray(at.norm), eps);
    expectNear(made.logits, project(y, matrix.subarray(3), V, D));
    expectNear(made.inverse_rms, inverse);
  });

  it.each(tiles.flatMap((tile) => [true, false].map((valueHead) => ({ ...tile, valueHead }))))(
    "score tokens over ids in shares at a temperature, %o",
    async ({ valueHead, ...tile }) => {
      const [temperature, scored, shares] = [0.7, 70, 2];
      const [x, head, target, scoreRow, weights] = [
        normals(30 * D),
        normals(3 + V * D),
        wholes(scored, V),
        wholes(scored, 30),
        normals(2 + 2 * D + 1),
      ];
      const asked = Uint32Array.from({ length: 2 * scored }, (_, i) => (i % 2 === 0 ? scoreRow : target)[Math.floor(i / 2)]!);
      const call = { rows: 30, scored, temperature };
      const made = await runCall(engine(), headPartialsKernel(shape, trainedForm(3, D), tile), {
        buffers: { base: head, x, vectors: weights, inverse_rms: scored, asked, target_logits: scored, partials: shares * scored * 4 },
        offsets: { matrix: 3, norm: 2, id: 0, count: V, share: 0 },
        call,
        grid: [shares, Math.ceil(scored / tile.rows), 1],
      });
      const { y, inverse } = rmsNormForward(gather(x, scoreRow), weights.subarray(2, 2 + D), eps);
      expectNear(made.inverse_rms, inverse);
      const critic = { asked, x, inverse_rms: made.inverse_rms, vectors: weights, value_head: weights };
      const { scores } = await runCall(engine(), scoresKernel({ ...shape, valueHead }, shares), {
        buffers: { partials: made.partials, target_logits: made.target_logits, scores: scored * 4, ...(valueHead ? critic : {}) },
        offsets: { norm: 2, value: 2 + D },
        call,
        grid: rowGrid(scored),
      });
      const values = project(y, weights.subarray(2 + D, 2 + 2 * D), 1, D).map((value) => value + weights[2 + 2 * D]!);
      const logits = project(y, head.subarray(3), V, D);
      const plain = Array.from(target, (token, k) => {
        const logits_V = logits.subarray(k * V, (k + 1) * V);
        const { logprob, entropy } = tokenScores(logits_V, token, temperature);
        return [logprob, entropy, valueHead ? values[k]! : 0, logits_V[token]! / temperature - logprob];
      });
      expect(scores).toHaveLength(scored * 4);
      for (let column = 0; column < 4; column++) {
        const [ours, expected] = [scores!.filter((_, i) => i % 4 === column), plain.map((score) => score[column]!)];
        if (column === 2 && !valueHead) expect(Array.from(ours)).toEqual(expected);
        else expectNear(ours, expected);
      }
    },
  );
});
