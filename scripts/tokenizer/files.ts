// The tokenizer as the two files every Hugging Face library reads: 16 marks, 256 bytes, the merges.
import { BYTE_CHARACTERS } from "../../src/model/renderers/tokenizer.ts";
import { PRE_TOKEN_PATTERN } from "./bytePairs.ts";
import { CHAT_TEMPLATE } from "./chatTemplate.ts";

/** Marks in id order. Special ones vanish when text is decoded for people; the others are part of an answer. */
export const MARKS: readonly { readonly content: string; readonly special: boolean }[] = [
  { content: "<|endoftext|>", special: true },
  { content: "<|im_start|>", special: true },
  { content: "<|im_end|>", special: true },
  { content: "<think>", special: false },
  { content: "</think>", special: false },
  { content: "<tool_call>", special: false },
  { content: "</tool_call>", special: false },
  { content: "<tool_response>", special: false },
  { content: "</tool_response>", special: false },
  { content: "<answer>", special: false },
  { content: "</answer>", special: false },
  { content: "<search>", special: false },
  { content: "</search>", special: false },
  { content: "<information>", special: false },
  { content: "</information>", special: false },
  { content: "<|reserved|>", special: true },
];

/** Size of the whole vocabulary: a multiple of 64 suits every kernel. */
export const VOCABULARY_SIZE = 512;
export const MERGE_COUNT = VOCABULARY_SIZE - MARKS.length - 256;

const addedToken = ({ content, special }: (typeof MARKS)[number]) => ({
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special,
});

function vocabularyOf(merges: readonly string[]): Record<string, number> {
  const entries = [...MARKS.map(({ content }) => content), ...BYTE_CHARACTERS, ...merges.map((pair) => pair.replace(" ", ""))];
  return Object.fromEntries(entries.map((entry, id) => [entry, id]));
}

/** tokenizer.json of a byte-level BPE with these merges. */
export function tokenizerJson(merges: readonly string[]) {
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: MARKS.map((mark, id) => ({ id, ...addedToken(mark) })),
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: PRE_TOKEN_PATTERN }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: vocabularyOf(merges),
      merges,
    },
  };
}

/** tokenizer_config.json, with the chat template. */
export function tokenizerConfig() {
  return {
    tokenizer_class: "PreTrainedTokenizerFast",
    added_tokens_decoder: Object.fromEntries(MARKS.map((mark, id) => [String(id), addedToken(mark)])),
    bos_token: null,
    eos_token: "<|im_end|>",
    pad_token: "<|endoftext|>",
    unk_token: null,
    clean_up_tokenization_spaces: false,
    model_max_length: 1024,
    chat_template: CHAT_TEMPLATE,
  };
}
