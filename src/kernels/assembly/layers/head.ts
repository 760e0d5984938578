// Both ends of the model. Token embedding: rows of the table, and the scatter of their gradients. Output head at the
// scored rows only: final norm, logits, log-softmax, entropy, value; and back.
import { accumulateOuter, matmulPacked } from "../product/gemm";
import { finalNormOffset, headOffset, hidden, layers, panelOffset, valueHead, valueHeadOffset, vocab } from "../layout";
import { JOB, JOB_SLOT, JOB_TEMPERATURE, SLOTS, SLOT_BACKWARD_PANELS, SLOT_BYTES, SLOT_FORWARD_PANELS, SLOT_WEIGHTS } from "../memoryMap";
import { actX, dNarrow, dX, entropies, entropyGradients, finalHidden, finalInverse, gathered, gradients, layerStride, logits, logprobGradients, logprobs, rowStats, rows, scoredRowIds, scoredRows, scoredTokens, targets, tokenRow, valueGradients, values } from "../partition";
import { rmsNorm, rowBackward } from "./rmsnorm";
import { addInto, addScaled, dot, exp1, exp4, log1, madd } from "../simd";
import { exponentials, largest, lastMoment } from "./softmax";

/** A pointer of the current slot: SLOT_WEIGHTS, SLOT_FORWARD_PANELS or SLOT_BACKWARD_PANELS. */
@inline export function slotPointer(which: usize): usize {
  return load<u32>(SLOTS + (load<i32>(JOB, JOB_SLOT) as usize) * SLOT_BYTES + which) as usize;
}

/** Gathers the scored rows of the last layer's output and applies the final norm. */
export function finalNormRows(): void {
  const width = (hidden as usize) << 2;
  const x = actX + (layers as usize) * layerStride;
  for (let r = 0; r < scoredRows; r++) {
    memory.copy(gathered + (r as usize) * width, x + (load<i32>(scoredRowIds + ((r as usize) << 2)) as usize) * width, width);
  }
  rmsNorm(scoredRows, hidden, gathered, slotPointer(SLOT_WEIGHTS) + finalNormOffset(), finalHidden, finalInverse);
}

/** Log-sum-exp and entropy of one row of logits times `by`: H = lse - sum p z. */
function rowStatistics(z: usize, by: f32, stats: usize): void {
  const top = largest(z, vocab);
  const sum = exponentials(z, vocab, top, by, false, 0);
  const logSum = log1(sum as f64) as f32;
  store<f32>(stats, logSum + top * by);
  store<f32>(stats, logSum - lastMoment / sum, 4);
}

/** Logits and their statistics at the scored rows; log-prob, entropy and value of each scored token. */
export function headForward(): void {
  finalNormRows();
  matmulPacked(scoredRows, vocab, hidden, finalHidden, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(0, 4, false), logits, false);
  const by: f32 = 1 / load<f32>(JOB, JOB_TEMPERATURE);
  const width = (vocab as usize) << 2;
  for (let r = 0; r < scoredRows; r++) rowStatistics(logits + (r as usize) * width, by, rowStats + ((r as usize) << 4));
  const w = slotPointer(SLOT_WEIGHTS) + valueHeadOffset();
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    const r = load<i32>(tokenRow + at) as usize;
    const stats = rowStats + (r << 4);
    store<f32>(logprobs + at, load<f32>(logits + r * width + ((load<i32>(targets + at) as usize) << 2)) * by - load<f32>(stats));
    store<f32>(entropies + at, load<f32>(stats, 4));
    if (valueHead) {
      store<f32>(values + at, dot(w, finalHidden + r * ((hidden as usize) << 2), hidden) + load<f32>(w + ((hidden as usize) << 2)));
    }
  }
}

