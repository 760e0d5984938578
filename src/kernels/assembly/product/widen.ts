// What a frozen base's stored types stand for, in single precision: plain floats of several kinds, and GGUF's blocks of
// 32 values that share a scale (../../../model/folder/ggmlTypes.ts says the same in plain numbers). Exact.

export const F32: i32 = 0;
const F16: i32 = 1;
export const Q4_0: i32 = 2;
export const Q4_1: i32 = 3;
export const Q8_0: i32 = 8;
/** Values of a block. */
export const BLOCK: i32 = 32;

/** Bytes of so many values, whole blocks of their type. */
export function storedBytes(type: i32, values: i32): usize {
  if (type == F32) return (values as usize) << 2;
  if (type == Q4_0) return ((values / BLOCK) as usize) * 18;
  if (type == Q4_1) return ((values / BLOCK) as usize) * 20;
  if (type == Q8_0) return ((values / BLOCK) as usize) * 34;
  return (values as usize) << 1;
}

/**
 * Four halves from the low words of a vector. The product with 2^112 is exact for subnormals too; infinities and
 * not-a-numbers keep theirs.
 */
@inline export function fromHalves(bits: v128): v128 {
  const rest = i32x4.shl(v128.and(bits, i32x4.splat(0x7fff)), 13);
  const value = f32x4.mul(rest, f32x4.splat(5192296858534827628530496329220096.0));
  const special = v128.and(i32x4.ge_u(rest, i32x4.splat(0x0f800000)), i32x4.splat(0x7f800000));
  return v128.or(v128.or(value, special), i32x4.shl(v128.and(bits, i32x4.splat(0x8000)), 16));
}

@inline function half(at: usize): f32 {
  return f32x4.extract_lane(fromHalves(i32x4.splat(load<u16>(at) as i32)), 0);
}

/** Sixteen whole numbers, signed where `signed` (a constant), times scale plus least. */
@inline function spread(bytes: v128, signed: bool, scale: v128, least: v128, to: usize): void {
  const low = signed ? i16x8.extend_low_i8x16_s(bytes) : i16x8.extend_low_i8x16_u(bytes);
  const high = signed ? i16x8.extend_high_i8x16_s(bytes) : i16x8.extend_high_i8x16_u(bytes);
  v128.store(to, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), scale), least));
  v128.store(to, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), scale), least), 16);
  v128.store(to, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), scale), least), 32);
  v128.store(to, f32x4.add(f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), scale), least), 48);
}

/** Writes the block at `from` as 32 floats; the type is one of those in blocks. */
@inline function widenBlock(type: i32, from: usize, to: usize): void {
  const scale = f32x4.splat(half(from));
  const none = f32x4.splat(0);
  if (type == Q8_0) {
    spread(v128.load(from, 2), true, scale, none, to);
    spread(v128.load(from, 18), true, scale, none, to + 64);
    return;
  }
  const nibbles = v128.load(from + (type == Q4_1 ? 4 : 2));
  const low = v128.and(nibbles, i8x16.splat(15));
  const high = i8x16.shr_u(nibbles, 4);
  if (type == Q4_1) {
    const least = f32x4.splat(half(from + 2));
    spread(low, false, scale, least, to);
    spread(high, false, scale, least, to + 64);
  } else {
    spread(i8x16.sub(low, i8x16.splat(8)), true, scale, none, to);
    spread(i8x16.sub(high, i8x16.splat(8)), true, scale, none, to + 64);
  }
}

/** Halves, of either kind. */
function widenHalves(type: i32, from: usize, count: i32, to: usize): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const bits = v128.load16x4_u(from + ((i as usize) << 1));
    v128.store(to + ((i as usize) << 2), type == F16 ? fromHalves(bits) : i32x4.shl(bits, 16));
  }
  for (; i < count; i++) {
    const at = from + ((i as usize) << 1);
    store<f32>(to + ((i as usize) << 2), type == F16 ? half(at) : reinterpret<f32>((load<u16>(at) as u32) << 16));
  }
}

/** Writes `count` stored values, whole blocks of their type, as floats. */
export function widen(type: i32, from: usize, count: i32, to: usize): void {
  if (type == F32) {
    memory.copy(to, from, (count as usize) << 2);
  } else if (type == Q4_1) {
    for (let i = 0; i < count; i += BLOCK) widenBlock(Q4_1, from + ((i / BLOCK) as usize) * 20, to + ((i as usize) << 2));
  } else if (type == Q4_0) {
    for (let i = 0; i < count; i += BLOCK) widenBlock(Q4_0, from + ((i / BLOCK) as usize) * 18, to + ((i as usize) << 2));
  } else if (type == Q8_0) {
    for (let i = 0; i < count; i += BLOCK) widenBlock(Q8_0, from + ((i / BLOCK) as usize) * 34, to + ((i as usize) << 2));
  } else {
    widenHalves(type, from, count, to);
  }
}
