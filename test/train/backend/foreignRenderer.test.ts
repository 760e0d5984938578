// Which tokenizer a checkpoint's folder has, and what ends its turns, is told by its files alone.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { folderOf } from "../../../src/model/folder/modelFolder.ts";
import { BYTE_CHARACTERS } from "../../../src/model/renderers/tokenizer.ts";
import { rendererOf, specialIds } from "../../../src/train/backend/loadRenderer.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { resolveConfig } from "../../support/resolveConfig.ts";

const MARKS = ["<|im_start|>", "<|im_end|>", "<|stop|>"];
const SIZE = 512;
const byteLevel = { type: "ByteLevel", add_prefix_space: false, use_regex: true };
const spellings = [...BYTE_CHARACTERS, ...BYTE_CHARACTERS.map((char) => `${char}${char}`)].slice(0, SIZE - MARKS.length);
const tokenizer = {
  added_tokens: MARKS.map((content, i) => ({ id: SIZE - MARKS.length + i, content, special: true })),
  ...{ normalizer: null, pre_tokenizer: byteLevel, post_processor: null, decoder: byteLevel },
  model: {
    type: "BPE",
    vocab: Object.fromEntries(spellings.map((spelling, id) => [spelling, id])),
    merges: spellings.slice(256).map((spelling) => [...spelling].join(" ")),
  },
};
const TEMPLATE =
  "{% for message in messages %}<|im_start|>{{ message.role + '\n' + message.content }}<|im_end|>{{ '\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}<|im_start|>{{ 'assistant\n' }}{% endif %}";

const own = (name: string) => readFileSync(new URL(`../../../public/models/base/${name}`, import.meta.url), "utf8");

const load = (changes: Readonly<Record<string, unknown>> = {}) => {
  const files: Readonly<Record<string, unknown>> = {
    "config.json": { ...JSON.parse(own("config.json")), vocab_size: SIZE, eos_token_id: SIZE - 2 },
    "tokenizer.json": tokenizer,
    "tokenizer_config.json": { chat_template: TEMPLATE, eos_token: { content: "<|im_end|>" } },
    ...changes,
  };
  const folder = folderOf(async (name) => {
    const file = files[name];
    if (file === undefined) throw new Error(`${name} is missing`);
    return new TextEncoder().encode(typeof file === "string" ? file : JSON.stringify(file));
  });
  const host = createNodeHost({ openModel: async () => folder });
  const config = resolveConfig(
    { task: "boxed-arithmetic", startFrom: "checkpoint", checkpoint: "elsewhere" },
    catalog.tasks,
    catalog.algorithms,
  );
  return rendererOf(config, "chat", host);
};

describe("the tokenizer of a checkpoint from elsewhere", () => {
  it("is its own though it has as many tokens as the lab's", async () => {
    const renderer = await load();
    expect(renderer.vocabularySize).toBe(SIZE);
    expect(renderer.renderPrompt({ messages: [{ role: "user", content: "aa" }] }).slice(0, 2)).toEqual([509, spellings.indexOf("u")]);
  });

  it("is the lab's where its files are", async () => {
    const files = ["tokenizer.json", "tokenizer_config.json"];
    const renderer = await load(Object.fromEntries(files.map((name) => [name, own(name)])));
    expect(renderer.stopTokens).toEqual([2]);
  });

  it("is missed where there is none", () => expect(load({ "tokenizer.json": undefined })).rejects.toThrow("tokenizer.json is missing"));
});

describe("what ends a turn of a checkpoint from elsewhere", () => {
  it.each([
    ["one of config.json", {}, [510]],
    ["another of config.json", { "config.json": { ...JSON.parse(own("config.json")), eos_token_id: [511] } }, [510, 511]],
    ["several of generation_config.json", { "generation_config.json": { eos_token_id: [7, 5] } }, [510, 7, 5]],
    [
      "the tokenizer's, which the template does not write",
      { "tokenizer_config.json": { chat_template: TEMPLATE, eos_token: "<|stop|>" } },
      [510, 511],
    ],
    [
      "an entry of the vocabulary that is no mark",
      { "tokenizer_config.json": { chat_template: TEMPLATE, eos_token: "a" } },
      [510, spellings.indexOf("a")],
    ],
  ])("is %s", async (_, changes, stops) => {
    const renderer = await load(changes);
    expect(renderer.stopTokens).toEqual(stops);
    expect(specialIds("chat", renderer).eos).toEqual(stops.length === 1 ? stops[0] : stops);
  });

  it("is refused where it is no id", () =>
    expect(load({ "generation_config.json": { eos_token_id: ["a"] } })).rejects.toThrow(
      'generation_config.json: eos_token_id must be ids of tokens, got ["a"]',
    ));
});
