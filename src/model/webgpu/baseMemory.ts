// A frozen base on the GPU: each matrix once, in the form of its type, for policy and reference alike. It comes tensor
// by tensor, so that no more than one is held beside what has been written.
import type { Arena } from "../../kernels/webgpu/arena.ts";
import { packRows, rowWords, type StoredForm, unpackRows } from "../../kernels/webgpu/product/storedForm.ts";
import { readWords } from "../../kernels/webgpu/program.ts";
import { broughtIn, GGML_TYPES, type StoredTensor, stored, widened } from "../folder/ggmlTypes.ts";
import { baseTensor, type FrozenBase } from "../lora/frozenBase.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../transformerConfig.ts";
import { type MatrixRows, type ModelPlan, storedRows } from "./plan/modelPlan.ts";

/** The tensor's bytes in the type of a form: its own, or single precision. */
function bytesFor(form: StoredForm, tensor: StoredTensor): Uint8Array {
  return tensor.type.name === form.name ? tensor.bytes : stored(widened(tensor)).bytes;
}

interface Piece {
  readonly rows: MatrixRows;
  readonly name: string;
  readonly first: number;
  readonly count: number;
  /** Row of the buffer where it begins. */
  readonly at: number;
}

function piecesOf(plan: ModelPlan): readonly Piece[] {
  return storedRows(plan).flatMap((rows) => {
    let at = 0;
    return (rows.stored ?? []).map((piece) => {
      const placed = { rows, ...piece, at };
      at += piece.count;
      return placed;
    });
  });
}

function writePiece(device: GPUDevice, buffer: GPUBuffer, { rows, first, count, at }: Piece, tensor: StoredTensor): void {
  const bytes = bytesFor(rows.form, tensor);
  const rowBytes = bytes.length / tensor.shape[0]!;
  const packed = packRows(rows.form, bytes.subarray(first * rowBytes, (first + count) * rowBytes), rows.values);
  device.queue.writeBuffer(buffer, at * rowWords(rows.form, rows.values) * 4, packed);
}

/** The piece's values as floats. */
async function readPiece(device: GPUDevice, buffer: GPUBuffer, { rows, count, at }: Piece): Promise<Float32Array> {
  const words = rowWords(rows.form, rows.values);
  const bytes = unpackRows(rows.form, new Uint8Array(await readWords(device, buffer, at * words, count * words)), rows.values);
  const type = GGML_TYPES.find(({ name }) => name === rows.form.name)!;
  return widened({ shape: [count, rows.values], type, bytes }).data;
}

/** Makes the buffers of a base in an arena, empty. */
export function baseMemory(device: GPUDevice, arena: Arena, plan: ModelPlan) {
  const buffers = new Map<MatrixRows, GPUBuffer>();
  for (const rows of storedRows(plan)) buffers.set(rows, arena.storage(`base ${rows.name}`, rows.words));
  const vectors = arena.storage("norms and biases", plan.vectorWords);
  const pieces = piecesOf(plan);
  const bufferOf = (rows: MatrixRows): GPUBuffer => buffers.get(rows)!;
  return {
    vectors,
    bufferOf,
    /** Brings the base's tensors in, one after the other. */
    async fill(config: TransformerConfig, { tensors }: Pick<FrozenBase, "tensors">): Promise<void> {
      for (const { name, shape } of parameterLayout(config).filter(({ name }) => !isValueHead(name))) {
        const tensor = await broughtIn(baseTensor(tensors, name, shape));
        const vector = plan.vectors.get(name);
        if (vector !== undefined) device.queue.writeBuffer(vectors, vector * 4, widened(tensor).data as Float32Array<ArrayBuffer>);
        for (const piece of pieces.filter((each) => each.name === name)) writePiece(device, bufferOf(piece.rows), piece, tensor);
        // What was written waits in memory of the device's own until it is done with it.
        await device.queue.onSubmittedWorkDone();
      }
    },
    /** All weights as floats, in the order of parameterLayout; those of a value head are 0. */
    async widenedWeights(config: TransformerConfig): Promise<Float32Array> {
      const layout = parameterLayout(config);
      const whole_N = new Float32Array(layout.reduce((sum, { size }) => sum + size, 0));
      const vectorValues = new Float32Array(await readWords(device, vectors, 0, vectors.size / 4));
      for (const { name, offset, size } of layout) {
        const vector = plan.vectors.get(name);
        if (vector !== undefined) whole_N.set(vectorValues.subarray(vector, vector + size), offset);
        for (const piece of pieces.filter((each) => each.name === name))
          whole_N.set(await readPiece(device, bufferOf(piece.rows), piece), offset + piece.first * piece.rows.values);
      }
      return whole_N;
    },
  };
}
