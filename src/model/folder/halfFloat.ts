// The two 16-bit float formats checkpoints come in. IEEE 754 binary16 has 5 exponent and 10 fraction
// bits; bfloat16 is the upper half of a float32. Both narrow by rounding to nearest, ties to even.

const float_1 = new Float32Array(1);
const bits_1 = new Uint32Array(float_1.buffer);

/** A float32's value as binary16 bits; past 65504 (rounded) it becomes infinity, below 2^-25 zero. */
export function toHalfBits(value: number): number {
  float_1[0] = value;
  const bits = bits_1[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction ? 0x200 | (fraction >>> 13) : 0);
  const halfExponent = exponent - 127 + 15;
  if (halfExponent >= 31) return sign | 0x7c00;
  if (halfExponent >= 1) {
    // A carry out of the fraction moves the exponent up, to infinity at the top: just what rounding means.
    return sign | roundShift((halfExponent << 23) | fraction, 13);
  }
  if (halfExponent < -10) return sign;
  return sign | roundShift(fraction | 0x800000, 14 - halfExponent);
}

/** bits / 2^shift rounded to nearest, ties to even; shift in 1..24. */
function roundShift(bits: number, shift: number): number {
  const kept = bits >>> shift;
  const rest = bits & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept;
}

/** The value of binary16 bits. */
export function fromHalfBits(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** A float32's value as bfloat16 bits; past the largest bfloat16 (rounded) it becomes infinity. */
export function toBfloatBits(value: number): number {
  float_1[0] = value;
  const bits = bits_1[0]!;
  // A NaN's fraction could round away to infinity; the quiet bit keeps it a NaN.
  if ((bits & 0x7fffffff) > 0x7f800000) return (bits >>> 16) | 0x40;
  const rounded = bits + 0x7fff + ((bits >>> 16) & 1);
  return (rounded >>> 16) & 0xffff;
}

/** The value of bfloat16 bits. */
export function fromBfloatBits(bits: number): number {
  bits_1[0] = bits << 16;
  return float_1[0]!;
}