/** One row of logits becomes its gradient: -p (g + h (log p + H)) by, before the targets' own share. */
function logitGradients(z: usize, by: f32, logSum: f32, entropy: f32, g: f32, h: f32): void {
  const bb = f32x4.splat(by);
  const ll = f32x4.splat(logSum);
  const constant = f32x4.splat(-by * (g + h * entropy));
  const slope = f32x4.splat(-by * h);
  let i = 0;
  for (; i + 4 <= vocab; i += 4) {
    const at = z + ((i as usize) << 2);
    const logp = f32x4.sub(f32x4.mul(v128.load(at), bb), ll);
    v128.store(at, f32x4.mul(exp4(logp), madd(slope, logp, constant)));
  }
  for (; i < vocab; i++) {
    const at = z + ((i as usize) << 2);
    const logp: f32 = load<f32>(at) * by - logSum;
    store<f32>(at, exp1(logp) * (-by * (g + h * entropy) - by * h * logp));
  }
}

/** Sums what arrives at a row's tokens into the row's statistics (words 2 and 3). */
function gatherTokenGradients(): void {
  for (let r = 0; r < scoredRows; r++) store<u64>(rowStats + ((r as usize) << 4), 0, 8);
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    const stats = rowStats + ((load<i32>(tokenRow + at) as usize) << 4);
    store<f32>(stats, load<f32>(stats, 8) + load<f32>(logprobGradients + at), 8);
    store<f32>(stats, load<f32>(stats, 12) + load<f32>(entropyGradients + at), 12);
  }
}

function valueBackward(): void {
  const w = slotPointer(SLOT_WEIGHTS) + valueHeadOffset();
  const dw = gradients + valueHeadOffset();
  const width = (hidden as usize) << 2;
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    const r = load<i32>(tokenRow + at) as usize;
    const g = load<f32>(valueGradients + at);
    addScaled(dNarrow + r * width, g, w, hidden);
    addScaled(dw, g, finalHidden + r * width, hidden);
    store<f32>(dw + width, load<f32>(dw + width) + g);
  }
}

/** From token gradients to the gradient of the last layer's output, written to dX (zero at other rows). */
export function headBackward(): void {
  gatherTokenGradients();
  const by: f32 = 1 / load<f32>(JOB, JOB_TEMPERATURE);
  const vocabBytes = (vocab as usize) << 2;
  const width = (hidden as usize) << 2;
  for (let r = 0; r < scoredRows; r++) {
    const stats = rowStats + ((r as usize) << 4);
    logitGradients(logits + (r as usize) * vocabBytes, by, load<f32>(stats), load<f32>(stats, 4), load<f32>(stats, 8), load<f32>(stats, 12));
  }
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    const z = logits + (load<i32>(tokenRow + at) as usize) * vocabBytes + ((load<i32>(targets + at) as usize) << 2);
    store<f32>(z, load<f32>(z) + load<f32>(logprobGradients + at) * by);
  }
  matmulPacked(scoredRows, hidden, vocab, logits, slotPointer(SLOT_BACKWARD_PANELS) + panelOffset(0, 4, true), dNarrow, false);
  accumulateOuter(vocab, hidden, scoredRows, logits, finalHidden, gradients + headOffset());
  if (valueHead) valueBackward();
  memory.fill(dX, 0, (rows as usize) * width);
  for (let r = 0; r < scoredRows; r++) {
    const to = dX + (load<i32>(scoredRowIds + ((r as usize) << 2)) as usize) * width;
    const at = (r as usize) * width;
    rowBackward(hidden, gathered + at, slotPointer(SLOT_WEIGHTS) + finalNormOffset(), load<f32>(finalInverse + ((r as usize) << 2)), dNarrow + at, to, gradients + finalNormOffset());
  }
}

/** x[row] = table[token of row]. */
export function embed(rows: i32, tokens: usize, table: usize, x: usize): void {
  const width = (hidden as usize) << 2;
  for (let row = 0; row < rows; row++) {
    memory.copy(x + (row as usize) * width, table + (load<i32>(tokens + ((row as usize) << 2)) as usize) * width, width);
  }
}

/** dTable[token of row] += dx[row], in row order. */
export function embedBackward(rows: i32, tokens: usize, dx: usize, dTable: usize): void {
  const width = (hidden as usize) << 2;
  for (let row = 0; row < rows; row++) {
    addInto(dTable + (load<i32>(tokens + ((row as usize) << 2)) as usize) * width, dx + (row as usize) * width, hidden);
  }
}
