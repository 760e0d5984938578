import { expect, it } from "vitest";
import { visible } from "../../src/cli/lab/exit.ts";
import { createProgress } from "../../src/cli/lab/progress.ts";
import { columns } from "../../src/cli/lab/texts.ts";
import { saidText } from "../../src/export/writtenRun.ts";

it("a message is told with its speaker, its calls and what is wrong with them", () => {
  expect(saidText({ role: "user", content: "What is 56 + 67?" })).toEqual(["user", "What is 56 + 67?"]);
  expect(saidText({ role: "assistant", content: "", toolCalls: [{ name: "calculate", arguments: { expression: "56 + 67" } }] })).toEqual([
    "assistant",
    'calculate({"expression":"56 + 67"})',
  ]);
  expect(
    saidText({ role: "assistant", agent: "solver", content: "<tool_call>{</tool_call> ", toolCallProblems: ["It is not JSON."] }),
  ).toEqual(["solver", "<tool_call>{</tool_call> [It is not JSON.]"]);
});

// Clears the screen, names the window, writes to the clipboard, hides, turns about, and the same by one sign of eight bits.
const HOSTILE = "a\x1b[2J\x1b]0;owned\x07\x1b]52;c;cm0=\x07\x1b[8mb\r\x08\x7f\x9b31m\u202ec\u2066\0";

it("nothing that came from outside moves a terminal's cursor or hides there, and words of all languages stay", () => {
  expect(visible(HOSTILE)).toBe(
    "a\\u001b[2J\\u001b]0;owned\\u0007\\u001b]52;c;cm0=\\u0007\\u001b[8mb\\u000d\\u0008\\u007f\\u009b31m\\u202ec\\u2066\\u0000",
  );
  const words = "naïve 你好 👩‍👩‍👧 שלום مرحبا\n\ttab";
  expect(visible(words)).toBe(words);
  expect(JSON.parse(visible(JSON.stringify({ HOSTILE })))).toEqual({ HOSTILE });
});

it("a cell of a table is one line, and a name makes no rows of its own", () => {
  expect(
    columns([
      ["runs/a", "good\nruns/b  solved"],
      ["runs/c", "-"],
    ]),
  ).toBe("runs/a  good runs/b  solved\nruns/c  -");
});

it("a notice stays at a terminal above the line that is drawn over, one that passes is drawn there", () => {
  const told: string[] = [];
  const progress = createProgress(undefined, false, { isTTY: true, columns: 80, write: (text) => void told.push(text) });
  progress.doing("evaluating");
  progress.tell({ type: "evaluation", step: 0 });
  progress.tell({ type: "notice", message: "2 held-out problems decide nothing" });
  progress.tell({ type: "notice", message: "The server is away.", passing: "begun" });
  expect(told).toEqual(["\r\x1b[2Kevaluating", "\r\x1b[2K", "2 held-out problems decide nothing\n"]);
});

it("progress is told without what was put into it", () => {
  const told: string[] = [];
  const terminal = { isTTY: true, columns: 400, write: (text: string) => void told.push(text) };
  createProgress(undefined, false, terminal).doing(`${HOSTILE}\nmore`);
  createProgress("json", false, terminal).tell({ type: "notice", message: HOSTILE });
  expect(told).toEqual([`\r\x1b[2K${visible(HOSTILE)} more`, `${visible(JSON.stringify({ type: "notice", message: HOSTILE }))}\n`]);
});
