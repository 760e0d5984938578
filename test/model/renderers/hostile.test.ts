// Files of models that somebody made to be read for ever, or to take all memory: each ends within a moment, with a sentence that names
// the field, the rule and the value.
import { describe, expect, it } from "vitest";
import { readModelConfig } from "../../../src/model/folder/configFile.ts";
import { readTemplate } from "../../../src/model/renderers/jinja.ts";
import { compilePattern, patternFor } from "../../../src/model/renderers/pattern.ts";
import { BYTE_CHARACTERS, createTokenizer } from "../../../src/model/renderers/tokenizer.ts";

const SHAPE = { model_type: "llama", vocab_size: 8, hidden_size: 8, intermediate_size: 8, num_hidden_layers: 1, num_attention_heads: 2 };

describe("a model's files made to harm", () => {
  it.each([
    ["num_hidden_layers", 1e9, "config.json: num_hidden_layers must be <= 1024, got 1000000000"],
    ["vocab_size", 2 ** 31, "config.json: vocab_size must be <= 4194304, got 2147483648"],
    ["hidden_size", 2 ** 40, "hidden_size must be <= 4194304"],
    ["num_attention_heads", 2 ** 30, "num_attention_heads must be <= 4194304"],
    ["head_dim", 2 ** 30, "head_dim must be <= 4194304"],
    ["intermediate_size", 1e15, "intermediate_size must be <= 4194304"],
    ["head_dim", 2 ** 20, "config.json: head_dim must be <= 1024, got 1048576"],
    ["hidden_size", 2 ** 22, "config.json: head_dim must be <= 1024, got 2097152"],
    ["rope_theta", 1e-300, "config.json: rope_theta must be >= 1, got 1e-300"],
    ["max_position_embeddings", 2 ** 40, "max_position_embeddings must be <= 16777216"],
  ])("have no more of %s than a model can", (field, value, sentence) => {
    expect(() => readModelConfig(JSON.stringify({ ...SHAPE, [field]: value }))).toThrow(sentence);
  });

  it.each([
    [{ a: 2 ** 31 }, [], "tokenizer.json: ids must be whole numbers from 0 to 4194304, got 2147483648"],
    [{ a: -1 }, [], "got -1"],
    [{ a: 0.5 }, [], "got 0.5"],
    [{ a: 0 }, [{ id: 1e300, content: "<x>", special: true }], "got 1e+300"],
  ])("have no ids that a table cannot hold: %j %j", (vocab, added_tokens, sentence) => {
    expect(() => createTokenizer({ added_tokens, model: { vocab, merges: [] } })).toThrow(sentence);
  });

  it.each([
    ["a long range", "{% for i in range(10**9) %}x{% endfor %}"],
    ["a longer one", "{{ range(1000000000) | length }}"],
    ["one that begins anywhere", "{{ range(-1000000000, 5) | length }}"],
    ["a range without an end", "{{ range(0, 5, 0) }}"],
    ["nested loops", `${"{% for a in range(1000) %}".repeat(4)}x${"{% endfor %}".repeat(4)}`],
    ["nested loops over one list", `{% set r = range(1000) %}${"{% for a in r %}".repeat(4)}${"{% endfor %}".repeat(4)}`],
    ["a text that doubles", `{% set t = namespace(x="x") %}{% for i in range(60) %}{% set t.x = t.x ~ t.x %}{% endfor %}{{ t.x }}`],
    [
      "lists that hold themselves' halves twice",
      "{% set n = namespace(x=['a']) %}{% for i in range(60) %}{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x | tojson }}",
    ],
    [
      "the same of objects",
      "{% set n = namespace(x={}) %}{% for i in range(60) %}{% set n.x = {'a': n.x, 'b': n.x} %}{% endfor %}{{ n.x }}",
    ],
    [
      "a long text that is gone over again and again",
      "{% set n = namespace(x='ab') %}{% for i in range(20) %}{% set n.x = n.x + n.x %}{% endfor %}{% for i in range(60000) %}{% set y = n.x | upper %}{% endfor %}",
    ],
    ["blanks without an end", `{{ 1${" ".repeat(200_000)}x }}`],
    ["parts without an end", "{{ 1 }}".repeat(50_000)],
    ["brackets without an end", `{{ ${"(".repeat(50_000)}1${")".repeat(50_000)} }}`],
    ["a macro that calls itself", "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}"],
  ])("have no template with %s", (_, source) => {
    const began = performance.now();
    expect(() => readTemplate(source)({ messages: [] })).toThrow(/^checkpoint must be a model whose chat template (?!.*call stack)/);
    // Only to tell seconds from for ever.
    expect(performance.now() - began).toBeLessThan(60_000);
  });

  it("say no more than a few lines of their own", () => {
    const source = "{% set n = namespace(x='ab') %}{% for i in range(20) %}{% set n.x = n.x + n.x %}{% endfor %}{{ raise_exception(n.x) }}";
    expect(() => readTemplate(source)({})).toThrow(
      /^checkpoint must be a model whose chat template writes this conversation: (ab){1,200}a?\.\.\.$/,
    );
  });

  it("have templates with the ranges and loops that templates have", () => {
    const source = "{% for i in range(3) %}{{ i }}{% endfor %}{% for i in range(5, 1, -2) %}{{ i }}{% endfor %}{{ range(2, 4) | length }}";
    expect(readTemplate(source)({})).toBe("012532");
  });

  it.each([
    [[{ id: 1, content: "" }], [], "tokenizer.json: added_tokens.0 must have an id and a content that is not empty"],
    [[null], [], "added_tokens.0 must have"],
    [[], null, "tokenizer.json: model.merges must be a list of texts or of pairs of them, got null"],
    [[], ["a b", ["a", "b"]], "model.merges must be"],
    [[], [1, 2], "model.merges must be"],
  ])("have no marks or merges that are none: %j %j", (added_tokens, merges, sentence) => {
    expect(() => createTokenizer({ added_tokens, model: { vocab: {}, merges } })).toThrow(sentence);
  });

  it.each([
    ["a replacement", { type: "Replace", pattern: { String: "h" }, content: "h".repeat(20_000) }],
    ["a long beginning", { type: "Prepend", prepend: "x".repeat(20_000) }],
    ["many steps", { type: "Sequence", normalizers: Array(30).fill({ type: "Replace", pattern: { String: "h" }, content: "hh" }) }],
  ])("have no normalizer that makes a text ever longer by %s", (_, normalizer) => {
    const vocab = Object.fromEntries(BYTE_CHARACTERS.map((char, id) => [char, id]));
    const json = {
      added_tokens: [],
      decoder: { type: "ByteLevel" },
      normalizer,
      pre_tokenizer: { type: "ByteLevel" },
      model: { vocab, merges: [] },
    };
    expect(() => createTokenizer(json).encodePlain("hhh")).toThrow(
      /tokenizer\.json: a normalizer must make at most \d+ signs of \d+, got \d+/,
    );
  });

  it("have no pattern longer than a model's", () => {
    expect(() => compilePattern("(".repeat(50_000))).toThrow("has more than 4096 signs, which is not read here");
  });

  it.each([
    "(a+)+$",
    "(a*)*b",
    "(a|a)*$",
    "(?:a|aa)+$",
    "(?:(?:a{1,30}){1,30}){1,30}b",
    "((a?){30}){30}a",
    "(.*a){20}",
    "(?=(a+)+$)",
    "([a-z]+)*\\d",
    "(?:\\s*\\w*)*x",
    "a*a*a*a*a*a*b",
    "a?".repeat(32),
    "(?:a|aa)".repeat(30),
    "(?:a?b?)?".repeat(12),
  ])("have no pattern that matches for ever: %s", (source) => {
    expect(() => compilePattern(source)).toThrow(
      /tokenizer\.json: the pattern ".*" has .* which may match for ever, which is not read here/,
    );
  });

  it.each([
    ["a*b", "a", 200_000],
    ["a*a*b", "a", 5000],
    ["x|\\s*\\s*[\\r\\n]+y", " ", 1000],
    ["(?:ab){2,}c", "ab", 100_000],
  ])("have no pattern that matches a text for ever: %s", (source, text, times) => {
    expect(() => patternFor(source)(text.repeat(times))).toThrow(/which may match for ever, which is not read here/);
    expect(patternFor(source)(`${text.repeat(100)}.`.repeat(100)).flags).toBe("gv");
  });

  it.each([
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}|\\s+",
    "\\d{1,3}(?=(?:\\d{3})*\\b)".replace("\\b", "(?!\\d)"),
  ])("may have the patterns of models: %s", (source) => {
    expect(compilePattern(source).flags).toBe("gv");
    // A page of one letter, of blanks and of lines.
    for (const sign of ["a", "A", "語", " ", "\n", "-"]) expect(patternFor(source)(sign.repeat(2000)).flags).toBe("gv");
  });
});
