// The shipped tokenizer, read from disk.
import { readFileSync } from "node:fs";
import { PreTrainedTokenizer } from "@xenova/transformers";
import { createTokenizer, type Tokenizer } from "../../../src/model/renderers/tokenizer.ts";

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../public/tokenizers/lab/${name}`, import.meta.url), "utf8"));
}

/** The tokenizer under public/tokenizers/lab. */
export function labTokenizer(): Tokenizer {
  return createTokenizer(readJson("tokenizer.json"));
}

/** Ids of a conversation and the opening of an answer by the tokenizer's own chat template, as transformers renders it. */
export function templateIds(messages: readonly unknown[], tools?: readonly unknown[]): readonly number[] {
  const library = new PreTrainedTokenizer(readJson("tokenizer.json") as object, readJson("tokenizer_config.json") as object);
  const options = { tokenize: false, add_generation_prompt: true, ...(tools ? { tools: [...tools] as never } : {}) };
  return library.encode(library.apply_chat_template(messages as never, options) as string, { add_special_tokens: false });
}
