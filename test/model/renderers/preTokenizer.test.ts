// Tokenizers from elsewhere against the library that made them: every part that splits or normalises a text.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { BYTE_CHARACTERS, createTokenizer } from "../../../src/model/renderers/tokenizer.ts";

interface Reference {
  readonly merges: readonly string[];
  readonly cases: readonly {
    readonly normalizer: unknown;
    readonly pre_tokenizer: unknown;
    readonly texts: readonly string[];
    readonly ids: readonly (readonly number[])[];
  }[];
}

const reference = JSON.parse(readFileSync(new URL("../../reference/tokenizer-ids.json", import.meta.url), "utf8")) as Reference;
const spellings = [...BYTE_CHARACTERS, ...reference.merges.map((merge) => merge.replace(" ", ""))];
const model = { type: "BPE", vocab: Object.fromEntries(spellings.map((spelling, id) => [spelling, id])), merges: reference.merges };
const byteLevel = { type: "ByteLevel", add_prefix_space: false, use_regex: true };
const fileOf = (parts: Readonly<Record<string, unknown>>) => ({
  ...{ added_tokens: [], normalizer: null, pre_tokenizer: byteLevel, post_processor: null, decoder: byteLevel, model },
  ...parts,
});

describe("a tokenizer from elsewhere", () => {
  it("gives the ids that the library of tokenizers gives, for every part and behaviour", () => {
    for (const { normalizer, pre_tokenizer, texts, ids } of reference.cases) {
      const tokenizer = createTokenizer(fileOf({ normalizer, pre_tokenizer }));
      for (const [i, text] of texts.entries())
        expect([text, pre_tokenizer, normalizer, tokenizer.encodePlain(text)]).toEqual([text, pre_tokenizer, normalizer, ids[i]]);
    }
  });

  const split = (Regex: string, behavior = "Isolated") => ({
    type: "Sequence",
    pretokenizers: [{ type: "Split", pattern: { Regex }, behavior, invert: false }, byteLevel],
  });

  it.each([
    [{ pre_tokenizer: { type: "Metaspace" } }, "tokenizer.json: pre_tokenizer must have one ByteLevel"],
    [{ pre_tokenizer: null }, "tokenizer.json: pre_tokenizer must have one ByteLevel"],
    [
      { pre_tokenizer: split("a", "Doubled") },
      'tokenizer.json: behavior must be one of Isolated, Removed, Contiguous, MergedWithPrevious, MergedWithNext, got "Doubled"',
    ],
    [{ pre_tokenizer: split("\\bword") }, 'tokenizer.json: the pattern "\\\\bword" has \\b, which is not read here'],
    [{ pre_tokenizer: split("(a)\\1") }, "has \\1, which is not read here"],
    [{ pre_tokenizer: split("[[:alpha:]]") }, "has a class of POSIX, which is not read here"],
    [{ pre_tokenizer: split("(?x:a b)") }, 'has "(?x", which is not read here'],
    [{ pre_tokenizer: split("(a") }, "has an open bracket, which is not read here"],
    [{ pre_tokenizer: split("\\p{Nonsense}") }, "has \\p{Nonsense}, which is not read here"],
    [
      { pre_tokenizer: { type: "Sequence", pretokenizers: [{ type: "UnicodeScripts" }, byteLevel] } },
      'the pre-tokenizer "UnicodeScripts" is not read here',
    ],
    [{ normalizer: { type: "Nmt" } }, 'tokenizer.json: the normalizer "Nmt" is not read here'],
    [{ model: { ...model, type: "Unigram" } }, 'tokenizer.json: model.type must be "BPE", got "Unigram"'],
    [{ model: { ...model, dropout: 0.1 } }, "tokenizer.json: model.dropout must be left out, got 0.1"],
    [
      { model: { ...model, vocab: { a: 0 }, merges: [], unk_token: "a" } },
      "tokenizer.json: model.vocab must have a token for each byte, lacks 255 of them",
    ],
  ])("refuses %j", (parts, message) => {
    expect(() => createTokenizer(fileOf(parts))).toThrow(message);
  });

  it("drops bytes that its vocabulary lacks, and merges what stands on both sides", () => {
    const { Ċ: _, ...vocab } = model.vocab;
    const ids = createTokenizer(fileOf({ model: { ...model, vocab, merges: ["i n"] }, pre_tokenizer: { ...byteLevel, use_regex: false } }));
    expect(ids.encodePlain("i\nn")).toEqual([model.vocab.in]);
  });
});
