// Typed arrays of the same bytes are equal: a weight after the other, as the test program compares them, a million take two seconds.
// So are lists that Node finds the same in every value and kind, which takes it a twentieth of the time.
// What differs in a byte or a value is compared as ever.
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);

expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
    return Buffer.compare(bytesOf(a), bytesOf(b)) === 0 ? true : undefined;
  },
  (a: unknown, b: unknown) => (Array.isArray(a) && Array.isArray(b) && isDeepStrictEqual(a, b) ? true : undefined),
]);
