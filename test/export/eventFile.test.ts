// The event file against the format's own definition, read back byte by byte.
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32, crc32c, eventHead, eventRecord, type ScalarEvent } from "../../src/export/eventFile.ts";

const eventFile = (events: readonly ScalarEvent[], wallTime: number) =>
  Uint8Array.from([...eventHead(wallTime), ...events.flatMap((event) => [...eventRecord(event)])]);
const bytesOf = (text: string) => new TextEncoder().encode(text);

describe("crc32", () => {
  it("is that of zlib, at every length and offset", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat(20), (bytes, from) => {
        expect(crc32(bytes.subarray(from))).toBe(zlibCrc32(bytes.subarray(from)));
      }),
    );
  });
});

describe("crc32c", () => {
  it.each([
    ["123456789", 0xe3069283],
    ["", 0],
    ["a", 0xc1d04330],
  ])("of %j is the published one", (text, crc) => {
    expect(crc32c(bytesOf(text))).toBe(crc);
  });
});

/** The messages of a file, each with both of its checksums looked at. */
function messagesOf(file: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  // As TensorFlow unmasks: turn back what was turned and shifted.
  const unmasked = (masked: number) => {
    const turned = (masked - 0xa282ead8) >>> 0;
    return ((turned >>> 17) | (turned << 15)) >>> 0;
  };
  const messages: Uint8Array[] = [];
  for (let at = 0; at < file.length; ) {
    const length = Number(view.getBigUint64(at, true));
    const message = file.subarray(at + 12, at + 12 + length);
    expect(unmasked(view.getUint32(at + 8, true))).toBe(crc32c(file.subarray(at, at + 8)));
    expect(unmasked(view.getUint32(at + 12 + length, true))).toBe(crc32c(message));
    messages.push(message);
    at += 16 + length;
  }
  return messages;
}

describe("an event file", () => {
  it("begins with its version and has a record for each step, values that are not finite left out", () => {
    const file = eventFile([{ step: 300, wallTime: 12.5, values: { reward: 0.5, kl: Number.NaN } }], 10);
    const [head, step, ...rest] = messagesOf(file);
    expect(rest).toEqual([]);
    // wall_time = 10 as a double, then the text of field 3.
    expect(Array.from(head!)).toEqual([9, 0, 0, 0, 0, 0, 0, 0x24, 0x40, 26, 13, ...bytesOf("brain.Event:2")]);
    // wall_time = 12.5, step = 300 as a varint, then a summary with one value: its tag and 0.5 as a float.
    const value = [10, 6, ...bytesOf("reward"), 21, 0, 0, 0, 0x3f];
    expect(Array.from(step!)).toEqual([9, 0, 0, 0, 0, 0, 0, 0x29, 0x40, 16, 0xac, 2, 42, value.length + 2, 10, value.length, ...value]);
  });
});
