import { describe, expect, it } from "vitest";
import { rowTexts } from "../../../../../src/ui/step/rollouts/group/rowTexts.ts";

const said = (...texts: readonly string[]) => rowTexts(texts.map((text) => ({ pieces: [text], sampled: [1] })));

describe("the lines of a group", () => {
  it("are the completions, spaces between digits visible and marks left out", () => {
    expect(rowTexts([{ pieces: ["<answer>", "4", " 2", "</answer>", "<|im_end|>"], sampled: [1, 1, 1, 1, 1] }])).toEqual(["4␣2"]);
  });

  it("are what the policy said in its turns, without what it was told between them", () => {
    const pieces = ["adi", "<|im_end|>", "user", "0 in place", "assistant", "<answer>", "mi", "t", "<|im_end|>"];
    expect(rowTexts([{ pieces, sampled: [1, 1, 0, 0, 0, 1, 1, 1, 1] }])).toEqual(["adi → mit"]);
  });

  it("are the calls with what came of them in place of their markup", () => {
    const call = (given: string, result: string, failed = false) => ({ name: "calculate", given, result, failed });
    const one = (...calls: readonly ReturnType<typeof call>[]) => ({
      pieces: ["<tool_call>", '{"name": "calculate"}', "</tool_call>", "4", "2304"],
      sampled: [1, 1, 1, 0, 1],
      report: { metrics: {}, turns: [{ calls }, {}] },
    });
    expect(
      rowTexts([
        one(call('{"expression": "32 * 32"}', "1024")),
        one(call('{"expression": "32 * 3"}', "unknown tool", true)),
        one(call("", "malformed", true), call("{}", "none", true)),
        one(call('{"a": 1, "b": "x"}', "first\nsecond")),
      ]),
    ).toEqual([
      "32 * 32 → 1024 ✓ · 2304",
      "32 * 3 → unknown tool ✗ · 2304",
      "calculate → malformed ✗, calculate → none ✗ · 2304",
      "a 1, b x → first… ✓ · 2304",
    ]);
  });

  it("say what stood in the place of a call that could not be read", () => {
    const calls = [{ name: "", given: "", result: "tool call 1 must be JSON", failed: true }];
    const unread = (...pieces: readonly string[]) => ({
      pieces: ["<tool_call>", ...pieces, "<|im_end|>", "not JSON", "<answer>", "2"],
      sampled: [1, ...pieces.map(() => 1), 1, 0, 1, 1],
      report: { metrics: {}, turns: [{ calls }, {}] },
    });
    const frame = ["\n", '{"', "name", '": "', "calculate", '", "', "arguments", '": {"', "expression", '": "'];
    expect(rowTexts([unread(...frame, "71 -", "\n", "+ 2", '"}}', "\n"), unread("seven")])).toEqual([
      "71␣-⏎+␣2 → unreadable ✗ · 2",
      "seven → unreadable ✗ · 2",
    ]);
  });

  it("are of a search the document that fits best, which is not always the first", () => {
    const found = (text: string, score: number) => ({ text, score, matched: [] });
    const documents = [found("Pimol was born in Vason.", 1.13), found("Cumum was born in Zasum.", 2.25)];
    const turn = {
      calls: [
        { name: "search", given: '{"query":"Cumum born"}', result: "Pimol was born in Vason.\nCumum was born in Zasum.", failed: false },
      ],
      views: [{ kind: "documents", query: "Cumum born", documents }] as const,
    };
    const report = { metrics: {}, turns: [turn, {}] };
    expect(rowTexts([{ pieces: ["x", "y", "Zasum"], sampled: [1, 0, 1], report }])).toEqual([
      "Cumum born → Cumum was born in Zasum. ✓ · Zasum",
    ]);
  });

  it("name the expert that was asked, what it said, and what the policy made of it", () => {
    const report = { metrics: {}, turns: [{ views: [{ kind: "expert", name: "Ada", query: "44 * 43", price: 1 }] as const }, {}] };
    expect(rowTexts([{ pieces: ["x", "1892", "189"], sampled: [1, 0, 1], report }])).toEqual(["Ada: 44 * 43 → 1892 · 189"]);
  });

  it("leave out a long beginning that all share, and keep a little of it", () => {
    const call = '{"name":"calculate","arguments":{"expression":"';
    expect(said(`${call}1+2"}}`, `${call}1-2"}}`, `${call}1+2"}}`)).toEqual(['…on":"1+2"}}', '…on":"1-2"}}', '…on":"1+2"}}']);
  });

  it("begin with the turn in which they part, where that is near", () => {
    const turns = (second: string) => ({ pieces: ["a long first turn", "told", second], sampled: [1, 0, 1] });
    expect(rowTexts([turns("Rated born"), turns("Lated born")])).toEqual(["…Rated born", "…Lated born"]);
  });

  it("are whole where the beginning is short, where all are equal and where one is alone", () => {
    expect(said("the sum is 12", "the sum is 13")).toEqual(["the sum is 12", "the sum is 13"]);
    const long = "one and the same long answer";
    expect(said(long, long)[0]).toBe("one and the same long answer");
    expect(said(long)[0]).toBe("one and the same long answer");
  });

  it("show where a completion ends that is the beginning of the others", () => {
    expect(said("abcdefghijklmnopqrstuv", "abcdefghijklmnopqrstuvwxyz")).toEqual(["…qrstuv", "…qrstuvwxyz"]);
  });

  it("hold 160 characters at most", () => {
    expect(said("x".repeat(400))[0]).toHaveLength(160);
  });
});
