// What somebody writes on a run is checked where it comes in.
import { describe, expect, it } from "vitest";
import { decodeLabel, encodeLabel, labelIn, type RunLabel } from "../../../src/protocol/run/runLabel.ts";

const label: RunLabel = { name: "the good one", notes: "two\nlines", tags: ["paper", "fig 3"], isPinned: true };
const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

describe("a label", () => {
  it("comes back as it was written", () => {
    expect(decodeLabel(encodeLabel(label))).toEqual(label);
    expect(decodeLabel(encodeLabel({}))).toEqual({});
  });

  it.each([
    [{ name: "" }, /name/],
    [{ name: " blank" }, /name must be one line without blanks at its ends/],
    [{ name: "a\nb" }, /name must be one line/],
    [{ name: "x".repeat(81) }, /name/],
    [{ tags: ["a", "a"] }, /tags must not have a tag twice/],
    [{ tags: ["a,b"] }, /must have no comma/],
    [{ tags: Array.from({ length: 13 }, (_, i) => `t${i}`) }, /tags/],
    [{ isPinned: false }, /isPinned/],
    [{ colour: "red" }, /colour/],
  ])("%j is refused by the name of its field", (value, problem) => {
    expect(() => decodeLabel(bytes(value))).toThrow(problem);
  });

  it("that cannot be read is named by its file, and stands in no list's way", () => {
    expect(() => decodeLabel(new Uint8Array([123]), "runs/a/label.json")).toThrow(/^runs\/a\/label.json is not JSON/);
    expect(labelIn(new Uint8Array([123]))).toEqual({});
    expect(labelIn(null)).toEqual({});
    expect(labelIn(encodeLabel(label))).toEqual(label);
  });
});
