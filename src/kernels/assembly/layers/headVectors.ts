// What some architectures do to queries, keys and values before they are turned: add biases (Qwen2) and norm each
// head of the queries and keys by itself (Qwen3). Models that have neither pay one test a layer.
import { biasOffset, frozen, gradientAt, headNorm, headNormOffset, headSize, heads, kvHeads, qkvBias, qkvWidth } from "../layout";
import { rmsNorm, rowBackward } from "./rmsnorm";
import { addInto } from "../simd";

/** Norm of a head: those of the queries share one, those of the keys another. */
@inline function normOf(norms: usize, head: i32): usize {
  return norms == 0 || head < heads ? norms : norms + ((headSize as usize) << 2);
}

/** Norms the heads of one row of queries and keys from x to y, which may be the same; `inverse` has a float for each head. */
function normHeads(norms: usize, x: usize, y: usize, inverse: usize): void {
  const headBytes = (headSize as usize) << 2;
  for (let head = 0; head < heads + kvHeads; head++) {
    const at = (head as usize) * headBytes;
    rmsNorm(1, headSize, x + at, normOf(norms, head), y + at, inverse + ((head as usize) << 2));
  }
}

/**
 * Rows of qkv as they come out of their product get their biases and norms, in place. `w` is a slot's weights. For the way back
 * `plain` keeps queries and keys before the norm; where it is 0, nothing does, and all rows share one row of `inverse`.
 */
export function finishHeads(layer: i32, rows: i32, w: usize, qkv: usize, plain: usize, inverse: usize): void {
  if (!qkvBias && !headNorm) return;
  const stride = (qkvWidth as usize) << 2;
  const both = heads + kvHeads;
  const plainBytes = ((both * headSize) as usize) << 2;
  for (let row = 0; row < rows; row++) {
    if (qkvBias) addInto(qkv, w + biasOffset(layer), qkvWidth);
    if (headNorm) {
      if (plain != 0) memory.copy(plain, qkv, plainBytes);
      normHeads(w + headNormOffset(layer), plain != 0 ? plain : qkv, qkv, inverse);
      if (plain != 0) {
        plain += plainBytes;
        inverse += (both as usize) << 2;
      }
    }
    qkv += stride;
  }
}

/** Back through the norms and biases: dqkv in place, both added to `gradients`. `room` is for one row of queries and keys. */
export function finishHeadsBackward(layer: i32, rows: i32, w: usize, plain: usize, inverse: usize, dqkv: usize, room: usize, gradients: usize): void {
  if (!qkvBias && !headNorm) return;
  const both = heads + kvHeads;
  const headBytes = (headSize as usize) << 2;
  const plainBytes = (both as usize) * headBytes;
  for (let row = 0; row < rows; row++) {
    if (headNorm) {
      memory.fill(room, 0, plainBytes);
      for (let head = 0; head < both; head++) {
        const at = (head as usize) * headBytes;
        const r = load<f32>(inverse + ((head as usize) << 2));
        rowBackward(headSize, plain + at, normOf(w + headNormOffset(layer), head), r, dqkv + at, room + at, normOf(gradientAt(gradients, headNormOffset(layer)), head));
      }
      memory.copy(dqkv, room, plainBytes);
      plain += plainBytes;
      inverse += (both as usize) << 2;
    }
    if (qkvBias && frozen == 0) addInto(gradients + biasOffset(layer), dqkv, qkvWidth);
    dqkv += (qkvWidth as usize) << 2;
  }
}
