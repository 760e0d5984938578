import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FloatDtype, readSafetensors, writeSafetensors } from "../../../src/model/folder/safetensors.ts";
import type { NamedTensor } from "../../../src/model/tensors.ts";

const sample = (): Map<string, NamedTensor<Float32Array>> =>
  new Map([
    ["a", { shape: [2, 3], data: Float32Array.of(1, -2, 0.5, 0.25, 8, -0.125) }],
    ["b.weight", { shape: [], data: Float32Array.of(3) }],
    ["none", { shape: [0, 4], data: new Float32Array(0) }],
  ]);

/** A file with any header text and data, right or wrong. */
function file(header: string, dataBytes: number, statedLength = header.length): Uint8Array {
  const bytes = new Uint8Array(8 + header.length + dataBytes);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(statedLength), true);
  bytes.set(new TextEncoder().encode(header), 8);
  return bytes;
}

const tensors = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 12 }).filter((name) => name !== "__metadata__" && name !== "__proto__"),
  fc.array(fc.nat({ max: 4 }), { maxLength: 3 }).chain((shape) => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    return fc.record({ shape: fc.constant(shape), data: fc.float32Array({ minLength: size, maxLength: size, noNaN: true }) });
  }),
  { maxKeys: 5 },
);

describe("safetensors round trip", () => {
  it("returns exactly representable values in every dtype", () => {
    for (const dtype of ["F32", "F16", "BF16"] as FloatDtype[]) {
      expect(readSafetensors(writeSafetensors(sample(), { dtype }))).toEqual(sample());
    }
  });

  it("returns any F32 tensors bit for bit, whatever the alignment of the bytes", () => {
    fc.assert(
      fc.property(tensors, fc.nat({ max: 7 }), (record, shift) => {
        const map = new Map(Object.entries(record));
        const bytes = writeSafetensors(map, { dtype: "F32" });
        const moved = new Uint8Array(bytes.length + shift);
        moved.set(bytes, shift);
        expect(readSafetensors(moved.subarray(shift))).toEqual(map);
      }),
    );
  });

  it("loses nothing more the second time halves are written", () => {
    fc.assert(
      fc.property(tensors, fc.constantFrom<FloatDtype>("F16", "BF16"), (record, dtype) => {
        const once = readSafetensors(writeSafetensors(new Map(Object.entries(record)), { dtype }));
        expect(readSafetensors(writeSafetensors(once, { dtype }))).toEqual(once);
      }),
    );
  });

  it("writes a header padded with spaces to 8 bytes, with its metadata", () => {
    const bytes = writeSafetensors(sample(), { dtype: "F16", metadata: { step: "3" } });
    const length = Number(new DataView(bytes.buffer).getBigUint64(0, true));
    const json = new TextDecoder().decode(bytes.subarray(8, 8 + length));
    expect(length % 8).toBe(0);
    expect(json.trimEnd().endsWith("}")).toBe(true);
    expect(JSON.parse(json)).toEqual({
      __metadata__: { format: "pt", step: "3" },
      a: { dtype: "F16", shape: [2, 3], data_offsets: [0, 12] },
      "b.weight": { dtype: "F16", shape: [], data_offsets: [12, 14] },
      none: { dtype: "F16", shape: [0, 4], data_offsets: [14, 14] },
    });
  });

  it("refuses data that does not fill its shape", () => {
    const map = new Map([["w", { shape: [2, 2], data: new Float32Array(3) }]]);
    expect(() => writeSafetensors(map, { dtype: "F32" })).toThrow('tensor "w": shape [2, 2] needs 4 values, got 3');
  });
});

describe("a corrupt file", () => {
  const entry = (over: object) => JSON.stringify({ w: { dtype: "F32", shape: [2], data_offsets: [0, 8], ...over } });
  const cases: [string, Uint8Array, string][] = [
    ["that is empty", new Uint8Array(0), "file must have at least 8 bytes, got 0"],
    ["with a header longer than the file", file("{}", 0, 900), "header length is 900 but only 2 bytes follow it"],
    ["with an absurd header length", file("{}", 0, 2 ** 40), "header length must be <= 100000000"],
    ["whose header is not JSON", file("{oops", 0), "header is not JSON"],
    ["whose header is a list", file("[]", 0), "header must be a JSON object"],
    ["with an unsupported dtype", file(entry({ dtype: "I64" }), 8), 'tensor "w": dtype must be one of F32, F16, BF16, got "I64"'],
    ["with a negative extent", file(entry({ shape: [-1] }), 8), 'tensor "w": shape must be whole numbers >= 0'],
    ["with data offsets missing", file(entry({ data_offsets: null }), 8), "data_offsets must be two whole numbers"],
    ["with data offsets backwards", file(entry({ data_offsets: [8, 0] }), 8), "data_offsets must not run backwards"],
    ["cut off in its data", file(entry({}), 5), "data_offsets end at byte 8, but the file holds only 5 bytes"],
    ["whose shape and span differ", file(entry({ shape: [3] }), 8), "shape [3] of F32 needs 12 bytes, data_offsets span 8"],
    ["with bytes nobody owns at the end", file(entry({}), 9), "tensors cover 8 bytes, but the file holds 9"],
    ["with a hole before a tensor", file(entry({ data_offsets: [4, 12] }), 12), "begins at byte 4, expected 0"],
  ];
  it.each(cases)("%s is refused with its fault", (_, bytes, fault) => {
    expect(() => readSafetensors(bytes)).toThrow(fault);
  });

  it("cut off anywhere is always refused", () => {
    const bytes = writeSafetensors(sample(), { dtype: "F32" });
    for (let length = 0; length < bytes.length; length++) {
      expect(() => readSafetensors(bytes.subarray(0, length))).toThrow("safetensors: ");
    }
  });
});
