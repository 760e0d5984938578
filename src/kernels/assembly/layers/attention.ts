// Causal attention of a segment over its prefix and itself, one block of query rows at a time: scores
// are never held for more than a block, and keys after a block's last row are never touched.
import { matmul } from "../product/gemm";
import { attnWidth, headSize, heads, kvHeads, minI, pad8, qkvWidth } from "../layout";
import { packEight, packLanes } from "../product/pack";
import { QUERY_BLOCK, keyPanels, rowScale, scoreStride, scores } from "../scratch";
import { exp1, exp4, log1, sum4 } from "../simd";
import { largest } from "./softmax";

/** Packs columns of prefix rows, then own rows, as panels of 8 positions: panel[p][d][c] = row 8p + c. */
export function packPositions(prefix: usize, prefixLength: i32, own: usize, ownLength: i32, stride: usize, panels: usize): void {
  const total = prefixLength + ownLength;
  let to = panels;
  for (let j = 0; j < total; j += 8) {
    const fromPrefix = minI(8, prefixLength - j);
    if (fromPrefix >= 8) {
      packEight(prefix + (j as usize) * stride, stride, headSize, to);
    } else if (fromPrefix <= 0 && j + 8 <= total) {
      packEight(own + ((j - prefixLength) as usize) * stride, stride, headSize, to);
    } else {
      memory.fill(to, 0, (headSize as usize) << 5);
      const before = max(fromPrefix, 0);
      if (before > 0) packLanes(prefix + (j as usize) * stride, stride, before, headSize, to, 0);
      packLanes(own + ((j + before - prefixLength) as usize) * stride, stride, minI(8, total - j) - before, headSize, to, before);
    }
    to += (headSize as usize) << 5;
  }
}

/** exp(scale s - scale max) in place over `count` scores, zero up to `padded`; returns the sum and leaves scale max in lastMaximum. */
let lastMaximum: f32 = 0;
function softmaxRow(s: usize, count: i32, padded: i32, scale: f32): f32 {
  const last = count >> 2;
  const top = largest(s, count);
  const ss = f32x4.splat(scale);
  const mm = f32x4.splat(top);
  let acc = f32x4.splat(0);
  for (let i = 0; i < last; i++) {
    const at = s + ((i as usize) << 4);
    const e = exp4(f32x4.mul(f32x4.sub(v128.load(at), mm), ss));
    v128.store(at, e);
    acc = f32x4.add(acc, e);
  }
  let sum = sum4(acc);
  for (let i = last << 2; i < count; i++) {
    const at = s + ((i as usize) << 2);
    const e = exp1((load<f32>(at) - top) * scale);
    store<f32>(at, e);
    sum += e;
  }
  for (let i = count; i < padded; i++) store<f32>(s + ((i as usize) << 2), 0);
  lastMaximum = top * scale;
  return sum;
}

/** The first row of a segment's output and of its log-sums (heads floats a row), and where its keys are. */
export function attendSegment(qkv: usize, out: usize, logSum: usize, start: i32, length: i32, prefixStart: i32, prefixLength: i32): void {
  const stride = (qkvWidth as usize) << 2;
  const own = qkv + (start as usize) * stride;
  const prefix = qkv + (prefixStart as usize) * stride;
  const headBytes = (headSize as usize) << 2;
  const group = heads / kvHeads;
  for (let kv = 0; kv < kvHeads; kv++) {
    const keyAt = headBytes * ((heads + kv) as usize);
    const valueAt = headBytes * ((heads + kvHeads + kv) as usize);
    packPositions(prefix + keyAt, prefixLength, own + keyAt, length, stride, keyPanels);
    for (let head = kv * group; head < (kv + 1) * group; head++) {
      attendHead(own + headBytes * (head as usize), prefix + valueAt, own + valueAt, length, prefixLength, stride,
        out + (start as usize) * ((attnWidth as usize) << 2) + headBytes * (head as usize),
        logSum + (((start * heads + head) as usize) << 2));
    }
  }
}

function attendHead(q: usize, prefixValues: usize, ownValues: usize, length: i32, prefixLength: i32, stride: usize, out: usize, logSum: usize): void {
  const scale: f32 = 1 / sqrt<f32>(headSize as f32);
  const outStride = (attnWidth as usize) << 2;
  for (let i0 = 0; i0 < length; i0 += QUERY_BLOCK) {
    const count = minI(QUERY_BLOCK, length - i0);
    const keys = prefixLength + i0 + count;
    matmul(count, pad8(keys), headSize, q + (i0 as usize) * stride, stride, keyPanels, (headSize as usize) << 5, 32, scores, scoreStride, false);
    for (let i = 0; i < count; i++) {
      const sum = softmaxRow(scores + (i as usize) * scoreStride, prefixLength + i0 + i + 1, keys, scale);
      store<f32>(rowScale + ((i as usize) << 2), 1 / sum);
      store<f32>(logSum + (((i0 + i) * heads) as usize) * 4, lastMaximum + (log1(sum as f64) as f32));
    }
    const o = out + (i0 as usize) * outStride;
    if (prefixLength > 0) matmul(count, headSize, prefixLength, scores, scoreStride, prefixValues, 32, stride, o, outStride, false);
    matmul(count, headSize, i0 + count, scores + ((prefixLength as usize) << 2), scoreStride, ownValues, 32, stride, o, outStride, prefixLength > 0);
    for (let i = 0; i < count; i++) scaleRow(o + (i as usize) * outStride, headSize, load<f32>(rowScale + ((i as usize) << 2)));
  }
}

function scaleRow(x: usize, count: i32, by: f32): void {
  const bb = f32x4.splat(by);
  let i = 0;
  for (; i + 4 <= count; i += 4) v128.store(x + ((i as usize) << 2), f32x4.mul(v128.load(x + ((i as usize) << 2)), bb));
  for (; i < count; i++) store<f32>(x + ((i as usize) << 2), load<f32>(x + ((i as usize) << 2)) * by);
}
