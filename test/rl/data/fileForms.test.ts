// Files as they come: how numbers, letters, separators and conversations are written, and rows that are wrong.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { contentOf, problemsOfRows, seenRows, tableRow } from "../../../src/rl/data/rows/bringData.ts";
import { cellOf, problemOf } from "../../../src/rl/data/rows/problemRows.ts";
import { rowsOf } from "../../../src/rl/data/rows/readRows.ts";
import type { FoundRows } from "../../../src/rl/data/rows/row.ts";
import { readProblemLines } from "../../../src/rl/tasks/custom/problemLines.ts";
import { messagesWritten } from "../../../src/rl/tools/chatMessages.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const read = (name: string, text: string | Uint8Array) => rowsOf(name, typeof text === "string" ? utf8(text) : text);
const kept = (found: FoundRows, leavesOut = false) => problemsOfRows(found, seenRows(found, "x").likely, leavesOut);
const cells = ({ rows }: FoundRows, column: string) => rows.map((row) => cellOf(row, column));

describe("Parquet that is damaged", () => {
  const sums = readFileSync(join(import.meta.dirname, "../../cli/data/sums.parquet"));

  it("is refused where a column is not in its schema, with nothing left to fail later", async () => {
    const bytes = new Uint8Array(sums);
    bytes[sums.lastIndexOf("result")] = 0x6d;
    await expect(read("x.parquet", bytes)).rejects.toThrow('x.parquet must name all its columns in its schema, got "mesult"');
  });

  it("is refused where lengths and offsets are none of the file's", async () => {
    const bytes = parquetWriteBuffer({ columnData: [{ name: "question", data: ["a", "b"], type: "STRING" }], codec: "UNCOMPRESSED" });
    const damaged = new Uint8Array(bytes).fill(0x41, 20, 40);
    await expect(read("x.parquet", damaged)).rejects.toThrow("x.parquet cannot be read as Parquet: its parts do not fit together");
  });
});

describe("numbers", () => {
  it.each(["9007199254740993", "123456789012345678901234567890", "1e400", "0.10", "1.0", "-0.0", "3.141592653589793238"])(
    "of JSON stay as they are written: %s",
    async (number) => {
      const found = await read("x.jsonl", `{"question": "q", "answer": ${number}, "reward_model": {"ground_truth": ${number}}}`);
      expect(kept(found).problems[0]?.answer).toBe(number);
      expect(cells(found, "reward_model.ground_truth")).toEqual([number]);
      expect(cells(await read("x.json", `[{"answer": ${number}}]`), "answer")).toEqual([number]);
    },
  );

  // Written by pyarrow 26: decimal128, int64, doubles, times, and calls whose arguments have each other's keys.
  it("of Parquet are whole, and times are text as Python has it", async () => {
    const found = await read("exact.parquet", readFileSync(join(import.meta.dirname, "../../cli/data/exact.parquet")));
    const [first, second] = found.rows;
    const told = { answer: "9007199254740993", dec: "123456789012345678901234567890.12", small: "-0.05", mid: "99999999.99", f: "18.0" };
    for (const [column, text] of Object.entries(told)) expect(cellOf(first!, column)).toBe(text);
    expect([cellOf(first!, "when"), cellOf(first!, "day"), cellOf(first!, "g")]).toEqual([
      "2024-01-31 12:00:00.123456",
      "2024-01-31",
      "1e-05",
    ]);
    expect(() => problemOf(second!, { answer: "f" })).toThrow("row 2: f must be a text or a number, got NaN");
    expect(() => problemOf(second!, { answer: "answer" })).toThrow("row 2: answer must be a text or a number, got null");
  });

  it.each([
    ["TIME_MILLIS", "INT32", 3_723_004, "01:02:03.004000"],
    ["TIME_MICROS", "INT64", 86_399_000_000n, "23:59:59"],
  ] as const)("of Parquet that are times of a day are text, too: %s", async (converted_type, type, count, text) => {
    const schema = [
      { name: "root", num_children: 1 },
      { name: "answer", type, converted_type, repetition_type: "REQUIRED" as const },
    ];
    const bytes = parquetWriteBuffer({ schema, columnData: [{ name: "answer", data: [count] }] });
    expect(cells(await read("x.parquet", new Uint8Array(bytes)), "answer")).toEqual([text]);
  });

  it("in calls of tools stay, with the keys of that call alone, all the way to the messages of a run", async () => {
    const found = await read("exact.parquet", readFileSync(join(import.meta.dirname, "../../cli/data/exact.parquet")));
    const problems = found.rows.map((row) => problemOf(row, { question: "messages", answer: "messages" }));
    expect(problems.map(({ answer }) => answer)).toEqual(["it is 3", "bye"]);
    const lines = new TextDecoder().decode(contentOf(problems as never));
    const [first, second] = readProblemLines(lines, "x").map(({ messages }) => messagesWritten(messages ?? [])[1]?.tool_calls);
    expect(first?.[0]?.function.arguments).toBe('{"x": 1.0, "big": 9007199254740993, "price": 1.10, "deep": {"a": [1.0, 2.5]}}');
    expect(second?.[0]?.function.arguments).toBe('{"city": "Rome"}');
  });

  it("of a hub's row stay, and what is null within it is not there", () => {
    const row = tableRow("x row 1", '{"answer": 9007199254740993, "none": null, "list": [null, {"a": null, "b": 1.0}]}');
    expect(row.values).toEqual({ answer: 9007199254740992, none: null, list: [null, { b: 1 }] });
    expect(cellOf(row, "answer")).toBe("9007199254740993");
  });
});

