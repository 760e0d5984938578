// Writes GGUF files as llama.cpp's converter does, for models of the tests.
import type { TransformerWeights } from "../../src/model/folder/checkpoint.ts";
import { toHalfBits } from "../../src/model/folder/halfFloat.ts";
import { parameterLayout } from "../../src/model/transformerConfig.ts";

type Value = number | string | boolean | readonly string[] | readonly number[];

export interface GgufTexts {
  readonly tokens: readonly string[];
  /** 1 an ordinary token, 3 a control token. */
  readonly types: readonly number[];
  readonly merges: readonly string[];
  readonly template: string;
  readonly eos: number;
}

/** Bytes one after the other. */
class Writer {
  readonly bytes: number[] = [];
  number(bytes: number, write: (view: DataView) => void): this {
    const buffer = new ArrayBuffer(bytes);
    write(new DataView(buffer));
    this.bytes.push(...new Uint8Array(buffer));
    return this;
  }
  u32 = (value: number) => this.number(4, (view) => view.setUint32(0, value, true));
  u64 = (value: number) => this.number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  f32 = (value: number) => this.number(4, (view) => view.setFloat32(0, value, true));
  half = (value: number) => this.number(2, (view) => view.setUint16(0, toHalfBits(value), true));
  text(value: string): this {
    const bytes = new TextEncoder().encode(value);
    this.u64(bytes.length);
    for (const byte of bytes) this.bytes.push(byte);
    return this;
  }
  value(value: Value): this {
    if (typeof value === "boolean") return this.u32(7).number(1, (view) => view.setUint8(0, Number(value)));
    if (typeof value === "string") return this.u32(8).text(value);
    if (typeof value === "number") return Number.isInteger(value) ? this.u32(4).u32(value) : this.u32(6).f32(value);
    this.u32(9)
      .u32(typeof value[0] === "string" ? 8 : 4)
      .u64(value.length);
    for (const each of value) typeof each === "string" ? this.text(each) : this.u32(each);
    return this;
  }
}

/** The types that tensors can be written in: the format's number, and values in blocks of so many. */
export const GGUF_TYPES = {
  F32: { id: 0, values: 1, write: (out: Writer, [value = 0]: readonly number[]) => out.f32(value) },
  F16: { id: 1, values: 1, write: (out: Writer, [value = 0]: readonly number[]) => out.half(value) },
  Q4_0: {
    ...{ id: 2, values: 32 },
    write(out: Writer, block: readonly number[]) {
      const scale = Math.max(...block.map(Math.abs)) / 7 || 1;
      out.half(scale);
      writeNibbles(out, (i) => Math.round(block[i]! / scale) + 8);
    },
  },
  Q4_1: {
    ...{ id: 3, values: 32 },
    write(out: Writer, block: readonly number[]) {
      const least = Math.min(...block);
      const scale = (Math.max(...block) - least) / 15 || 1;
      out.half(scale).half(least);
      writeNibbles(out, (i) => Math.round((block[i]! - least) / scale));
    },
  },
  Q8_0: {
    ...{ id: 8, values: 32 },
    write(out: Writer, block: readonly number[]) {
      const scale = Math.max(...block.map(Math.abs)) / 127 || 1;
      out.half(scale);
      for (const value of block) out.bytes.push(Math.round(value / scale) & 255);
    },
  },
} as const;

function writeNibbles(out: Writer, nibbleOf: (i: number) => number): void {
  const bounded = (i: number) => Math.min(15, Math.max(0, nibbleOf(i)));
  for (let i = 0; i < 16; i++) out.bytes.push(bounded(i) | (bounded(i + 16) << 4));
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^model\.embed_tokens\./, "token_embd."],
  [/^model\.norm\./, "output_norm."],
  [/^lm_head\./, "output."],
  [/^model\.layers\.(\d+)\./, "blk.$1."],
  [/input_layernorm/, "attn_norm"],
  [/post_attention_layernorm/, "ffn_norm"],
  [/self_attn\.o_proj/, "attn_output"],
  [/self_attn\.([qkv])_proj/, "attn_$1"],
  [/self_attn\.([qk])_norm/, "attn_$1_norm"],
  [/mlp\.(\w+)_proj/, "ffn_$1"],
];

/** Rows in the order that files of Llama's have: neighbours are turned against each other. */
function neighboursTurned(data: Float32Array, rows: number, heads: number): Float32Array {
  const [columns, headSize] = [data.length / rows, rows / heads];
  const out = new Float32Array(data.length);
  for (let head = 0; head < heads; head++)
    for (let i = 0; i < headSize / 2; i++)
      for (const j of [0, 1]) {
        const from = head * headSize + j * (headSize / 2) + i;
        out.set(data.subarray(from * columns, (from + 1) * columns), (head * headSize + 2 * i + j) * columns);
      }
  return out;
}

/** A model as a GGUF file, version 3; rows that are no whole number of blocks stay single precision. */
export function ggufFile(
  { config, weights_N }: TransformerWeights,
  texts: GgufTexts,
  type: keyof typeof GGUF_TYPES = "F32",
  settings: Readonly<Record<string, Value>> = {},
): Uint8Array {
  const arch = config.headNorm ? "qwen3" : config.qkvBias ? "qwen2" : "llama";
  const metadata: Record<string, Value> = {
    "general.architecture": arch,
    [`${arch}.block_count`]: config.layers,
    [`${arch}.context_length`]: config.maxPositions,
    [`${arch}.embedding_length`]: config.hiddenSize,
    [`${arch}.feed_forward_length`]: config.intermediateSize,
    [`${arch}.attention.head_count`]: config.heads,
    [`${arch}.attention.head_count_kv`]: config.kvHeads,
    [`${arch}.attention.key_length`]: config.headSize,
    [`${arch}.attention.layer_norm_rms_epsilon`]: config.rmsNormEps,
    [`${arch}.rope.freq_base`]: config.ropeTheta,
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": texts.tokens,
    "tokenizer.ggml.token_type": texts.types,
    "tokenizer.ggml.merges": texts.merges,
    "tokenizer.ggml.eos_token_id": texts.eos,
    "tokenizer.chat_template": texts.template,
    ...settings,
  };
  const layout = parameterLayout(config);
  const head = new Writer().u32(0x46554747).u32(3).u64(layout.length).u64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) head.text(key).value(value);
  const data = new Writer();
  for (const { name, shape, offset, size } of layout) {
    const own = NAMES.reduce((text, [pattern, by]) => text.replace(pattern, by), name);
    const plain = weights_N.subarray(offset, offset + size);
    const heads = /attn_q\.weight/.test(own) ? config.heads : /attn_k\.weight/.test(own) ? config.kvHeads : 0;
    const values = heads > 0 && arch === "llama" ? neighboursTurned(plain, shape[0]!, heads) : plain;
    const form = shape.length > 1 && shape.at(-1)! % GGUF_TYPES[type].values === 0 ? GGUF_TYPES[type] : GGUF_TYPES.F32;
    head.text(own).u32(shape.length);
    for (const extent of shape.toReversed()) head.u64(extent);
    head.u32(form.id).u64(data.bytes.length);
    for (let i = 0; i < values.length; i += form.values) form.write(data, [...values.subarray(i, i + form.values)]);
    while (data.bytes.length % 32 !== 0) data.bytes.push(0);
  }
  while (head.bytes.length % 32 !== 0) head.bytes.push(0);
  return Uint8Array.from([...head.bytes, ...data.bytes]);
}
