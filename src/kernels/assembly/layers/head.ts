// Both ends of the model. Token embedding: rows of the table, and the scatter of their gradients. Output head at the
// scored rows only: final norm, logits, log-softmax, entropy, value; and back.
import { accumulateOuter, matmulPacked } from "../product/gemm";
import { finalNormOffset, frozen, gradientAt, headOffset, hidden, layers, panelOffset, slotPointer, valueHead, valueHeadAt, valueHeadOffset, vocab } from "../layout";
import { JOB, JOB_TEMPERATURE, SLOT_BACKWARD_PANELS, SLOT_FORWARD_PANELS, SLOT_WEIGHTS } from "../memoryMap";
import { actX, dNarrow, dX, entropies, entropyGradients, finalHidden, finalInverse, gathered, gradients, layerStride, logits, logprobGradients, logprobs, rowStats, rows, scoredRowIds, scoredRows, scoredTokens, targets, tokenRow, valueGradients, values } from "../partition";
import { rmsNorm, rowBackward } from "./rmsnorm";
import { addInto, addScaled, dot, log1 } from "../simd";
import { embeddingPart, widenPart } from "../product/frozenParts";
import { exponentials, largest, lastMoment, logitGradients } from "./softmax";
import { tiledBackward, tiledLogits } from "./tiledHead";

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

/** Logits and their statistics at all scored rows, and the log-prob of each token. */
function wholeLogits(): void {
  matmulPacked(scoredRows, vocab, hidden, finalHidden, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(0, 4, false), logits, false);
  const by: f32 = 1 / load<f32>(JOB, JOB_TEMPERATURE);
  const width = (vocab as usize) << 2;
  for (let r = 0; r < scoredRows; r++) rowStatistics(logits + (r as usize) * width, by, rowStats + ((r as usize) << 4));
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    const r = load<i32>(tokenRow + at) as usize;
    store<f32>(logprobs + at, load<f32>(logits + r * width + ((load<i32>(targets + at) as usize) << 2)) * by - load<f32>(rowStats + (r << 4)));
  }
}

/** Log-prob, entropy and value of each scored token. */
export function headForward(): void {
  finalNormRows();
  if (frozen != 0) tiledLogits();
  else wholeLogits();
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    const r = load<i32>(tokenRow + at) as usize;
    store<f32>(entropies + at, load<f32>(rowStats + (r << 4), 4));
    if (valueHead) {
      const w = valueHeadAt();
      store<f32>(values + at, dot(w, finalHidden + r * ((hidden as usize) << 2), hidden) + load<f32>(w + ((hidden as usize) << 2)));
    }
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
  const w = valueHeadAt();
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

/** Turns all logits into their gradients, and carries those to the scored rows and the head. */
function wholeBackward(): void {
  const by: f32 = 1 / load<f32>(JOB, JOB_TEMPERATURE);
  const vocabBytes = (vocab as usize) << 2;
  for (let r = 0; r < scoredRows; r++) logitGradients(logits + (r as usize) * vocabBytes, vocab, by, rowStats + ((r as usize) << 4));
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    const z = logits + (load<i32>(tokenRow + at) as usize) * vocabBytes + ((load<i32>(targets + at) as usize) << 2);
    store<f32>(z, load<f32>(z) + load<f32>(logprobGradients + at) * by);
  }
  matmulPacked(scoredRows, hidden, vocab, logits, slotPointer(SLOT_BACKWARD_PANELS) + panelOffset(0, 4, true), dNarrow, false);
  accumulateOuter(vocab, hidden, scoredRows, logits, finalHidden, gradients + headOffset());
}

/** From token gradients to the gradient of the last layer's output, written to dX (zero at other rows). */
export function headBackward(): void {
  gatherTokenGradients();
  if (frozen != 0) tiledBackward();
  else wholeBackward();
  if (valueHead) valueBackward();
  const width = (hidden as usize) << 2;
  memory.fill(dX, 0, (rows as usize) * width);
  for (let r = 0; r < scoredRows; r++) {
    const to = dX + (load<i32>(scoredRowIds + ((r as usize) << 2)) as usize) * width;
    const at = (r as usize) * width;
    rowBackward(hidden, gathered + at, slotPointer(SLOT_WEIGHTS) + finalNormOffset(), load<f32>(finalInverse + ((r as usize) << 2)), dNarrow + at, to, gradientAt(gradients, finalNormOffset()));
  }
}

/** A token's row of the embedding. */
export function embedToken(token: i32, to: usize): void {
  const width = (hidden as usize) << 2;
  if (frozen != 0) widenPart(embeddingPart(), token, 1, hidden, to);
  else memory.copy(to, slotPointer(SLOT_WEIGHTS) + (token as usize) * width, width);
}

/** x[row] = table[token of row]. */
export function embed(rows: i32, tokens: usize, x: usize): void {
  for (let row = 0; row < rows; row++) embedToken(load<i32>(tokens + ((row as usize) << 2)), x + (row as usize) * ((hidden as usize) << 2));
}

/** dTable[token of row] += dx[row], in row order. */
export function embedBackward(rows: i32, tokens: usize, dx: usize, dTable: usize): void {
  const width = (hidden as usize) << 2;
  for (let row = 0; row < rows; row++) {
    addInto(dTable + (load<i32>(tokens + ((row as usize) << 2)) as usize) * width, dx + (row as usize) * width, hidden);
  }
}
