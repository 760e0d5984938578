// The examples of the glossary's words: their numbers are the trainer's, wherever their controls stand.
import { describe, expect, it } from "vitest";
import { WORD_EXAMPLES, type WordExample } from "../../../../src/ui/kit/words/examples.ts";
import { GLOSSARY, type TermId } from "../../../../src/ui/kit/words/glossary.ts";

const examples = Object.entries(WORD_EXAMPLES) as [TermId, WordExample][];
const texts = (id: TermId, ...values: number[]) => WORD_EXAMPLES[id]!.rows(...values).map(({ text }) => text);

describe("the examples of words", () => {
  it("are all of words of the glossary", () => {
    expect(examples.length).toBeGreaterThan(15);
    for (const [id] of examples) expect(GLOSSARY.map((term) => term.id)).toContain(id);
  });

  it("have a number at both ends of each control and where they begin, and no share beyond 0 to 1", () => {
    for (const [id, { controls, rows }] of examples) {
      const stands = controls.map(({ min, max, initial }) => [min, initial, max]);
      for (const first of stands[0]!)
        for (const second of stands[1] ?? [0])
          for (const { label, text, share = 0 } of rows(first, second)) {
            expect(text, `${id}, ${label}`).not.toMatch(/NaN|undefined|Infinity|^[−–]?$/);
            expect(share, `${id}, ${label}`).toBeGreaterThanOrEqual(0);
            expect(share, `${id}, ${label}`).toBeLessThanOrEqual(1);
          }
      for (const { initial, min, max } of controls) expect(initial >= min && initial <= max, id).toBe(true);
    }
  });

  it("give numbers that are known", () => {
    expect(texts("advantage", 1)).toEqual(["+2.474", "−0.353"]);
    expect(texts("advantage", 8)).toEqual(["0"]);
    expect(texts("baseline", 2)).toEqual(["0.250", "+0.750", "−0.250"]);
    expect(texts("ratio", 0.2, 0.3)).toEqual(["1.500"]);
    expect(texts("clip", 1.3, 1)).toEqual(["0, clipped"]);
    expect(texts("clip", 1.3, -1)).toEqual(["−1.300"]);
    expect(texts("weight", 8, 4)).toEqual(["0.031"]);
    expect(texts("pass-at-k", 2, 16)).toEqual(["100 %"]);
    expect(texts("kl", 0).at(-1)).toBe("0");
    expect(texts("greedy", 0.3)).toEqual(["0 %", "30 %"]);
  });
});
