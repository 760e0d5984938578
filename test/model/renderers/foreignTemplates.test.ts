// Chat templates of the kinds that models have, as transformers writes and tokenizes their conversations.
import { describe, expect, it } from "vitest";
import { createTemplateRenderer } from "../../../src/model/renderers/template.ts";
import { BYTE_CHARACTERS, createTokenizer } from "../../../src/model/renderers/tokenizer.ts";
import type { Message } from "../../../src/rl/types.ts";

const MARKS = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>", "<|end|>", "<s>"];
const byteLevel = { type: "ByteLevel", add_prefix_space: false, use_regex: true };
const rendererOf = (source: string, marks: Readonly<Record<string, object>> = {}, ends: readonly string[] = ["<|im_end|>"]) => {
  const added_tokens = MARKS.map((content, i) => ({ id: 256 + i, content, special: content.startsWith("<|"), ...marks[content] }));
  const vocab = Object.fromEntries([...BYTE_CHARACTERS, "ĊĊ"].map((char, i) => [char, i < 256 ? i : 300]));
  const tokenizer = createTokenizer({
    ...{ added_tokens, normalizer: null, pre_tokenizer: { ...byteLevel, use_regex: false }, post_processor: null, decoder: byteLevel },
    model: { type: "BPE", vocab, merges: ["Ċ Ċ"] },
  });
  const renderer = createTemplateRenderer(tokenizer, { source, names: { bos_token: "<s>" }, ends: ends.map((end) => tokenizer.idOf(end)) });
  return { renderer, shown: (ids: readonly number[]) => ids.map((id) => renderer.piece(id)).join("|") };
};
const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });
const call = { id: "call-1", name: "add", arguments: { text: 'a "b" <|im_end|>', list: [1, true] } };

const turn = (inner: string, opening = "") =>
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\n' }}{% if message.role == 'assistant' %}" +
  `${inner}{% else %}{{ message.content }}{% endif %}{{ '<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n${opening}' }}{% endif %}`;
const thinking = turn(
  "{% set content = message.content %}{% set thought = '' %}{% if '</think>' in content %}" +
    "{% set thought = content.split('</think>')[0].split('<think>')[-1].strip('\n') %}{% set content = content.split('</think>')[-1].lstrip('\n') %}{% endif %}" +
    "{{ '<think>\n' + thought + '\n</think>\n\n' + content }}",
);
const calls = (written: string) =>
  turn(
    `{{ message.content }}{% for call in message.tool_calls or [] %}{% set call = call.function %}{{ '\n<tool_call>' }}${written}{{ '</tool_call>' }}{% endfor %}`,
  ).replace("{% for message", "{{ tools or '' }}{% for message");

describe("a turn that the policy is shown or taught", () => {
  it("is what the template writes behind its opening, a thought left empty included", () => {
    const { renderer, shown } = rendererOf(thinking);
    expect(shown(renderer.renderCompletion(assistant("42")))).toBe("<think>|\n\n|</think>|\n\n|4|2|<|im_end|>");
  });

  it("has the thought that a message has, and white space as the template leaves it", () => {
    const { renderer } = rendererOf(thinking);
    expect(renderer.decode(renderer.renderCompletion(assistant("<think>\na b\n</think>\n\n 42")))).toBe(
      "<think>\na b\n</think>\n\n 42<|im_end|>",
    );
    const trimmed = rendererOf(turn("{{ message.content | trim }}")).renderer;
    expect(trimmed.decode(trimmed.renderCompletion(assistant("  42\n")))).toBe("42<|im_end|>");
  });

  it("goes on where the opening has begun the thought already", () => {
    const { renderer, shown } = rendererOf(turn("{{ '<think>\n\n</think>\n\n' + message.content }}", "<think>\n"));
    expect(renderer.decode(renderer.renderPrompt({ messages: [user("a")] }))).toMatch(/<think>\n$/);
    expect(shown(renderer.renderCompletion(assistant("42")))).toBe("\n|</think>|\n\n|4|2|<|im_end|>");
  });

  it("is refused where the template writes another turn than it opens", () => {
    const { renderer } = rendererOf(turn("{{ message.content }}", "<think>\n"));
    expect(() => renderer.renderCompletion(assistant("42"))).toThrow("whose template writes a turn as it asks for one");
  });
});