describe("letters", () => {
  const utf16 = (text: string, isLittle: boolean) =>
    Uint8Array.from(
      Array.from(text, (_, i) => text.charCodeAt(i)).flatMap((code) => (isLittle ? [code & 255, code >> 8] : [code >> 8, code & 255])),
    );
  const TABLE = "question,answer\nOù est le café ?,là\n";

  it.each([
    ["UTF-8 with its mark", utf8(`\uFEFF${TABLE}`)],
    ["UTF-16 with its mark", utf16(`\uFEFF${TABLE}`, true)],
    ["UTF-16, the other way round", utf16(`\uFEFF${TABLE}`, false)],
    ["UTF-16 without a mark", utf16(TABLE, true)],
    ["UTF-16 the other way round without a mark", utf16(TABLE, false)],
  ])("are read from %s", async (_, bytes) => {
    expect(cells(await read("x.csv", bytes), "question")).toEqual(["Où est le café ?"]);
  });

  it.each([
    [
      "x.csv",
      "question,answer\na,1\ncaf\u00e9,2\n",
      'x.csv:3: must be UTF-8, got the byte 0xE9 at 23, where Windows-1252 would read "café,2"',
    ],
    ["x.csv", "question,answer\ra,1\rcaf\u00e9", "x.csv:3: must be UTF-8, got the byte 0xE9 at 23"],
    ["x.jsonl", '{"question": "na\u00efve"}', "x.jsonl:1: must be UTF-8, got the byte 0xEF"],
  ])("of old Windows programs are refused with their place: %s", async (name, text, sentence) => {
    const bytes = Uint8Array.from(Array.from(text, (_, i) => text.charCodeAt(i)));
    await expect(read(name, bytes)).rejects.toThrow(sentence);
  });
});

describe("separated values", () => {
  it.each([
    ["semicolons", "question;answer\na, b;1,5\n", ["a, b", "1,5"]],
    ["tabs", "question\tanswer\na, b\t1\n", ["a, b", "1"]],
    ["bars", "question|answer\na, b|1\n", ["a, b", "1"]],
    ["what a spreadsheet says", "sep=;\nquestion;answer\na;1\n", ["a", "1"]],
    ["commas with semicolons in quotes", '"question","answer"\n"a;b;c;d",1\n', ["a;b;c;d", "1"]],
    ["returns alone as line ends", "question,answer\ra,1\r", ["a", "1"]],
    ["blank and empty lines at the end", "question,answer\na,1\n,\n\n\n", ["a", "1"]],
    ["a line break within quotes", 'question,answer\r\n"a\r\nb",1\r\n', ["a\r\nb", "1"]],
  ])("are told apart by %s", async (_, text, row) => {
    const found = await read("x.csv", text);
    expect(found.bad).toEqual([]);
    expect(found.rows.map(({ values }) => [values.question, values.answer])).toEqual([row]);
  });

  it("have each column once", async () => {
    await expect(read("x.csv", "question,answer,question\na,1,b\n")).rejects.toThrow(
      'x.csv:1: must name each column once, got "question" for columns 1 and 3',
    );
    expect((await read("x.jsonl", '{"question": "a", "question": "b", "answer": 1}')).bad).toEqual([
      'x.jsonl:1: must name each column once, got "question" twice',
    ]);
  });

  it("lose a row to a quote that is never closed, and no time", async () => {
    const found = await read("x.csv", `question,answer\n"a,1\n${"b,2\n".repeat(1000)}`);
    expect(found.rows).toHaveLength(1000);
    expect(found.bad).toEqual(["x.csv:2: a quoted cell is never closed"]);
    const far = await read("x.csv", `question,answer\n"a,1\n${"b,2\n".repeat(400_000)}"`).catch((error: unknown) => error);
    expect(String(far)).toContain("x.csv must have at most 200000 rows");
  });
});

