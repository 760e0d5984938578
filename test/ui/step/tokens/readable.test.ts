import { describe, expect, it } from "vitest";
import { rowPieces } from "../../../../src/ui/step/group/GroupRows.tsx";
import { hasMarkup, plainSpaces, readableAround, readableText } from "../../../../src/ui/step/tokens/readable.ts";

const CALL = ["<tool_call>", '{"', "name", '": "', "calculate", '", "', "arguments", '": {"', "expression", '": "', "32", " * 3", '"}}'];
const TURNS = [
  ...CALL,
  "</tool_call>",
  "<|im_end|>",
  "\n",
  "<|im_start|>",
  "tool\n",
  "96",
  "<|im_end|>",
  "\n",
  "<|im_start|>",
  "assistant\n",
];

describe("tokens as text to read", () => {
  it("are read once, however long a row of blanks, line breaks or marks is", () => {
    const many = 100_000;
    expect(readableText(['{"name": "add", "arguments": {"x": "', `${" ".repeat(many)}y`, '"}}'])).toBe("add: y");
    expect(readableText(["\n".repeat(many), "x"])).toBe(`${"⏎".repeat(many)}x`);
    for (const mark of [".", '"', "'", ")"]) expect(readableText([mark.repeat(many), " well"])).toBe(`${mark.repeat(many)} well`);
  });

  it.each([
    ["the␣sum␣is␣12.␣It␣is", "the sum is 12. It is"],
    ['I␣am,␣"so"␣to␣say', 'I am, "so" to say'],
    ["4␣2", "4␣2"],
    ["a␣b", "a␣b"],
    ["␣two␣␣spaces␣", "␣two␣␣spaces␣"],
    ["end␣⏎", "end␣⏎"],
  ])("have of %j the spaces between words plain: %j", (shown, read) => {
    expect(plainSpaces(shown)).toBe(read);
    expect(read).toHaveLength(shown.length);
  });

  it("tell a call by its name and what it is given, turns after arrows, and nothing of the template", () => {
    expect(readableText([...CALL, "</tool_call>", "<|im_end|>"]).trim()).toBe("calculate: 32 * 3");
    expect(readableText(CALL.slice(0, -1)).trim()).toBe("calculate: 32 * 3");
    expect(readableText([...TURNS, "<answer>", "96", "</answer>"]).trim()).toBe("calculate: 32 * 3 → 96 → 96");
    expect(readableText(["<think>", "what", " is", " it", "</think>"]).trim()).toBe("what is it");
  });

  it("stand around the token at the cursor, which is drawn as a token", () => {
    const at = CALL.indexOf(" * 3");
    expect(readableAround([...TURNS, "7"], at)).toEqual(["calculate: 32", "␣*␣3", " → 96 → 7"]);
    expect(readableAround([...TURNS, "7"], TURNS.length)).toEqual(["calculate: 32 * 3 → 96 → ", "7", ""]);
    expect(readableAround(["4", "2", "<|im_end|>"], 2)).toEqual(["42", "■ im_end", ""]);
  });

  it("are hard to read one by one where a template is among them", () => {
    expect(hasMarkup(["4", "2", "<|im_end|>"])).toBe(false);
    expect(hasMarkup(CALL)).toBe(true);
  });

  it("are the tokens of a row with plain spaces between words, across tokens too", () => {
    expect(rowPieces(["The", " cat", " ", "sat", " 4", " 2", "<|im_end|>"]).map(({ text }) => text)).toEqual([
      "The",
      " cat",
      " ",
      "sat",
      " 4",
      "␣2",
      "■ im_end",
    ]);
  });
});