describe("what ends a turn", () => {
  it("is all that the files name, and what the template closes a turn with", () => {
    const { renderer } = rendererOf(turn("{{ message.content }}"), {}, ["<|end|>", "</think>"]);
    expect(renderer.stopTokens.map((id) => renderer.piece(id))).toEqual(["<|im_end|>", "<|end|>", "</think>"]);
    expect(renderer.parse([52, renderer.stopTokens[2]!]).content).toBe(renderer.piece(52));
    expect(renderer.piece(renderer.renderCompletion(assistant("42")).at(-1)!)).toBe("<|im_end|>");
  });
});

describe("marks that take what is beside them", () => {
  const marks = { "<|im_start|>": { rstrip: true }, "<|im_end|>": { lstrip: true, rstrip: true } };

  it("take white space of the template and of what is said", () => {
    const { renderer } = rendererOf(turn("{{ message.content }}"), marks);
    expect(renderer.decode(renderer.renderPrompt({ messages: [user("\u0085a \n")] }))).toBe(
      "<|im_start|>user\n\u0085a<|im_end|><|im_start|>assistant\n",
    );
  });

  it("are none inside a word, and refused where a word may be said beside them", () => {
    const single = { "<s>": { single_word: true } };
    const shows = (source: string) => rendererOf(source, single).renderer.renderPrompt({ messages: [user("a")] });
    expect(shows("<s> {% for message in messages %}{{ message.content }}<|im_end|>{% endfor %}")).toContain(263);
    expect(shows("b<s> {% for message in messages %}{{ message.content }}<|im_end|>{% endfor %}")).not.toContain(263);
    expect(() => shows("{% for message in messages %}{{ message.content }}<s><|im_end|>{% endfor %}")).toThrow(
      "is a mark only between words",
    );
  });
});

describe("calls that a template writes", () => {
  const message: Message = { ...assistant("Well."), toolCalls: [call] };

  it.each([
    ["as an object", "{{ {'name': call.name, 'arguments': call.arguments} | tojson }}"],
    ["of texts joined", `{{ '{"name": "' + call.name + '", "arguments": ' + call.arguments + '}' }}`],
  ])("are offered where they are read back, %s", (_, written) => {
    const { renderer } = rendererOf(calls(written));
    expect(renderer.lacksTools).toBeUndefined();
    const ids = renderer.renderCompletion(message);
    expect(renderer.parse(ids)).toEqual(message);
    // What stands in a call makes no mark.
    expect(ids.filter((id) => renderer.piece(id) === "<|im_end|>")).toHaveLength(1);
    const results: Message[] = [{ role: "tool", content: "3" }];
    const whole = renderer.renderPrompt({ messages: [user("a"), message, ...results] });
    expect([...renderer.renderPrompt({ messages: [user("a")] }), ...ids, ...renderer.renderTurn(ids, results)]).toEqual(whole);
  });

  it.each([
    [
      "in XML",
      "{{ '<function=' + call.name + '>' }}{% for key, value in call.arguments | items %}{{ '<parameter=' + key + '>' + (value | string) + '</parameter>' }}{% endfor %}",
    ],
    ["as a list", "{{ [{'name': call.name, 'arguments': call.arguments}] | tojson }}"],
    ["by other names", "{{ {'name': call.name, 'parameters': call.arguments} | tojson }}"],
    ["without their arguments", "{{ {'name': call.name} | tojson }}"],
  ])("are refused in a sentence where they are not, %s", (_, written) => {
    const { renderer } = rendererOf(calls(written));
    expect(renderer.lacksTools).toBe(
      "its chat template's calls are not read back here as JSON with a name and arguments, or what tools answer is not written",
    );
    expect(() => renderer.renderCompletion(message)).toThrow("must be a model that can be offered tools for a task with tools");
  });
});
