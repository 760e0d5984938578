// The one source of randomness. sfc32 (Chris Doty-Humphrey, PractRand), seeded through splitmix32;
// its whole state can be saved, so a continued run draws what it would have drawn.
import { cos, log } from "./exactMath.ts";

/** The hash FNV-1a of a text's UTF-16 units, as a signed 32-bit number. @param basis what it begins with */
export function fnv1a(text: string, basis = 0x811c9dc5): number {
  let hash = basis;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}

/** A seeded generator; owned state. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  /** @param seed any finite number; only its low 32 bits count. */
  constructor(seed: number) {
    let state = seed >>> 0;
    const splitmix = () => {
      state = (state + 0x9e3779b9) | 0;
      let z = state ^ (state >>> 16);
      z = Math.imul(z, 0x21f0aaad);
      z ^= z >>> 15;
      z = Math.imul(z, 0x735a2d97);
      return z ^ (z >>> 15);
    };
    this.#a = splitmix();
    this.#b = splitmix();
    this.#c = splitmix();
    this.#counter = 1;
    for (let i = 0; i < 12; i++) this.bits();
  }

  /** Next 32 random bits as an unsigned integer. */
  bits(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }

  /** Uniform in [0, 1), a multiple of 2^-24 so that it is exact in float32 and never rounds up to 1. */
  uniform(): number {
    return (this.bits() >>> 8) / 16777216;
  }

  /** Uniform whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor((this.bits() / 4294967296) * bound);
  }

  /** Standard normal (Box-Muller, one of the pair). */
  normal(): number {
    const radius = Math.sqrt(-2 * log(1 - this.uniform()));
    return radius * cos(2 * Math.PI * this.uniform());
  }

  /** One element, uniformly. */
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("internal: pick from an empty list");
    return item;
  }

  /** All of them in another order, each equally likely. */
  shuffled<T>(items: readonly T[]): readonly T[] {
    const left = [...items];
    return items.map(() => left.splice(this.below(left.length), 1)[0]!);
  }

  /** An independent generator named by a label; advances this one by one draw. */
  fork(label: string): Random {
    return new Random(fnv1a(label, this.bits()));
  }

  /** Four 32-bit words that restore() takes back. */
  save(): readonly [number, number, number, number] {
    return [this.#a, this.#b, this.#c, this.#counter];
  }

  restore(state: readonly [number, number, number, number]): void {
    [this.#a, this.#b, this.#c, this.#counter] = state;
  }
}
