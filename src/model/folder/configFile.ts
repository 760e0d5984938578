// config.json of a Llama folder, both ways. Transformers 4 keeps `rope_theta` and `torch_dtype` at the
// top, transformers 5 `rope_parameters` and `dtype`; both are read and both are written. A setting
// this transformer does not compute is refused by name, because ignoring it would give other logits.

import { parseOrThrow } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import type { FloatDtype } from "./safetensors.ts";

/** Ids that generation needs; null where the model has none. */
export interface SpecialTokenIds {
  readonly bos: number | null;
  readonly eos: number | null;
  readonly pad: number | null;
}

const dtypeNames: Readonly<Record<FloatDtype, string>> = { F32: "float32", F16: "float16", BF16: "bfloat16" };

const count = z.int().min(1);
const positive = z.number().positive();
/** A setting that must have this one value, where given: the architecture that is computed here. */
const always = <Value extends string | number | boolean | null>(value: Value) => z.literal(value).nullish();

const settingsSchema = z.object({
  model_type: z.literal("llama"),
  hidden_act: always("silu"),
  attention_bias: always(false),
  mlp_bias: always(false),
  rope_scaling: always(null),
  quantization_config: always(null),
  sliding_window: always(null),
  partial_rotary_factor: always(1),
  vocab_size: count,
  hidden_size: count,
  intermediate_size: count,
  num_hidden_layers: count,
  num_attention_heads: count,
  num_key_value_heads: count.nullish(),
  head_dim: count.nullish(),
  max_position_embeddings: count.nullish(),
  rms_norm_eps: positive.nullish(),
  rope_theta: positive.nullish(),
  rope_parameters: z.object({ rope_type: always("default"), partial_rotary_factor: always(1), rope_theta: positive.nullish() }).nullish(),
  tie_word_embeddings: z.boolean().nullish(),
});

/**
 * The shape of the transformer a config.json describes, with transformers' defaults for what is left out;
 * never with a value head. Throws "config.json: <setting> must be ..., got ...".
 */
export function readConfigFile(text: string): TransformerConfig {
  try {
    return shapeOf(parseOrThrow(settingsSchema, JSON.parse(text)));
  } catch (error) {
    throw new Error(
      `config.json: ${error instanceof SyntaxError ? "not JSON, " : ""}${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function shapeOf(settings: z.output<typeof settingsSchema>): TransformerConfig {
  const { hidden_size: hiddenSize, num_attention_heads: heads, head_dim } = settings;
  const kvHeads = settings.num_key_value_heads ?? heads;
  if (heads % kvHeads !== 0) throw new Error(`num_key_value_heads must be a divisor of num_attention_heads ${heads}, got ${kvHeads}`);
  if (head_dim == null && hiddenSize % heads !== 0)
    throw new Error(`hidden_size must be a multiple of num_attention_heads ${heads}, got ${hiddenSize}`);
  const headSize = head_dim ?? hiddenSize / heads;
  if (headSize % 2 !== 0) throw new Error(`head_dim must be even, got ${headSize}`);
  return {
    vocabularySize: settings.vocab_size,
    hiddenSize,
    layers: settings.num_hidden_layers,
    heads,
    kvHeads,
    headSize,
    intermediateSize: settings.intermediate_size,
    ropeTheta: settings.rope_parameters?.rope_theta ?? settings.rope_theta ?? 10_000,
    rmsNormEps: settings.rms_norm_eps ?? 1e-6,
    tiedEmbeddings: settings.tie_word_embeddings ?? false,
    maxPositions: settings.max_position_embeddings ?? 2048,
    valueHead: false,
  };
}

/** config.json of this transformer; the value head is not part of it. */
export function writeConfigFile(config: TransformerConfig, dtype: FloatDtype, ids: SpecialTokenIds): string {
  const settings = {
    architectures: ["LlamaForCausalLM"],
    model_type: "llama",
    vocab_size: config.vocabularySize,
    hidden_size: config.hiddenSize,
    intermediate_size: config.intermediateSize,
    num_hidden_layers: config.layers,
    num_attention_heads: config.heads,
    num_key_value_heads: config.kvHeads,
    head_dim: config.headSize,
    hidden_act: "silu",
    max_position_embeddings: config.maxPositions,
    rms_norm_eps: config.rmsNormEps,
    rope_theta: config.ropeTheta,
    rope_scaling: null,
    rope_parameters: { rope_type: "default", rope_theta: config.ropeTheta },
    tie_word_embeddings: config.tiedEmbeddings,
    attention_bias: false,
    attention_dropout: 0,
    mlp_bias: false,
    initializer_range: 0.02,
    pretraining_tp: 1,
    use_cache: true,
    bos_token_id: ids.bos,
    eos_token_id: ids.eos,
    pad_token_id: ids.pad,
    dtype: dtypeNames[dtype],
    torch_dtype: dtypeNames[dtype],
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}
