// A tiny model from elsewhere: random weights, a tokenizer of bytes and three marks, and a chat template that puts a
// system turn before a conversation that has none.
import { BYTE_CHARACTERS } from "../../src/model/renderers/tokenizer.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import type { GgufTexts } from "./ggufFile.ts";

const MARKS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];
const MERGES = ["h e", "l l", "he ll", "hell o"];

export const foreignTexts: GgufTexts = {
  tokens: [...MARKS, ...BYTE_CHARACTERS, ...MERGES.map((merge) => merge.replace(" ", ""))],
  types: [...MARKS.map(() => 3), ...BYTE_CHARACTERS.map(() => 1), ...MERGES.map(() => 1)],
  merges: MERGES,
  template:
    "{% for message in messages %}{% if loop.first and message['role'] != 'system' %}{{ '<|im_start|>system\nBe brief.<|im_end|>\n' }}{% endif %}" +
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}{% endfor %}" +
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
  eos: 2,
};

export const foreignConfig: TransformerConfig = {
  ...{ vocabularySize: foreignTexts.tokens.length, hiddenSize: 32, layers: 2, heads: 4, kvHeads: 2, headSize: 8, intermediateSize: 96 },
  ...{ ropeTheta: 100_000, rmsNormEps: 1e-5, tiedEmbeddings: true, qkvBias: false, headNorm: false, maxPositions: 512, valueHead: false },
};
