import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createChatRenderer } from "../../../src/model/renderers/chat.ts";
import type { Message } from "../../../src/rl/types.ts";
import { labTokenizer } from "./tokenizerFixture.ts";

const tokenizer = labTokenizer();
const renderer = createChatRenderer(tokenizer);
const call = (inner: string) => [
  tokenizer.markId("<tool_call>"),
  ...tokenizer.encodePlain(inner),
  tokenizer.markId("</tool_call>"),
  renderer.stopTokens[0]!,
];

describe("a turn with tool calls", () => {
  it("is read back as it was rendered", () => {
    const json = fc.dictionary(
      fc.string({ maxLength: 6 }),
      fc.oneof(fc.integer(), fc.string({ unit: "grapheme", maxLength: 8 }), fc.boolean()),
    );
    // A name of __proto__ is no key of a plain object.
    const given = json.filter((value) => !("__proto__" in value) || Object.keys(value).includes("__proto__"));
    const calls = fc.array(fc.tuple(fc.string({ minLength: 1, maxLength: 8 }), given), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 12 }).filter((text) => !text.endsWith("\n")),
        calls,
        (content, named) => {
          const toolCalls = named.map(([name, args], i) => ({ id: `call-${i + 1}`, name, arguments: args }));
          const message: Message = { role: "assistant", content, toolCalls };
          expect(renderer.parse(renderer.renderCompletion(message))).toEqual(message);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ["{nonsense", 'tool call 1 must be JSON, got "{nonsense"'],
    ['{"arguments": {}}', "tool call 1 must have a name, got none"],
    ['{"name": 7, "arguments": {}}', "tool call 1 must have a name, got 7"],
    ['{"name": "add", "arguments": [1]}', "tool call 1 must have arguments that are an object, got [1]"],
    ['{"name": "add"}', "tool call 1 must have arguments that are an object, got none"],
    ["null", "tool call 1 must have a name, got none"],
  ])("keeps the text of %s and says what is wrong", (inner, problem) => {
    const message = renderer.parse(call(inner));
    expect(message.toolCalls).toBeUndefined();
    expect(message.toolCallProblems).toEqual([problem]);
    expect(message.content).toBe(`<tool_call>${inner}</tool_call>`);
  });

  it("says so where a call is not closed", () => {
    const message = renderer.parse(call('{"name": "add", "arguments": {}}').slice(0, -2));
    expect(message.toolCallProblems).toEqual(["tool call 1 must be closed, got the end of the turn"]);
  });

  it("takes the letters of a mark as text", () => {
    const letters = tokenizer.encodePlain('<tool_call>{"name": "add", "arguments": {}}</tool_call>');
    expect(renderer.parse(letters)).toEqual({ role: "assistant", content: '<tool_call>{"name": "add", "arguments": {}}</tool_call>' });
  });
});

describe("what follows a turn", () => {
  const opening: Message[] = [{ role: "user", content: "Hi" }];
  const tools = [{ name: "add", description: "", parameters: { type: "object" } }];
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\n x", "<|im_end|>", "<tool_response>", "37"));

  it("stands on what was sampled exactly as a whole prompt shows it", () => {
    const said = fc.record({ content: text, results: fc.array(text, { maxLength: 3 }), follow: fc.boolean() });
    fc.assert(
      fc.property(said, ({ content, results, follow }) => {
        const message: Message = { role: "assistant", content };
        const added: Message[] = [
          ...results.map((result): Message => ({ role: "tool", content: result })),
          ...(follow || results.length === 0 ? [{ role: "user", content: "More" } as const] : []),
        ];
        const sampled = renderer.renderCompletion(message);
        const turnByTurn = [...renderer.renderPrompt({ messages: opening, tools }), ...sampled, ...renderer.renderTurn(sampled, added)];
        expect(turnByTurn).toEqual(renderer.renderPrompt({ messages: [...opening, message, ...added], tools }));
      }),
      { numRuns: 200 },
    );
  });

  it("closes a turn that the policy did not close", () => {
    const cut = renderer.renderCompletion({ role: "assistant", content: "Ho" }).slice(0, -1);
    expect(renderer.renderTurn(cut, [])[0]).toBe(renderer.stopTokens[0]);
  });
});
