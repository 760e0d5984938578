import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isNumeric } from "../../../../src/rl/rewards/match/semanticMatch.ts";
import { statesNumber, statesText } from "../../../../src/rl/rewards/match/statement.ts";
import { texts, wholes } from "./statedAnswers.ts";

const r = String.raw;
const states = (text: string, gold: string) => (isNumeric(gold) ? statesNumber : statesText)(text, gold);
const FRAMES: readonly ((stated: string) => string)[] = [
  (stated) => `The answer is ${stated}.`,
  (stated) => `There were 99.\nThe answer is ${stated}`,
  (stated) => `The total is 99 and the answer is: **${stated}**`,
];

describe("what a text comes to", () => {
  it.each(wholes)("is all of %j or nothing", (stated, same, others) => {
    for (const frame of FRAMES) {
      for (const gold of others) expect(states(frame(stated), gold), `${frame(stated)} for ${gold}`).toBe(false);
      for (const gold of same) expect(states(frame(stated), gold), `${frame(stated)} for ${gold}`).toBe(true);
    }
  });

  it.each(texts)("in %j is %j: %j", (text, gold, right) => expect(states(text, gold)).toBe(right));

  it("is the answer in 77 of 81 worked solutions of GSM8K, with the notes for its calculator and without", () => {
    const rows = readFileSync(new URL("../../../reference/gsm8k/sample.jsonl", import.meta.url), "utf8")
      .trim()
      .split("\n");
    const solved = (edit: (text: string) => string) =>
      rows.filter((line) => {
        const [work = "", gold = ""] = (JSON.parse(line) as { answer: string }).answer.split("####").map((part) => part.trim());
        return statesNumber(edit(work), gold);
      }).length;
    expect([solved((work) => work), solved((work) => work.replace(/<<.*?>>/g, ""))]).toEqual([77, 77]);
  });

  // Work that grew with a power of the length would never come back within the time limit of a test.
  it("is found in hostile text of 30,000 characters", () => {
    const parts = [
      "9",
      "{",
      "}",
      "(",
      "1 ",
      "1, ",
      "1/",
      r`\frac{`,
      r`\frac{1}{`,
      r`\sqrt{`,
      "**",
      "'",
      ".",
      "!",
      "= ",
      "x = ",
      "(a ",
      "1 (a ",
      "1 or ",
      "2 m ",
      "the answer is ",
      "\\",
      r`\\`,
      "$",
      "1 the ",
      "####",
      "half ",
      "- ",
      "\n",
      "^{2}",
    ];
    for (const part of parts)
      for (const text of [part.repeat(30_000 / part.length), `The answer is ${part.repeat(30_000 / part.length)}`]) {
        expect(statesNumber(text, "123"), part).toBe(false);
        expect(statesText(text, "(1, 2)"), part).toBe(false);
      }
  });
});
