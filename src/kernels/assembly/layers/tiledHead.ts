// The output head beside a frozen base, in tiles of rows x ids: one pass keeps a running maximum, sum of exponentials and
// sum of each times its exponent, from which log-probs and entropies follow. No row's logits are ever held as a whole, which
// at 150 thousand ids would outweigh the model. A log-prob's gradient is the target's vector less the mean one, which the
// pass forward keeps as attention does (Dao et al. 2022), so that no logit is made again; an entropy's takes a second pass.
import { hidden, minI, vocab } from "../layout";
import { JOB, JOB_TEMPERATURE } from "../memoryMap";
import { dNarrow, finalHidden, gradients, logprobGradients, logprobs, rowStats, scoredRows, scoredTokens, targetOrder, targets, tokenRow } from "../partition";
import { forwardPanel, headPart, widenPart } from "../product/frozenParts";
import { packBlock, panelProduct } from "../product/gemm";
import { packTransposed } from "../product/pack";
import { HEAD_IDS, HEAD_ROWS, logitTile, packA, packedTile, widePanels, wideRows } from "../scratch";
import { addScaled, exp1, log1 } from "../simd";
import { exponentials, largest, lastMoment, logitGradients } from "./softmax";

/** Bytes of a row of the tile. */
const TILE_STRIDE: usize = 512;

/** Logits of the rows in packA at ids [first, first + count), `stride` bytes from row to row; leaves the ids' vectors in wideRows. */
function logitsOf(rows: i32, first: i32, count: i32, to: usize, stride: usize): void {
  const width = (hidden as usize) << 2;
  widenPart(headPart(), first, count, hidden, wideRows);
  for (let j = 0; j < count; j += 8) {
    packTransposed(wideRows + (j as usize) * width, width, minI(8, count - j), hidden, widePanels);
    panelProduct(packA, rows, hidden, widePanels, 32, to + ((j as usize) << 2), stride, count - j, false);
  }
}

/** Logits of a few packed rows of hidden vectors at ids [first, end), in rows of the whole vocabulary, for sampling. */
export function logitsFrom(packed: usize, rows: i32, first: i32, end: i32, to: usize): void {
  for (let id = first; id < end; id += 8) {
    forwardPanel(headPart(), id, minI(8, vocab - id), hidden, widePanels);
    panelProduct(packed, rows, hidden, widePanels, 32, to + ((id as usize) << 2), (vocab as usize) << 2, vocab - id, false);
  }
}

/** What a row's earlier sums shrink by with the run that was taken last. */
let shrinking: f32 = 1;

/**
 * Takes a row's run of logits into its statistics: maximum, sum, moment, and what the sum has lost by rounding
 * (Neumaier 1974). With `keep` (a constant) exponentials take the logits' place.
 */
@inline function takeRun(z: usize, count: i32, by: f32, stats: usize, keep: bool): void {
  const before = load<f32>(stats);
  const top = max(before, largest(z, count));
  const run = exponentials(z, count, top, by, keep, z);
  const moment = lastMoment;
  const sum = load<f32>(stats, 4);
  store<f32>(stats, top);
  shrinking = 1;
  if (sum == 0) {
    store<f32>(stats, run, 4);
    store<f32>(stats, moment, 8);
    return;
  }
  const shift: f32 = (before - top) * by;
  if (before != top) shrinking = exp1(shift);
  const shrunk: f32 = sum * shrinking;
  const next: f32 = shrunk + run;
  const lost: f32 = shrunk > run ? shrunk - next + run : run - next + shrunk;
  store<f32>(stats, next, 4);
  store<f32>(stats, load<f32>(stats, 12) * shrinking + lost, 12);
  store<f32>(stats, shrinking * (load<f32>(stats, 8) + shift * sum) + moment, 8);
}

/** Takes a tile of logits into the rows' statistics, and with a way back ahead its ids' vectors, each as often as likely, into `sums`. */
function takeTile(rows: i32, count: i32, by: f32, stats: usize, sums: usize): void {
  for (let r = 0; r < rows; r++) {
    const z = logitTile + (r as usize) * TILE_STRIDE;
    if (gradients == 0) {
      takeRun(z, count, by, stats + ((r as usize) << 4), false);
      continue;
    }
    takeRun(z, count, by, stats + ((r as usize) << 4), true);
    if (shrinking != 1) scaleVector(sums + ((r * hidden) as usize) * 4, shrinking);
  }
  if (gradients != 0) carryTile(rows, count, sums);
}

function scaleVector(x: usize, by: f32): void {
  for (let i = 0; i < hidden; i++) store<f32>(x + ((i as usize) << 2), load<f32>(x + ((i as usize) << 2)) * by);
}

/** The next scored token in the order of targets, while tiles follow one another over the ids. */
let nextTarget: i32 = 0;

/**
 * Address of the next target's logit among ids up to `end` and rows [row, row + rows), whose tile begins at id `first`;
 * 0 where there is none.
 */
function nextInTile(row: i32, rows: i32, first: i32, end: i32): usize {
  for (; nextTarget < scoredTokens; nextTarget++) {
    token = (load<i32>(targetOrder + ((nextTarget as usize) << 2)) as usize) << 2;
    const id = load<i32>(targets + token);
    if (id >= end) return 0;
    const r = load<i32>(tokenRow + token) - row;
    if (r < 0 || r >= rows) continue;
    nextTarget++;
    return logitTile + (r as usize) * TILE_STRIDE + (((id - first) as usize) << 2);
  }
  return 0;
}
/** Byte offset of the token that nextInTile has found, among a partition's scored tokens. */
let token: usize = 0;