describe("a file of JSON", () => {
  it("is a list or lines by what it holds, whatever its name and line ends", async () => {
    const row = '{"question": "a", "answer": 1}';
    for (const [name, text] of [
      ["x.jsonl", `[${row}, ${row}]`],
      ["x.json", `${row}\n${row}\n`],
      ["x.jsonl", `${row}\r${row}\r`],
      ["x.jsonl", `\uFEFF${row}\r\n\r\n${row}`],
    ] as const)
      expect((await read(name, text)).rows).toHaveLength(2);
  });
});

describe("conversations", () => {
  const [system, user] = [
    { role: "system", content: "Brief." },
    { role: "user", content: "2 + 2?" },
  ];
  it.each([
    ["messages", { messages: [system, user, { role: "assistant", content: "4" }] }],
    ["TRL's prompt and completion", { prompt: [system, user], completion: [{ role: "assistant", content: "4" }] }],
    [
      "ShareGPT's form",
      {
        conversations: [
          { from: "system", value: "Brief." },
          { from: "human", value: "2 + 2?" },
          { from: "gpt", value: "4" },
        ],
      },
    ],
  ])("keep the answer that they end with: %s", async (_, row) => {
    const found = await read("x.jsonl", JSON.stringify(row));
    expect(kept(found).problems).toEqual([{ question: "2 + 2?", answer: "4", messages: [system, user] }]);
  });

  it("that end with an answer are worked where another column has the answer", async () => {
    const found = await read("x.jsonl", JSON.stringify({ messages: [user, { role: "assistant", content: "two and two" }], answer: 4 }));
    expect(kept(found).problems).toEqual([{ question: "2 + 2?", answer: "4", solution: "two and two" }]);
  });
});

describe("rows that are wrong", () => {
  it("are said with place and reason, and left out where somebody wants it", async () => {
    const found = await read(
      "x.jsonl",
      '{"question": "a", "answer": 1}\nnope\n{"question": "b", "answer": null}\n{"question": "c", "answer": 3}\n',
    );
    expect(seenRows(found, "x").bad).toBe("1 row cannot be read: x.jsonl:2: is not JSON");
    expect(() => kept(found)).toThrow(
      "x.jsonl:2: is not JSON; x.jsonl:3: answer must be a text or a number, got null (2 of 4 rows cannot be read: they can be left out)",
    );
    const { problems, notes } = kept(found, true);
    expect(problems.map(({ question }) => question)).toEqual(["a", "c"]);
    expect(notes).toEqual(["2 rows were left out: x.jsonl:2: is not JSON; x.jsonl:3: answer must be a text or a number, got null"]);
  });

  it("that ask what another asks are told, those with another answer first", async () => {
    const { problems, notes } = kept(await read("x.csv", "question,answer\na,1\na,1\nb,2\na,3\n"));
    expect(problems).toHaveLength(2);
    expect(notes).toEqual([
      '2 rows ask what an earlier one asks, 1 of them with another answer: x.csv:5 what x.csv:2 asks, with the answer "3" and not "1". Each question is kept once',
    ]);
  });
});

describe("a Parquet file that is larger than it looks", () => {
  it("is refused by what it says of itself", async () => {
    const rows = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "question", data: new Array(200_001).fill("a") }] }));
    await expect(read("x.parquet", rows)).rejects.toThrow("x.parquet must have at most 200000 rows, got 200001");
    // 581 bytes, written by pyarrow 26: one row with a list of twenty million texts.
    const long = readFileSync(join(import.meta.dirname, "../../cli/data/lists.parquet"));
    await expect(read("x.parquet", long)).rejects.toThrow("x.parquet must have at most 8000000 values in all columns, got 20000000");
  });
});
