// Words of any text: joined they are it, they are as many as are counted, and none is as wide as a page.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countWords, wordsOf } from "../../src/traces/text/words.ts";

describe("words cut from text", () => {
  const any = fc.string({ unit: "grapheme", maxLength: 200 });
  const odd = fc.array(fc.constantFrom("a", " ", "\n", "\u00a0", "\u3000", "’", "答", "😀", "\ud800", "x".repeat(31), "é".repeat(32)));
  it("join to the text, whatever it is, and are counted alike", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          any,
          odd.map((parts) => parts.join("")),
        ),
        (text) => {
          const words = wordsOf(text);
          expect(words.join("")).toBe(text);
          expect(countWords(text)).toBe(words.length);
          expect(words.every((word) => word.trim().length <= 33)).toBe(true);
        },
      ),
      { seed: 1 },
    );
  });

  it("have the blanks before them, and stand alone where a script has none", () => {
    expect(wordsOf("a  bc\n\nd ")).toEqual(["a", "  bc", "\n\nd", " "]);
    expect(wordsOf("答えは 4")).toEqual(["答", "え", "は", " 4"]);
    expect(wordsOf("x".repeat(40))).toEqual(["x".repeat(32), "x".repeat(8)]);
  });
});
