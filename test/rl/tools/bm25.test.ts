import { describe, expect, it } from "vitest";
import { rankDocuments, wordsOf } from "../../../src/rl/tools/bm25.ts";

// Three documents of 4, 2 and 3 words; the mean length is 3.
const documents = ["the cat, the hat", "A dog", "the dog sat"];

describe("BM25", () => {
  it("has the scores that the formula gives by hand", () => {
    // "dog" is in 2 of 3 documents: ln(1 + 1.5 / 2.5) = ln 1.6.
    // Document 1, 2 words: 2.2 / (1 + 1.2 · (0.25 + 0.75 · 2/3)) = 2.2 / 1.9.
    // Document 2, 3 words: 2.2 / (1 + 1.2) = 1.
    const ranked = rankDocuments(documents, "dog");
    expect(ranked.map(({ document }) => document)).toEqual([1, 2]);
    expect(ranked[0]!.score).toBeCloseTo(Math.log(1.6) * (2.2 / 1.9), 12);
    expect(ranked[1]!.score).toBeCloseTo(Math.log(1.6), 12);
  });

  it("counts how often a word comes, in the document and in the query", () => {
    // "the" twice in 4 words: 2 · 2.2 / (2 + 1.2 · (0.25 + 0.75 · 4/3)) = 4.4 / 3.5; "hat" is in 1 of 3: ln(1 + 2.5 / 1.5).
    const [first, second] = rankDocuments(documents, "the hat");
    expect(first).toMatchObject({ document: 0, matched: ["the", "hat"] });
    expect(first!.score).toBeCloseTo(Math.log(1.6) * (4.4 / 3.5) + Math.log(1 + 2.5 / 1.5) * (2.2 / 2.5), 12);
    expect(second!.score).toBeCloseTo(Math.log(1.6), 12);
    expect(rankDocuments(documents, "the the hat")[0]!.score - first!.score).toBeCloseTo(Math.log(1.6) * (4.4 / 3.5), 12);
  });

  it("leaves out documents without a word of the query and keeps equal ones in order", () => {
    expect(rankDocuments(documents, "bird")).toEqual([]);
    expect(rankDocuments(documents, "?!")).toEqual([]);
    expect(rankDocuments([], "dog")).toEqual([]);
    expect(rankDocuments(["a b", "b a", "a c"], "a").map(({ document }) => document)).toEqual([0, 1, 2]);
  });

  it("reads words without regard to case and punctuation", () => {
    expect(wordsOf("Größe: 3,5 – (Ok)")).toEqual(["größe", "3", "5", "ok"]);
  });
});
