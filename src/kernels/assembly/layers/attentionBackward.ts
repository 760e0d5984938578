// Gradient of attention.ts: the weights P of a block are computed again from the stored log-sums
// (Dao et al. 2022, "FlashAttention", algorithm 4), then dV += Pᵀ dO, dS = P (dO Vᵀ - rowsum(dO O)),
// dQ = dS K, dK += dSᵀ Q. A prefix collects from every segment that attends to it.
import { packPositions } from "./attention";
import { matmul, matmulTransposed } from "../product/gemm";
import { attnWidth, headSize, heads, kvHeads, minI, pad8, qkvWidth } from "../layout";
import { QUERY_BLOCK, keyPanels, scoreGradients, scoreStride, scores, valuePanels } from "../scratch";
import { dot, exp1, exp4 } from "../simd";

/** One row: s becomes P, g (dO Vᵀ) becomes dS; both zero from `count` up to `padded`. */
function weightGradientRow(s: usize, g: usize, count: i32, padded: i32, scale: f32, logSum: f32, inner: f32): void {
  const ss = f32x4.splat(scale);
  const ll = f32x4.splat(logSum);
  const ii = f32x4.splat(inner);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (i as usize) << 2;
    const p = exp4(f32x4.sub(f32x4.mul(v128.load(s + at), ss), ll));
    v128.store(s + at, p);
    v128.store(g + at, f32x4.mul(f32x4.mul(p, f32x4.sub(v128.load(g + at), ii)), ss));
  }
  for (; i < count; i++) {
    const at = (i as usize) << 2;
    const p = exp1(load<f32>(s + at) * scale - logSum);
    store<f32>(s + at, p);
    store<f32>(g + at, p * (load<f32>(g + at) - inner) * scale);
  }
  for (; i < padded; i++) {
    const at = (i as usize) << 2;
    store<f32>(s + at, 0);
    store<f32>(g + at, 0);
  }
}

/**
 * Adds to dqkv's keys and values (own and prefix rows) and writes its queries, for one segment.
 * out and dOut are [rows, heads * headSize], logSum [rows, heads].
 */
export function attendSegmentBackward(qkv: usize, out: usize, logSum: usize, dOut: usize, dqkv: usize, start: i32, length: i32, prefixStart: i32, prefixLength: i32): void {
  const stride = (qkvWidth as usize) << 2;
  const own = (start as usize) * stride;
  const prefix = (prefixStart as usize) * stride;
  const headBytes = (headSize as usize) << 2;
  const group = heads / kvHeads;
  const outAt = (start as usize) * ((attnWidth as usize) << 2);
  for (let kv = 0; kv < kvHeads; kv++) {
    const keyAt = headBytes * ((heads + kv) as usize);
    const valueAt = headBytes * ((heads + kvHeads + kv) as usize);
    packPositions(qkv + prefix + keyAt, prefixLength, qkv + own + keyAt, length, stride, keyPanels);
    packPositions(qkv + prefix + valueAt, prefixLength, qkv + own + valueAt, length, stride, valuePanels);
    for (let head = kv * group; head < (kv + 1) * group; head++) {
      const headAt = headBytes * (head as usize);
      for (let i0 = 0; i0 < length; i0 += QUERY_BLOCK) {
        const count = minI(QUERY_BLOCK, length - i0);
        const rowAt = outAt + (i0 as usize) * ((attnWidth as usize) << 2) + headAt;
        blockGradients(count, prefixLength + i0, qkv + own + (i0 as usize) * stride + headAt, out + rowAt, dOut + rowAt, logSum + ((((start + i0) * heads + head) as usize) << 2));
        spread(count, i0 + count, prefixLength, qkv, dqkv, own, prefix, own + (i0 as usize) * stride + headAt, keyAt, valueAt, dOut + rowAt);
      }
    }
  }
}

/** Fills the scratch blocks of P and dS for `count` rows, the first of which sees `before` + 1 keys. */
function blockGradients(count: i32, before: i32, q: usize, out: usize, dOut: usize, logSum: usize): void {
  const keys = before + count;
  const scale: f32 = 1 / sqrt<f32>(headSize as f32);
  const outStride = (attnWidth as usize) << 2;
  const panel = (headSize as usize) << 5;
  matmul(count, pad8(keys), headSize, q, (qkvWidth as usize) << 2, keyPanels, panel, 32, scores, scoreStride, false);
  matmul(count, pad8(keys), headSize, dOut, outStride, valuePanels, panel, 32, scoreGradients, scoreStride, false);
  for (let i = 0; i < count; i++) {
    const at = (i as usize) * scoreStride;
    const inner = dot(dOut + (i as usize) * outStride, out + (i as usize) * outStride, headSize);
    weightGradientRow(scores + at, scoreGradients + at, before + i + 1, pad8(keys), scale, load<f32>(logSum + ((i * heads) as usize) * 4), inner);
  }
}

/** Carries a block's P and dS to queries, keys and values. Offsets are into qkv and dqkv alike. */
function spread(count: i32, ownKeys: i32, prefixKeys: i32, qkv: usize, dqkv: usize, own: usize, prefix: usize, query: usize, keyAt: usize, valueAt: usize, dOut: usize): void {
  const stride = (qkvWidth as usize) << 2;
  const outStride = (attnWidth as usize) << 2;
  const ownColumn = (prefixKeys as usize) << 2;
  if (prefixKeys > 0) {
    matmul(count, headSize, prefixKeys, scoreGradients, scoreStride, qkv + prefix + keyAt, 32, stride, dqkv + query, stride, false);
    matmulTransposed(prefixKeys, headSize, count, scoreGradients, scoreStride, qkv + query, stride, dqkv + prefix + keyAt, stride);
    matmulTransposed(prefixKeys, headSize, count, scores, scoreStride, dOut, outStride, dqkv + prefix + valueAt, stride);
  }
  matmul(count, headSize, ownKeys, scoreGradients + ownColumn, scoreStride, qkv + own + keyAt, 32, stride, dqkv + query, stride, prefixKeys > 0);
  matmulTransposed(ownKeys, headSize, count, scoreGradients + ownColumn, scoreStride, qkv + query, stride, dqkv + own + keyAt, stride);
  matmulTransposed(ownKeys, headSize, count, scores + ownColumn, scoreStride, dOut, outStride, dqkv + own + valueAt, stride);
}
