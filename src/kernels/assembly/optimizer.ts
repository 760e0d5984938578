// The optimizer over flat buffers, cut into chunks of fixed size so that sums have the same bits for
// any number of threads. AdamW as torch.optim.AdamW computes it (Loshchilov and Hutter 2019).
import { minI } from "./layout";
import * as map from "./memoryMap";
import { addInto } from "./simd";

const CHUNK: i32 = 16384;

/** Chunks of a buffer of `count` floats. */
export function chunkCount(count: i32): i32 {
  return (count + CHUNK - 1) / CHUNK;
}

/** Sums a chunk of all partitions' gradients into the first, clears the others, stores the sum of squares. */
export function reduceChunk(chunk: i32): void {
  const count = minI(CHUNK, load<i32>(map.STEP, map.STEP_COUNT) - chunk * CHUNK);
  const first = (load<u32>(map.STEP, map.STEP_GRADIENTS) as usize) + ((chunk * CHUNK) as usize) * 4;
  const stride = load<u32>(map.STEP, map.STEP_GRADIENT_STRIDE) as usize;
  const partitions = load<i32>(map.STEP, map.STEP_PARTITIONS);
  for (let p = 1; p < partitions; p++) {
    const other = first + (p as usize) * stride;
    addInto(first, other, count);
    memory.fill(other, 0, (count as usize) << 2);
  }
  const squares = sumOfSquares(first, count);
  store<f64>((load<u32>(map.STEP, map.STEP_SQUARES) as usize) + ((chunk as usize) << 3), squares);
}

/** In float64, so that many small gradients are not lost beside a large one. */
function sumOfSquares(x: usize, count: i32): f64 {
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const v = v128.load(x + ((i as usize) << 2));
    const a = f64x2.promote_low_f32x4(v);
    const b = f64x2.promote_low_f32x4(i32x4.shuffle(v, v, 2, 3, 2, 3));
    low = f64x2.add(low, f64x2.mul(a, a));
    high = f64x2.add(high, f64x2.mul(b, b));
  }
  const both = f64x2.add(low, high);
  let sum = f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
  for (; i < count; i++) {
    const g = load<f32>(x + ((i as usize) << 2)) as f64;
    sum += g * g;
  }
  return sum;
}

/** Moves a chunk of weights as the step's kind says, and clears its gradient. */
export function updateChunk(chunk: i32): void {
  const offset = ((chunk * CHUNK) as usize) << 2;
  const count = minI(CHUNK, load<i32>(map.STEP, map.STEP_COUNT) - chunk * CHUNK);
  const gradients = (load<u32>(map.STEP, map.STEP_GRADIENTS) as usize) + offset;
  const weights = (load<u32>(map.STEP, map.STEP_WEIGHTS) as usize) + offset;
  const kind = load<i32>(map.STEP, map.STEP_KIND);
  if (kind == map.STEP_KIND_ADAMW) adamwChunk(count, weights, gradients, (load<u32>(map.STEP, map.STEP_FIRST) as usize) + offset, (load<u32>(map.STEP, map.STEP_SECOND) as usize) + offset);
  if (kind == map.STEP_KIND_SGD) descentChunk(count, weights, gradients);
  memory.fill(gradients, 0, (count as usize) << 2);
}

function adamwChunk(count: i32, w: usize, g: usize, m: usize, v: usize): void {
  const scale = load<f32>(map.STEP, map.STEP_SCALE);
  const keep = load<f32>(map.STEP, map.STEP_KEEP);
  const beta1 = load<f32>(map.STEP, map.STEP_BETA1);
  const beta2 = load<f32>(map.STEP, map.STEP_BETA2);
  const rest1 = load<f32>(map.STEP, map.STEP_REST1);
  const rest2 = load<f32>(map.STEP, map.STEP_REST2);
  const eps = load<f32>(map.STEP, map.STEP_EPS);
  const rate = load<f32>(map.STEP, map.STEP_RATE);
  const root2 = load<f32>(map.STEP, map.STEP_ROOT2);
  let i = 0;
  // Whole vectors and single weights do the same operations, so the bits do not depend on which.
  for (; i + 4 <= count; i += 4) {
    const at = (i as usize) << 2;
    const gg = f32x4.mul(v128.load(g + at), f32x4.splat(scale));
    const mm = f32x4.add(f32x4.mul(v128.load(m + at), f32x4.splat(beta1)), f32x4.mul(gg, f32x4.splat(rest1)));
    const vv = f32x4.add(f32x4.mul(v128.load(v + at), f32x4.splat(beta2)), f32x4.mul(f32x4.mul(gg, gg), f32x4.splat(rest2)));
    v128.store(m + at, mm);
    v128.store(v + at, vv);
    const root = f32x4.add(f32x4.mul(f32x4.sqrt(vv), f32x4.splat(root2)), f32x4.splat(eps));
    v128.store(w + at, f32x4.sub(f32x4.mul(v128.load(w + at), f32x4.splat(keep)), f32x4.div(f32x4.mul(mm, f32x4.splat(rate)), root)));
  }
  for (; i < count; i++) {
    const at = (i as usize) << 2;
    const gg: f32 = load<f32>(g + at) * scale;
    const mm: f32 = load<f32>(m + at) * beta1 + gg * rest1;
    const vv: f32 = load<f32>(v + at) * beta2 + gg * gg * rest2;
    store<f32>(m + at, mm);
    store<f32>(v + at, vv);
    store<f32>(w + at, load<f32>(w + at) * keep - (mm * rate) / (sqrt<f32>(vv) * root2 + eps));
  }
}

function descentChunk(count: i32, w: usize, g: usize): void {
  const scale = load<f32>(map.STEP, map.STEP_SCALE);
  const keep = load<f32>(map.STEP, map.STEP_KEEP);
  const rate = load<f32>(map.STEP, map.STEP_RATE);
  for (let i = 0; i < count; i++) {
    const at = (i as usize) << 2;
    store<f32>(w + at, load<f32>(w + at) * keep - load<f32>(g + at) * scale * rate);
  }
}
