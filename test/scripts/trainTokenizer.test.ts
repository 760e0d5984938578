import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { learnMerges } from "../../scripts/tokenizer/bytePairs.ts";
import { tokenizerCorpus } from "../../scripts/tokenizer/corpus.ts";
import { MERGE_COUNT, tokenizerConfig, tokenizerJson } from "../../scripts/tokenizer/files.ts";

const shipped = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../public/tokenizers/lab/${name}`, import.meta.url), "utf8"));

describe("learnMerges", () => {
  it("merges the most frequent pair first, ties in sorted order", () => {
    expect(learnMerges(["abab ab", "xy"], 3)).toEqual(["a b", "ab ab", "x y"]);
  });

  it("never merges digits or across words, and stops when nothing is left", () => {
    expect(learnMerges(["12 12 12", "a b"], 10)).toEqual(["Ġ b"]);
  });
});

describe("the shipped tokenizer", () => {
  it("is what its training gives", () => {
    expect(shipped("tokenizer.json")).toEqual(tokenizerJson(learnMerges(tokenizerCorpus(0), MERGE_COUNT)));
    expect(shipped("tokenizer_config.json")).toEqual(tokenizerConfig());
  });
});
