// A GGUF file as what a Hugging Face folder holds: tensors under Hugging Face's names, and the texts of config.json,
// tokenizer.json and tokenizer_config.json made of the file's metadata. Architectures are those of configFile.ts; what
// a file asks for beyond them is refused by name.
import { showValue } from "../../protocol/problems.ts";
import type { StoredTensor } from "./ggmlTypes.ts";
import type { GgufHeader, GgufValue } from "./gguf.ts";
import type { FileParts } from "./modelFolder.ts";

const ARCHITECTURES = ["llama", "qwen2", "qwen3"] as const;

/** GGUF's names without their layer, and Hugging Face's. */
const OF_MODEL: Readonly<Record<string, string>> = {
  token_embd: "model.embed_tokens",
  output_norm: "model.norm",
  output: "lm_head",
};
const OF_LAYER: Readonly<Record<string, string>> = {
  attn_norm: "input_layernorm",
  ffn_norm: "post_attention_layernorm",
  attn_q: "self_attn.q_proj",
  attn_k: "self_attn.k_proj",
  attn_v: "self_attn.v_proj",
  attn_output: "self_attn.o_proj",
  attn_q_norm: "self_attn.q_norm",
  attn_k_norm: "self_attn.k_norm",
  ffn_gate: "mlp.gate_proj",
  ffn_up: "mlp.up_proj",
  ffn_down: "mlp.down_proj",
};

/** What splits a text before byte pairs are merged, by the name that files give it (llama.cpp, llama-vocab.cpp). */
const byteLevel = (splits: boolean) => ({ type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: splits });
const QWEN_WORDS =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const PRE_TOKENIZERS: Readonly<Record<string, { readonly normalizer: unknown; readonly parts: readonly unknown[] }>> = {
  "gpt-2": { normalizer: null, parts: [byteLevel(true)] },
  smollm: { normalizer: null, parts: [{ type: "Digits", individual_digits: true }, byteLevel(true)] },
  qwen2: {
    normalizer: { type: "NFC" },
    parts: [{ type: "Split", pattern: { Regex: QWEN_WORDS }, behavior: "Isolated", invert: false }, byteLevel(false)],
  },
};

/** Types of tokens that stand for themselves: control tokens, and those somebody added. */
const CONTROL = 3;
const USER_DEFINED = 4;

const fail = (fault: string): never => {
  throw new Error(`gguf: ${fault}`);
};

interface Settings {
  readonly text: (key: string) => string;
  readonly number: (key: string, otherwise?: number) => number;
  readonly texts: (key: string) => readonly string[];
}

function settingsOf({ metadata }: GgufHeader): Settings {
  const required = (key: string): GgufValue => metadata.get(key) ?? fail(`the setting ${key} is missing`);
  return {
    text(key) {
      const value = required(key);
      return typeof value === "string" ? value : fail(`${key} must be a text, got ${showValue(value)}`);
    },
    number(key, otherwise) {
      const value = otherwise === undefined ? required(key) : (metadata.get(key) ?? otherwise);
      // A setting of single precision is the decimal number that it was written as.
      return typeof value === "number" ? Number(value.toPrecision(7)) : fail(`${key} must be a number, got ${showValue(value)}`);
    },
    texts(key) {
      const value = required(key);
      const isTexts = Array.isArray(value) && value.every((each) => typeof each === "string");
      return isTexts ? (value as readonly string[]) : fail(`${key} must be a list of texts`);
    },
  };
}

function architectureOf({ text }: Settings): (typeof ARCHITECTURES)[number] {
  const name = text("general.architecture");
  return (
    ARCHITECTURES.find((each) => each === name) ?? fail(`general.architecture must be one of ${ARCHITECTURES.join(", ")}, got ${name}`)
  );
}

