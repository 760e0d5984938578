import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { contentOf, problemsOfRows, seenRows } from "../../../src/rl/data/rows/bringData.ts";
import { rowsOf } from "../../../src/rl/data/rows/readRows.ts";
import { readProblemLines } from "../../../src/rl/tasks/custom/problemLines.ts";
import { hostileFiles } from "../../support/hostileData.ts";
import { isLong } from "../../support/long.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const hash = (content: Uint8Array) => createHash("sha256").update(content).digest("hex");
const FORMS = [
  ["a.jsonl", '{"question":"3 + 4?","answer":"3 and 4 are 7 #### 7"}\n{"question":"Say hello","answer":"hello"}\n'],
  ["b.json", '[{"question":"3 + 4?","answer":"3 and 4 are 7 #### 7"},{"question":"Say hello","answer":"hello"}]'],
  ["c.csv", "question,answer\n3 + 4?,3 and 4 are 7 #### 7\nSay hello,hello\n"],
] as const;

describe("data that somebody brings", () => {
  it.each(FORMS)("is the same content in %s", async (name, text) => {
    const rows = await rowsOf(name, bytes(text));
    const seen = seenRows(rows, name);
    expect(seen).toMatchObject({ columns: ["question", "answer"], rows: 2, likely: { question: "question", answer: "answer" } });
    const { problems } = problemsOfRows(rows, seen.likely);
    expect(problems[0]).toEqual({ question: "3 + 4?", answer: "7", solution: "3 and 4 are 7 #### 7" });
    const { problems: first } = problemsOfRows(await rowsOf(FORMS[0][0], bytes(FORMS[0][1])), seen.likely);
    expect(hash(contentOf(problems))).toBe(hash(contentOf(first)));
    expect(readProblemLines(new TextDecoder().decode(contentOf(problems)), name)).toEqual(problems);
  });

  it("is mapped by its columns, with answers or without, and says row and column where one is wrong", async () => {
    const rows = await rowsOf("x.csv", bytes("ask,gold\na,1\nb,\n"));
    expect(seenRows(rows, "x.csv").likely).toEqual({ question: "ask", answer: null });
    expect(problemsOfRows(rows, { question: "ask", answer: null }).problems.map(({ answer }) => answer)).toEqual(["", ""]);
    expect(() => problemsOfRows(rows, { question: "ask", answer: "gold" })).toThrow('x.csv:3: gold must be a text or a number, got ""');
    expect(() => problemsOfRows(rows, { question: "asks", answer: null })).toThrow("x.csv:2: has no column asks (did you mean ask?)");
  });

  it.each([
    ["6*7 #### 42 (since 6*7)", "42"],
    ["#### 42 apples (all of them)", "42 apples"],
    ["#### 101 (base 2)", "101 (base 2)"],
    ["#### (1,234)", "(1,234)"],
    ["#### red (or blue)", "red (or blue)"],
  ])("has in %j the answer %j", async (answer, read) => {
    const rows = await rowsOf("x.json", bytes(JSON.stringify([{ question: "?", answer }])));
    expect(problemsOfRows(rows, { question: "question", answer: "answer" }).problems[0]?.answer).toBe(read);
  });

  it("harms nobody, however hostile: each file is problems or a sentence", async () => {
    const all = hostileFiles();
    expect(all.length).toBeGreaterThanOrEqual(1000);
    const wrong: string[] = [];
    for (const { does, name, bytes: content } of isLong ? all : all.filter((_, i) => i % 5 === 0)) {
      try {
        const rows = await rowsOf(name, content);
        const seen = seenRows(rows, name);
        const { problems } = problemsOfRows(rows, seen.likely);
        const again = readProblemLines(new TextDecoder().decode(contentOf(problems)), name);
        if (again.length !== problems.length) wrong.push(`${does}: ${again.length} of ${problems.length} come back`);
        if (problems.some(({ question, answer }) => typeof question !== "string" || typeof answer !== "string"))
          wrong.push(`${does}: no text`);
      } catch (error) {
        const said = error instanceof Error ? error.message : String(error);
        if (said === "" || said.length > 6000 || said.startsWith("internal")) wrong.push(`${does}: ${said.slice(0, 200)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(Object.prototype).not.toHaveProperty("a");
  }, 300_000);
});
