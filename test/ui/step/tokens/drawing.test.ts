import { describe, expect, it } from "vitest";
import { showPiece } from "../../../../src/ui/step/tokens/drawing.ts";

describe("showPiece", () => {
  it.each([
    [" the", "␣the", "text"],
    [" ", "␣", "glyph"],
    ["\n", "⏎", "glyph"],
    ["<|im_end|>", "■ im_end", "mark"],
    ["</s>", "■ /s", "mark"],
    ["<think>", "think", "mark"],
    ["<", "<", "text"],
    ["", "∅", "glyph"],
    ["7", "7", "text"],
  ])("shows %j as %s", (piece, text, kind) => expect(showPiece(piece)).toMatchObject({ text, kind }));

  it("breaks the line after a line feed and says white space in words", () => {
    expect(showPiece("\n").breaks).toBe(true);
    expect(showPiece(" ").spoken).toBe("space");
    expect(showPiece("\n").spoken).toBe("line break");
  });
});