/**
 * Statistics of all scored rows (log of the sum of exponentials, entropy), and the log-prob of each token. With a way back
 * ahead the mean of all ids' vectors goes to each row of dNarrow.
 */
export function tiledLogits(): void {
  const by: f32 = 1 / load<f32>(JOB, JOB_TEMPERATURE);
  const width = (hidden as usize) << 2;
  if (gradients != 0) memory.fill(dNarrow, 0, (scoredRows as usize) * width);
  for (let row = 0; row < scoredRows; row += HEAD_ROWS) {
    const rows = minI(HEAD_ROWS, scoredRows - row);
    const stats = rowStats + ((row as usize) << 4);
    packBlock(finalHidden + (row as usize) * width, width, rows, hidden, packA);
    nextTarget = 0;
    for (let r = 0; r < rows; r++) {
      store<f32>(stats + ((r as usize) << 4), -Infinity);
      store<u64>(stats + ((r as usize) << 4), 0, 4);
      store<f32>(stats + ((r as usize) << 4), 0, 12);
    }
    for (let first = 0; first < vocab; first += HEAD_IDS) {
      const count = minI(HEAD_IDS, vocab - first);
      logitsOf(rows, first, count, logitTile, TILE_STRIDE);
      // Logits of targets are log-probs in the making.
      for (let z = nextInTile(row, rows, first, first + count); z != 0; z = nextInTile(row, rows, first, first + count))
        store<f32>(logprobs + token, load<f32>(z));
      takeTile(rows, count, by, stats, dNarrow + (row as usize) * width);
    }
    for (let r = 0; r < rows; r++) {
      store<f32>(stats + ((r as usize) << 4), load<f32>(stats + ((r as usize) << 4), 4) + load<f32>(stats + ((r as usize) << 4), 12), 4);
      if (gradients != 0) scaleVector(dNarrow + ((row + r) as usize) * width, 1 / load<f32>(stats + ((r as usize) << 4), 4));
      finishStatistics(stats + ((r as usize) << 4), by);
    }
  }
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    store<f32>(logprobs + at, load<f32>(logprobs + at) * by - load<f32>(rowStats + ((load<i32>(tokenRow + at) as usize) << 4)));
  }
}

function finishStatistics(stats: usize, by: f32): void {
  const sum = load<f32>(stats, 4);
  const logSum = log1(sum as f64) as f32;
  store<f32>(stats, logSum + load<f32>(stats) * by);
  store<f32>(stats, logSum - load<f32>(stats, 8) / sum, 4);
}

/** Whether entropies have gradients. */
function hasEntropies(): bool {
  for (let r = 0; r < scoredRows; r++) if (load<f32>(rowStats + ((r as usize) << 4), 12) != 0) return true;
  return false;
}

/** Gradients of log-probs alone, from the mean vectors in dNarrow: each token's own vector less the row's mean. */
function fromMeans(): void {
  const by: f32 = 1 / load<f32>(JOB, JOB_TEMPERATURE);
  const width = (hidden as usize) << 2;
  for (let r = 0; r < scoredRows; r++) scaleVector(dNarrow + (r as usize) * width, -by * load<f32>(rowStats + ((r as usize) << 4), 8));
  for (let k = 0; k < scoredTokens; k++) {
    const at = (k as usize) << 2;
    widenPart(headPart(), load<i32>(targets + at), 1, hidden, wideRows);
    addScaled(dNarrow + (load<i32>(tokenRow + at) as usize) * width, by * load<f32>(logprobGradients + at), wideRows, hidden);
  }
}

/** From the rows' statistics and their tokens' gradients to the gradient of the head's input, in dNarrow. */
export function tiledBackward(): void {
  if (!hasEntropies()) return fromMeans();
  const by: f32 = 1 / load<f32>(JOB, JOB_TEMPERATURE);
  const width = (hidden as usize) << 2;
  memory.fill(dNarrow, 0, (scoredRows as usize) * width);
  for (let row = 0; row < scoredRows; row += HEAD_ROWS) {
    const rows = minI(HEAD_ROWS, scoredRows - row);
    const stats = rowStats + ((row as usize) << 4);
    packBlock(finalHidden + (row as usize) * width, width, rows, hidden, packA);
    nextTarget = 0;
    for (let first = 0; first < vocab; first += HEAD_IDS) {
      const count = minI(HEAD_IDS, vocab - first);
      logitsOf(rows, first, count, logitTile, TILE_STRIDE);
      for (let r = 0; r < rows; r++) logitGradients(logitTile + (r as usize) * TILE_STRIDE, count, by, stats + ((r as usize) << 4));
      // The targets' own share.
      for (let z = nextInTile(row, rows, first, first + count); z != 0; z = nextInTile(row, rows, first, first + count))
        store<f32>(z, load<f32>(z) + load<f32>(logprobGradients + token) * by);
      carryTile(rows, count, dNarrow + (row as usize) * width);
    }
  }
}

/** Adds a tile of the logits' gradients times its ids' vectors, which are in wideRows, to rows of `to`. */
function carryTile(rows: i32, count: i32, to: usize): void {
  const width = (hidden as usize) << 2;
  packBlock(logitTile, TILE_STRIDE, rows, count, packedTile);
  for (let j = 0; j < hidden; j += 8) {
    let from = wideRows + ((j as usize) << 2);
    let panel = widePanels;
    for (let k = 0; k < count; k++) {
      v128.store(panel, v128.load(from));
      v128.store(panel, v128.load(from, 16), 16);
      panel += 32;
      from += width;
    }
    panelProduct(packedTile, rows, count, widePanels, 32, to + ((j as usize) << 2), width, hidden - j, true);
  }
}
