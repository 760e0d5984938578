// Typed arrays of the same bytes are equal: a weight after the other, as the test program compares them, a million take two seconds.
// What differs in a byte is compared as ever.
import { expect } from "vitest";

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) => new Uint8Array(buffer, byteOffset, byteLength);

expect.addEqualityTesters([
  (a: unknown, b: unknown) => {
    if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
    return Buffer.compare(bytesOf(a), bytesOf(b)) === 0 ? true : undefined;
  },
]);
