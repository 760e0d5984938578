import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BYTE_CHARACTERS, bytesOfSpelling, createTokenizer, spellingOfBytes } from "../../../src/model/renderers/tokenizer.ts";
import { labTokenizer } from "./tokenizerFixture.ts";

const tokenizer = labTokenizer();
const bytesOf = (ids: readonly number[]) => ids.flatMap((id) => [...tokenizer.bytesOf(id)]);
const markIds = new Set(tokenizer.marks.map(({ id }) => id));

describe("byte spellings", () => {
  it("gives every byte a character of its own and back", () => {
    expect(new Set(BYTE_CHARACTERS).size).toBe(256);
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(bytesOfSpelling(spellingOfBytes(all))).toEqual(all);
    expect(spellingOfBytes(new TextEncoder().encode(" t\n"))).toBe("ĠtĊ");
  });

  it("names a character that spells no byte", () => expect(() => bytesOfSpelling("a b")).toThrow('" " does not spell a byte'));
});

describe("the shipped tokenizer", () => {
  it("has 512 ids of which the first 16 are marks", () => {
    expect(tokenizer.vocabularySize).toBe(512);
    expect([...markIds]).toEqual([...Array(16).keys()]);
    expect(tokenizer.markId("<|im_end|>")).toBe(2);
    expect(() => tokenizer.markId("<|nope|>")).toThrow('unknown mark "<|nope|>", choose from <|endoftext|>');
  });

  it("has a token for every byte and none without bytes", () => {
    const singles = new Set<number>();
    for (let id = 16; id < 512; id++) {
      const bytes = tokenizer.bytesOf(id);
      expect(bytes.length).toBeGreaterThan(0);
      if (bytes.length === 1) singles.add(bytes[0] ?? -1);
    }
    expect(singles.size).toBe(256);
  });

  it("encodes any text to exactly its bytes, without a single mark", () => {
    const pieces = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...tokenizer.marks.map(({ content }) => content), "<|im_", "end|>", "\n\n", "  ", "\u0000", "é", "👩‍👩‍👧"),
    );
    const text = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, (sample) => {
        const ids = tokenizer.encodePlain(sample);
        expect(bytesOf(ids)).toEqual([...new TextEncoder().encode(sample)]);
        expect(ids.filter((id) => markIds.has(id))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it("splits digits singly", () => {
    expect(tokenizer.encodePlain("1234567890")).toHaveLength(10);
    expect(tokenizer.encodePlain("\\boxed{85}")).toHaveLength(6);
  });

  it("reads an unpaired surrogate as the replacement character", () => {
    expect(bytesOf(tokenizer.encodePlain("a\ud800b"))).toEqual([...new TextEncoder().encode("a\ufffdb")]);
  });

  it("refuses a file that is no tokenizer", () => {
    expect(() => createTokenizer({})).toThrow("tokenizer.json must have added_tokens");
    expect(() => createTokenizer({ added_tokens: [] })).toThrow("tokenizer.json must have model.vocab");
    expect(() => createTokenizer(null)).toThrow("tokenizer.json");
  });
});
