import { describe, expect, it } from "vitest";
import { CHARTS } from "../../../../src/ui/kit/charts/index.ts";
import { foundTerm, GLOSSARY, glossaryTerm } from "../../../../src/ui/kit/words/glossary.ts";
import { type GlossaryTerm, markTerm, tokenText } from "../../../../src/ui/kit/words/terms/tokenTerms.ts";
import { lessons } from "../../../../src/ui/learn/lessons/index.ts";

/** A lesson may have no word that leads to it; these have. */
const LED = [
  ...["policy-gradient", "baseline", "group-advantage", "dead-groups", "ratio", "kl", "length-bias", "dapo", "reward-hacking"],
  ...["what-the-kl-is-for", "nothing-moves", "tool-mask", "critic", "few-numbers"],
];
const ALL: readonly GlossaryTerm[] = GLOSSARY;

describe("the glossary", () => {
  it("explains each word once, in a short text that ends as a sentence", () => {
    expect(new Set(GLOSSARY.map(({ id }) => id)).size).toBe(GLOSSARY.length);
    expect(new Set(GLOSSARY.map(({ term }) => term)).size).toBe(GLOSSARY.length);
    for (const { id, text, example = "So." } of ALL) {
      for (const said of [text, example]) {
        expect(said, id).toMatch(/[.]$/);
        expect(said.length, id).toBeLessThanOrEqual(150);
      }
      expect(text.match(/[.](?= [A-Zμβ]|$)/g)?.length, id).toBeLessThanOrEqual(2);
    }
  });

  it("holds for every algorithm: what a reward is compared with is left to the run", () => {
    for (const { id, text } of GLOSSARY) expect(text, id).not.toMatch(/group's? (mean|average)|its (own )?group/);
  });

  it("leads to lessons that there are, and to all of these", () => {
    const led = ALL.flatMap(({ lesson }) => lesson ?? []);
    const ids: readonly string[] = lessons.map(({ id }) => id);
    expect(led.filter((id) => !ids.includes(id))).toEqual([]);
    expect(led).toEqual(expect.arrayContaining([...LED]));
  });

  it("has a word for every chart but those of the machine", () => {
    expect(CHARTS.filter(({ word }) => word === null).map(({ id }) => id)).toEqual(["memory", "processor-time"]);
    for (const { word } of CHARTS) if (word) expect(glossaryTerm(word)?.text, word).toBeDefined();
  });

  it("is searched in all that it says, by parts of words in any order", () => {
    const found = (typed: string) => ALL.filter((term) => foundTerm(term, typed)).map(({ id }) => id);
    expect(found("")).toHaveLength(GLOSSARY.length);
    expect(found("Wrong eight tied")).toEqual(["tied-group"]);
    expect(found("kullback")).toEqual(["kl"]);
    expect(found("zzz")).toEqual([]);
  });

  it("knows the marks of the renderers by their names, and the words of the first screen without the others", () => {
    expect(markTerm("im_end")).toBe(glossaryTerm("im_end"));
    expect(markTerm("/tool_call")).toBe(glossaryTerm("tool_call"));
    expect(markTerm("something")).toBeNull();
    expect(tokenText("kl")).toBe(glossaryTerm("kl").text);
  });
});
