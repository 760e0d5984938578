// Exponentials, logarithms, powers and angles that come out the same, to the bit, in every engine. The language
// leaves Math.exp and its kin to whoever implements it: browsers and Node differ in the last bit of one result in
// ten, from which two runs of one seed part within some steps. These are made of sums, products, quotients and
// moved bits alone, which IEEE 754 settles. Methods and constants are those of fdlibm (Sun Microsystems, 1993);
// no result but a power is further than about one unit in its last place from the true one.

const double_1 = new Float64Array(1);
/** Lower half, then upper half: memory is little-endian wherever WebAssembly runs. */
const halves_2 = new Int32Array(double_1.buffer);

const LEAST_POWER = -1022;
/** 2 to the whole powers that a normal number can have, -1022 to 1023: to read one takes less than to put its bits together. */
const POWERS = new Float64Array(2046);
for (let i = 0; i < POWERS.length; i++) {
  halves_2[1] = (i + 1) << 20;
  POWERS[i] = double_1[0]!;
}

function powerOfTwo(exponent: number): number {
  return POWERS[exponent - LEAST_POWER]!;
}

/** value times 2^exponent; in two steps where the factor alone would be too large or too small for a number. */
function scaled(value: number, exponent: number): number {
  if (exponent > 1023) return value * powerOfTwo(1023) * powerOfTwo(exponent - 1023);
  if (exponent < -1022) return value * powerOfTwo(exponent + 54) * powerOfTwo(-54);
  return value * powerOfTwo(exponent);
}

// ln 2 in two parts; so many last bits of the upper one are 0 that whole multiples of it are exact.
const LN2_UPPER = 0.6931471803691238;
const LN2_LOWER = 1.9082149292705877e-10;

/** exp(x) - 1 for x = k ln 2 + r, with |r| at most about ln 2 / 2; its factor 2^k is left to the caller. */
function restOfExp(x: number, k: number): number {
  const upper = x - k * LN2_UPPER;
  const lower = k * LN2_LOWER;
  const r = upper - lower;
  // r (exp(r) + 1) / (exp(r) - 1) is 2 plus a series in r²; c is r minus that series.
  const t = r * r;
  const c =
    r -
    t *
      (0.16666666666666602 +
        t * (-0.0027777777777015593 + t * (0.00006613756321437934 + t * (-0.0000016533902205465252 + t * 4.1381367970572385e-8))));
  return upper - (lower - (r * c) / (2 - c));
}

/** e to the power x. */
export function exp(x: number): number {
  // The ratio of a policy to itself, of which every first update is full.
  if (x === 0) return 1;
  if (!(x >= -745.2)) return x < 0 ? 0 : Number.NaN;
  if (x > 709.8) return Number.POSITIVE_INFINITY;
  const k = Math.round(x * Math.LOG2E);
  return scaled(1 + restOfExp(x, k), k);
}

/** exp(x) - 1, with all its digits where x is near 0. */
export function expm1(x: number): number {
  if (x === 0 || !(x > -40)) return x <= -40 ? -1 : x;
  if (x > 40) return exp(x) - 1;
  const k = Math.round(x * Math.LOG2E);
  const rest = restOfExp(x, k);
  if (k === 0) return rest;
  return k < 0 ? powerOfTwo(k) * (1 + rest) - 1 : powerOfTwo(k) * (rest + (1 - powerOfTwo(-k)));
}

/** The natural logarithm; of 0 minus infinity, of a negative number none. */
export function log(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.NEGATIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  // Numbers with less than all their bits are made larger first.
  const isSmall = x < 2.2250738585072014e-308;
  double_1[0] = isSmall ? x * 18014398509481984 : x;
  // x = 2^k (1 + f) with 1 + f between the roots of 1/2 and 2.
  const upper = halves_2[1]! + (0x3ff00000 - 0x3fe6a09e);
  const k = (upper >> 20) - 1023 - (isSmall ? 54 : 0);
  halves_2[1] = (upper & 0x000fffff) + 0x3fe6a09e;
  const f = double_1[0]! - 1;
  // log(1 + f) = 2 artanh(s), a series in s².
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd = z * (0.6666666666666735 + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  const half = 0.5 * f * f;
  return s * (half + odd + even) + k * LN2_LOWER - half + f + k * LN2_UPPER;
}

/** base to a whole power >= 0, by squaring. */
export function wholePower(base: number, exponent: number): number {
  let result = 1;
  let square = base;
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result *= square;
    square *= square;
  }
  return result;
}

/** base >= 0 to any power; the relative error grows with |exponent ln base| times 2e-16. */
export function power(base: number, exponent: number): number {
  return base === 1 || exponent === 0 ? 1 : exp(exponent * log(base));
}

// A quarter turn in three parts, of which the upper two have 33 bits, so that multiples below 2^20 are exact.
const QUARTER_UPPER = 1.5707963267341256;
const QUARTER_MIDDLE = 6.077100506303966e-11;
const QUARTER_LOWER = 2.0222662487959506e-21;
const MOST_QUARTERS = 2 ** 20;

/** sin (shift 0) or cos (shift 1) of an angle. */
function wave(x: number, shift: 0 | 1): number {
  const turns = Math.round(x * 0.6366197723675814);
  if (!(Math.abs(turns) <= MOST_QUARTERS)) {
    if (!Number.isFinite(x)) return Number.NaN;
    throw new Error(`internal: an angle must be within ${MOST_QUARTERS} quarter turns, got ${x}`);
  }
  // x - turns quarter turns, as a number y and what it lacks.
  const first = x - turns * QUARTER_UPPER;
  const middle = turns * QUARTER_MIDDLE;
  const second = first - middle;
  const lower = turns * QUARTER_LOWER - (first - second - middle);
  const y = second - lower;
  const lack = second - y - lower;
  const quarter = (((turns + shift) % 4) + 4) % 4;
  const value = quarter % 2 === 0 ? sinNear(y, lack) : cosNear(y, lack);
  return quarter < 2 ? value : -value;
}

/** sin(y + lack) within an eighth of a turn of 0. */
function sinNear(y: number, lack: number): number {
  const z = y * y;
  const cube = z * y;
  const rest =
    0.00833333333332249 +
    z * (-0.0001984126982985795 + z * 0.0000027557313707070068) +
    z * z * z * (-2.5050760253406863e-8 + z * 1.58969099521155e-10);
  return y - (z * (0.5 * lack - cube * rest) - lack + cube * 0.16666666666666632);
}

/** cos(y + lack) within an eighth of a turn of 0. */
function cosNear(y: number, lack: number): number {
  const z = y * y;
  const w = z * z;
  const rest =
    z * (0.0416666666666666 + z * (-0.001388888888887411 + z * 0.00002480158728947673)) +
    w * w * (-2.7557314351390663e-7 + z * (2.087572321298175e-9 + z * -1.1359647557788195e-11));
  const half = 0.5 * z;
  const near = 1 - half;
  return near + (1 - near - half + (z * rest - y * lack));
}

export const sin = (x: number): number => wave(x, 0);
export const cos = (x: number): number => wave(x, 1);
