// Numbers as bytes that compress well, and come back to the bit. A list of floats lies plane by plane, the first byte
// of all numbers, then the second: signs and exponents are alike. A list that lies near another, such as log-probs before
// and after an update, is written as the difference of their bits.

/** How a list of numbers is written: the shortest form that keeps them all. */
type PlaneKind = "u8" | "i32" | "f32" | "f64";

const BYTES: Readonly<Record<PlaneKind, number>> = { u8: 1, i32: 4, f32: 4, f64: 8 };

/** Bytes of so many numbers. */
export const planeBytes = (kind: PlaneKind, length: number): number => BYTES[kind] * length;

/** The shortest form of numbers: whole ones up to 255, single precision, double precision. */
export function kindOf(values: readonly number[]): PlaneKind {
  if (values.every((value) => value >= 0 && value <= 255 && Number.isInteger(value) && !Object.is(value, -0))) return "u8";
  return values.every((value) => Object.is(Math.fround(value), value)) ? "f32" : "f64";
}

/** Byte b of number i at place b · length + i. */
function shuffled(bytes: Uint8Array, width: number): Uint8Array {
  const length = bytes.length / width;
  const planes = new Uint8Array(bytes.length);
  for (let i = 0; i < length; i++) for (let b = 0; b < width; b++) planes[b * length + i] = bytes[i * width + b]!;
  return planes;
}

function unshuffled(planes: Uint8Array, width: number): Uint8Array {
  const length = planes.length / width;
  const bytes = new Uint8Array(planes.length);
  for (let i = 0; i < length; i++) for (let b = 0; b < width; b++) bytes[i * width + b] = planes[b * length + i]!;
  return bytes;
}

const bitsOf = (values: ArrayLike<number>) => new Int32Array(Float32Array.from(values).buffer);

/** Small differences of either sign become small whole numbers. */
const zigzag = (difference: number) => (difference << 1) ^ (difference >> 31);
const unzigzag = (value: number) => (value >>> 1) ^ -(value & 1);

/** @param near numbers of the same length that lie near these; both in single precision. */
export function encodePlane(values: readonly number[], kind: PlaneKind, near: readonly number[] | null): Uint8Array {
  if (kind === "u8") return Uint8Array.from(values);
  if (kind === "i32") return shuffled(new Uint8Array(Int32Array.from(values).buffer), 4);
  if (kind === "f64") return shuffled(new Uint8Array(Float64Array.from(values).buffer), 8);
  const bits = bitsOf(values);
  if (near) {
    const others = bitsOf(near);
    for (let i = 0; i < bits.length; i++) bits[i] = zigzag((bits[i]! - others[i]!) | 0);
  }
  return shuffled(new Uint8Array(bits.buffer), 4);
}

export function decodePlane(bytes: Uint8Array, kind: PlaneKind, near: readonly number[] | null): number[] {
  if (kind === "u8") return Array.from(bytes);
  const { buffer } = unshuffled(bytes, BYTES[kind]);
  if (kind === "i32") return Array.from(new Int32Array(buffer as ArrayBuffer));
  if (kind === "f64") return Array.from(new Float64Array(buffer as ArrayBuffer));
  const bits = new Int32Array(buffer as ArrayBuffer);
  if (near) {
    const others = bitsOf(near);
    for (let i = 0; i < bits.length; i++) bits[i] = (unzigzag(bits[i]!) + others[i]!) | 0;
  }
  return Array.from(new Float32Array(bits.buffer));
}