/** Settings of an architecture that are read, that change nothing, or that must have one value. */
const READ = [
  "embedding_length",
  "feed_forward_length",
  "block_count",
  "attention.head_count",
  "attention.head_count_kv",
  "context_length",
];
const READ_TOO = ["attention.key_length", "attention.layer_norm_rms_epsilon", "rope.freq_base", "vocab_size"];
const FIXED: Readonly<Record<string, (headSize: number) => unknown>> = {
  "rope.scaling.type": () => "none",
  "rope.dimension_count": (headSize) => headSize,
  "attention.value_length": (headSize) => headSize,
};

function checkComputed({ metadata }: GgufHeader, type: string, headSize: number): void {
  for (const [key, value] of metadata) {
    const name = key.startsWith(`${type}.`) ? key.slice(type.length + 1) : undefined;
    if (name === undefined || READ.includes(name) || READ_TOO.includes(name)) continue;
    const wanted = FIXED[name]?.(headSize) ?? fail(`the setting ${key} is not computed here, got ${showValue(value)}`);
    if (value !== wanted) fail(`${key} must be ${wanted}, got ${showValue(value)}`);
  }
}

/** config.json of the model in a GGUF file. Throws "gguf: ..." naming what is missing or not computed here. */
export function ggufConfig(header: GgufHeader): string {
  const settings = settingsOf(header);
  const type = architectureOf(settings);
  const number = (key: string, otherwise?: number) => settings.number(`${type}.${key}`, otherwise);
  const heads = number("attention.head_count");
  const width = number("embedding_length");
  const headSize = number("attention.key_length", width / heads);
  checkComputed(header, type, headSize);
  const bos = header.metadata.get(BOS) ?? null;
  return JSON.stringify({
    model_type: type,
    vocab_size: settings.texts("tokenizer.ggml.tokens").length,
    hidden_size: width,
    intermediate_size: number("feed_forward_length"),
    num_hidden_layers: number("block_count"),
    num_attention_heads: heads,
    num_key_value_heads: number("attention.head_count_kv", heads),
    head_dim: headSize,
    max_position_embeddings: number("context_length"),
    rms_norm_eps: number("attention.layer_norm_rms_epsilon"),
    rope_theta: number("rope.freq_base", 10_000),
    tie_word_embeddings: !header.tensors.some(({ name }) => name === "output.weight"),
    bos_token_id: bos,
    eos_token_id: endsOf(header),
  });
}

const idKey = (name: string) => `tokenizer.ggml.${name}_token_id`;
const BOS = idKey("bos");
const EOS = idKey("eos");
const PAD = idKey("padding");
const UNKNOWN = idKey("unknown");

/** What many models end a text with beside a turn. */
const END_OF_TEXT = "<|endoftext|>";

/** Ids that end a text: those that the metadata names, and END_OF_TEXT, as llama.cpp has it. */
function endsOf(header: GgufHeader): readonly number[] {
  const { number, texts } = settingsOf(header);
  const named = ["eot", "eom"].map((name) => header.metadata.get(idKey(name)));
  const ids = [number(EOS), ...named.filter((id) => typeof id === "number"), texts("tokenizer.ggml.tokens").indexOf(END_OF_TEXT)];
  return [...new Set(ids)].filter((id) => id >= 0);
}

function nameOf(name: string): string {
  const [, layer, part, kind] = /^(?:blk\.(\d+)\.)?(\w+)\.(weight|bias)$/.exec(name) ?? [];
  const known = part === undefined ? undefined : (layer === undefined ? OF_MODEL : OF_LAYER)[part];
  if (known === undefined) return fail(`tensor ${showValue(name)} is none of this model's`);
  return `${layer === undefined ? "" : `model.layers.${layer}.`}${known}.${kind}`;
}

function checkHeads([rows = 1]: readonly number[], heads: number): void {
  if (!Number.isInteger(rows / heads / 2)) fail(`${rows} rows must be ${heads} heads of an even number of rows each`);
}

/**
 * Rows of a projection as Hugging Face has them. Files of Llama's turn neighbouring components of a head against each
 * other, Hugging Face's those half a head apart (`permute` of the converter of llama.cpp).
 */
