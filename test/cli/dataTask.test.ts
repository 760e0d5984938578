// Questions and answers out of files of every form, and what is said of rows that are wrong.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { dataSource, dataTask, loadProblems, problemsAlone } from "../../src/cli/custom/dataTask.ts";
import { readCsv } from "../../src/rl/data/rows/csv.ts";
import { rowsOf } from "../../src/rl/data/rows/readRows.ts";

const folder = mkdtempSync(join(tmpdir(), "rollout-lab-data-"));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
async function load(given: unknown) {
  const source = dataSource(given, join(folder, "config.yaml"));
  return dataTask(source, problemsAlone(await loadProblems(source))).task;
}
const problems = async (given: unknown) => {
  const instance = (await load(given)).create({}, 0);
  const seen = [...instance.evaluation(99), ...instance.trainLoader().next(300)];
  return new Map(seen.map(({ messages, answer }) => [messages.at(-1)?.content, answer]));
};

describe("rows", () => {
  it("come out of comma-separated values as they went in", () => {
    const cell = fc.string({ unit: fc.constantFrom("a", " ", ",", '"', "\n", "\r\n", "é") });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), fc.constantFrom("\n", "\r\n"), (rows, end) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = ["question,answer", ...rows.map((cells) => cells.map(quoted).join(","))].join(end);
        expect(readCsv("x.csv", text).rows.map(({ values }) => [values.question, values.answer])).toEqual(rows);
      }),
    );
  });

  it.each([
    [
      "x.jsonl",
      '{"question": "a", "answer": 1}\n\nnot json\n',
      /x\.jsonl:3: is not JSON \(1 of 2 rows cannot be read: data\.badRows: leave-out goes on without them\)$/,
    ],
    ["x.jsonl", "7\n", /x\.jsonl:1: must be an object with columns, got 7$/],
    ["x.json", "{}", /x\.json must hold a list of rows/],
    ["x.json", "[", /x\.json is not JSON/],
    ["x.csv", 'question,answer\n"a\nb",1\nc\n', /x\.csv:4: must have 2 cells like the first line, got 1 \(1 of 2 rows/],
    ["x.csv", 'question,answer\n"a,1\n', /x\.csv:2: a quoted cell is never closed$/],
    ["x.parquet", "PAR1", /x\.parquet cannot be read as Parquet/],
    ["x.parquet", "question,answer\na,1\n", /x\.parquet cannot be read as Parquet: it must begin and end with PAR1/],
    ["x.txt", "", /must be a file ending in \.jsonl, \.json, \.csv, \.tsv, \.parquet, got/],
  ])("of a broken %s are refused with their place", async (name, text, sentence) => {
    await expect(load(write(name, text))).rejects.toThrow(sentence);
  });
});

it.each(["gzip", "zstd", "brotli", "lz4"])("Parquet packed with %s has the same rows as with Snappy", async (codec) => {
  const valuesOf = async (name: string) =>
    (await rowsOf(name, readFileSync(join(import.meta.dirname, "data", name)))).rows.map(({ values }) => values);
  expect(await valuesOf(`sums.${codec}.parquet`)).toEqual(await valuesOf("sums.parquet"));
});

describe("a task from a file", () => {
  it("reads GSM8K's form: the answer stands after ####, and all of it is what a worked example says", async () => {
    const rows = Array.from({ length: 9 }, (_, i) => ({ question: `q${i}`, answer: `${i} and ${i} make <<${2 * i}>>.\n#### ${2 * i}` }));
    const path = write("gsm.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    expect((await problems(path)).get("q4")).toBe("8");
    const instance = (await load(path)).create({}, 0);
    const [example] = instance.trainLoader().next(1);
    const said = instance.demonstration(example!, undefined as never, 0)({ messages: example!.messages }).content;
    expect(said).toMatch(/make <<\d+>>\.\n#### \d+$/);
  });

  it("refuses a file held out from itself, and one question in many rows, by what is wrong", async () => {
    const file = write("same.csv", `question,answer\n${"a,1\n".repeat(20)}`);
    await expect(problems({ file, heldOut: "./same.csv" })).rejects.toThrow("data.heldOut must be another file than data.file");
    await expect(problems(file)).rejects.toThrow("must have at least 2 different questions, got 1 in 20 problems");
  });

  it("maps columns, reads numbers, and takes a file of its own to hold out", async () => {
    const file = join(import.meta.dirname, "data", "sums.parquet");
    expect((await problems({ file, question: "prompt", answer: "result" })).get("What is 9 + 1?")).toBe("10");
    const heldOut = write("held.csv", "prompt,result\nheld,1\n");
    const instance = (await load({ file, heldOut, question: "prompt", answer: "result", system: "Briefly." })).create({}, 0);
    expect(instance.evaluation(9).map(({ messages }) => messages.map(({ content }) => content))).toEqual([["Briefly.", "held"]]);
  });

  it.each([
    ['[{"question": "a", "anwser": 1}, {}]', /row 1: has no column answer \(did you mean anwser\?\)$/],
    [
      '[{"question": "a", "answer": 1}, {"question": "b", "answer": null}]',
      /row 2: answer must be a text or a number, got null \(1 of 2 rows cannot be read/,
    ],
    ['[{"question": "a", "answer": "so ####"}, {}]', /row 1: answer must have an answer after ####$/],
    ['[{"question": "a", "answer": 1}]', /must have at least 2 rows, got 1$/],
  ])("refuses %s", async (text, sentence) => {
    await expect(load(write("wrong.json", text))).rejects.toThrow(sentence);
  });
});
