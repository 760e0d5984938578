// The shipped tokenizer, read from disk.
import { readFileSync } from "node:fs";
import { createTokenizer, type Tokenizer } from "../../src/model/tokenizer.ts";

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../public/tokenizers/lab/${name}`, import.meta.url), "utf8"));
}

/** The tokenizer under public/tokenizers/lab. */
export function labTokenizer(): Tokenizer {
  return createTokenizer(readJson("tokenizer.json"), readJson("tokenizer_config.json"));
}
