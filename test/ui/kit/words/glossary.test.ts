import { describe, expect, it } from "vitest";
import { GLOSSARY, glossaryTerm, markTerm } from "../../../../src/ui/kit/words/glossary.ts";

describe("the glossary", () => {
  it("explains each word once, in a short text that ends as a sentence", () => {
    expect(new Set(GLOSSARY.map(({ id }) => id)).size).toBe(GLOSSARY.length);
    for (const { id, text } of GLOSSARY) {
      expect(text, id).toMatch(/[.]$/);
      expect(text.length, id).toBeLessThanOrEqual(150);
    }
  });

  it("holds for every algorithm: what a reward is compared with is left to the run", () => {
    for (const { id, text } of GLOSSARY) expect(text, id).not.toMatch(/group's? (mean|average)|its (own )?group/);
  });

  it("knows the marks of the renderers by their names", () => {
    expect(markTerm("im_end")).toBe(glossaryTerm("im_end"));
    expect(markTerm("/tool_call")).toBe(glossaryTerm("tool_call"));
    expect(markTerm("something")).toBeNull();
  });
});