function halvesApart({ shape, type, bytes }: StoredTensor, heads: number): StoredTensor {
  const [rows = 1] = shape;
  const headSize = rows / heads;
  const half = headSize / 2;
  const rowBytes = bytes.length / rows;
  const out = new Uint8Array(bytes.length);
  for (let row = 0; row < rows; row++) {
    const head = Math.floor(row / headSize);
    const at = row % headSize;
    const from = head * headSize + 2 * (at % half) + Math.floor(at / half);
    out.set(bytes.subarray(from * rowBytes, (from + 1) * rowBytes), row * rowBytes);
  }
  return { shape, type, bytes: out };
}

/** The model's tensors as the file holds them, by Hugging Face's names; their bytes stay in it until they are read. */
export function* ggufStored(file: FileParts, header: GgufHeader): Generator<readonly [string, StoredTensor]> {
  const settings = settingsOf(header);
  const architecture = architectureOf(settings);
  const heads = settings.number(`${architecture}.attention.head_count`);
  const kvHeads = settings.number(`${architecture}.attention.head_count_kv`, heads);
  for (const { name: given, shape, type, begin, end } of header.tensors) {
    const name = nameOf(given);
    const turned = architecture === "llama" && /[qk]_proj\.weight$/.test(name);
    if (turned) checkHeads(shape, name.includes("q_proj") ? heads : kvHeads);
    const read = async () => {
      const bytes = await file.read(begin, end);
      return turned ? halvesApart({ shape, type, bytes }, name.includes("q_proj") ? heads : kvHeads).bytes : bytes;
    };
    yield [name, { shape, type, bytes: new Uint8Array(0), read }];
  }
}

/** tokenizer.json of the model in a GGUF file: byte-level BPE. Throws "gguf: ..." for another tokenizer. */
export function ggufTokenizer(header: GgufHeader): string {
  const settings = settingsOf(header);
  const model = settings.text("tokenizer.ggml.model");
  if (model !== "gpt2") fail(`tokenizer.ggml.model must be gpt2 (byte-level BPE), got ${showValue(model)}`);
  const pre = settings.text("tokenizer.ggml.pre");
  const rule = Object.hasOwn(PRE_TOKENIZERS, pre) ? PRE_TOKENIZERS[pre] : undefined;
  if (!rule) return fail(`tokenizer.ggml.pre must be one of ${Object.keys(PRE_TOKENIZERS).join(", ")}, got ${showValue(pre)}`);
  const tokens = settings.texts("tokenizer.ggml.tokens");
  const types = header.metadata.get("tokenizer.ggml.token_type");
  const kindOf = (id: number) => (Array.isArray(types) ? types[id] : undefined);
  const added = tokens.flatMap((content, id) => {
    const kind = kindOf(id);
    if (kind !== CONTROL && kind !== USER_DEFINED) return [];
    return [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: kind === CONTROL }];
  });
  return JSON.stringify({
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: rule.normalizer,
    pre_tokenizer: { type: "Sequence", pretokenizers: rule.parts },
    post_processor: null,
    decoder: byteLevel(true),
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      vocab: Object.fromEntries(tokens.map((content, id) => [content, id])),
      merges: settings.texts("tokenizer.ggml.merges"),
    },
  });
}

/** tokenizer_config.json of the model in a GGUF file: its chat template, and the tokens that the template may name. */
export function ggufTokenizerConfig(header: GgufHeader): string {
  const { text, texts, number } = settingsOf(header);
  const tokens = texts("tokenizer.ggml.tokens");
  const named = { eos_token: EOS, bos_token: BOS, pad_token: PAD, unk_token: UNKNOWN };
  const given = Object.entries(named).filter(([, key]) => key === EOS || header.metadata.has(key));
  return JSON.stringify({
    tokenizer_class: "PreTrainedTokenizerFast",
    clean_up_tokenization_spaces: false,
    chat_template: text("tokenizer.chat_template"),
    ...Object.fromEntries(given.map(([name, key]) => [name, tokens[number(key)]])),
  });
}
