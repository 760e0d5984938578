// config.json of a folder of Llama's kind (Llama, Qwen2, Qwen3), both ways. Transformers 4 keeps `rope_theta` and `torch_dtype` at the
// top, transformers 5 `rope_parameters` and `dtype`; both are read and both are written. A setting
// this transformer does not compute is refused by name, because ignoring it would give other logits.

import { orElse, parseOrThrow } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { named } from "./modelFolder.ts";
import type { FloatDtype } from "./safetensors.ts";

/** Ids that generation needs; null where the model has none. */
export interface SpecialTokenIds {
  readonly bos: number | null;
  /** Several where each of them ends a text. */
  readonly eos: number | readonly number[] | null;
  readonly pad: number | null;
}

const dtypeNames: Readonly<Record<FloatDtype, string>> = { F32: "float32", F16: "float16", BF16: "bfloat16" };

/** No model has more rows, columns or tokens; what a file says is held to this before anything is made of it. */
const count = z
  .int()
  .min(1)
  .max(2 ** 22);
/** Angles are worked out for each position and pair of it. Known models have up to 256. */
const MOST_HEAD_SIZE = 1024;
const positive = z.number().positive();
/** Below 1 positions would turn ever faster. */
const theta = z.number().min(1).nullish();
/** A setting that must have this one value, where given: the architecture that is computed here. */
const always = <Value extends string | number | boolean | null>(value: Value) => z.literal(value).nullish();

/**
 * The model types that are computed here: the class transformers has for each, what sets it apart from Llama, and what it takes
 * for settings that are left out (kvHeads null: as many as heads; headSize null: the width divided by the heads).
 */
const MODEL_TYPES = {
  llama: { class: "LlamaForCausalLM", qkvBias: false, headNorm: false, maxPositions: 2048, kvHeads: null, headSize: null },
  qwen2: { class: "Qwen2ForCausalLM", qkvBias: true, headNorm: false, maxPositions: 32_768, kvHeads: 32, headSize: null },
  qwen3: { class: "Qwen3ForCausalLM", qkvBias: false, headNorm: true, maxPositions: 32_768, kvHeads: 32, headSize: 128 },
} as const;

type ModelType = keyof typeof MODEL_TYPES;
const TYPE_NAMES = Object.keys(MODEL_TYPES) as [ModelType, ...ModelType[]];

/** Settings of other architectures that scale or bound what is computed, where they ask for it. */
const NEUTRAL = {
  logits_scaling: 1,
  logit_scale: 1,
  embedding_multiplier: 1,
  residual_multiplier: 1,
  attention_multiplier: null,
  final_logit_softcapping: null,
  attn_logit_softcapping: null,
  clip_qkv: null,
  query_pre_attn_scalar: null,
  num_local_experts: null,
};

const settingsSchema = z.object({
  ...Object.fromEntries(Object.entries(NEUTRAL).map(([name, value]) => [name, always(value)])),
  model_type: z.enum(TYPE_NAMES),
  hidden_act: always("silu"),
  attention_bias: always(false),
  mlp_bias: always(false),
  rope_scaling: always(null),
  quantization_config: always(null),
  // Qwen's files name a window that they do not use.
  sliding_window: count.nullish(),
  use_sliding_window: always(false),
  layer_types: z.array(z.literal("full_attention")).nullish(),
  partial_rotary_factor: always(1),
  vocab_size: count,
  hidden_size: count,
  intermediate_size: count,
  num_hidden_layers: z.int().min(1).max(1024),
  num_attention_heads: count,
  num_key_value_heads: count.nullish(),
  head_dim: count.nullish(),
  max_position_embeddings: z
    .int()
    .min(1)
    .max(2 ** 24)
    .nullish(),
  rms_norm_eps: positive.nullish(),
  rope_theta: theta,
  // Older files call it `type`. What scales positions has settings of its own beside it.
  rope_parameters: z
    .strictObject({
      rope_type: always("default"),
      type: always("default"),
      partial_rotary_factor: always(1),
      rope_theta: theta,
    })
    .nullish(),
  tie_word_embeddings: z.boolean().nullish(),
});

/**
 * The shape of the transformer a config.json describes, with transformers' defaults for what is left out;
 * never with a value head. Throws "config.json: <setting> must be ..., got ...".
 */
export function readModelConfig(text: string): TransformerConfig {
  return named("config.json", () => shapeOf(parseOrThrow(settingsSchema, JSON.parse(text))));
}

function shapeOf(settings: z.output<typeof settingsSchema>): TransformerConfig {
  const { hidden_size: hiddenSize, num_attention_heads: heads } = settings;
  const type = MODEL_TYPES[settings.model_type];
  if (settings.sliding_window != null && settings.use_sliding_window !== false)
    throw new Error(`sliding_window must be null, or use_sliding_window false, got ${settings.sliding_window}`);
  // Null is a setting of its own, another than one that is left out.
  const kvHeads = settings.num_key_value_heads === undefined ? (type.kvHeads ?? heads) : (settings.num_key_value_heads ?? heads);
  const head_dim = settings.head_dim ?? type.headSize;
  if (heads % kvHeads !== 0) throw new Error(`num_key_value_heads must be a divisor of num_attention_heads ${heads}, got ${kvHeads}`);
  if (head_dim == null && hiddenSize % heads !== 0)
    throw new Error(`hidden_size must be a multiple of num_attention_heads ${heads}, got ${hiddenSize}`);
  const headSize = head_dim ?? hiddenSize / heads;
  if (headSize > MOST_HEAD_SIZE) throw new Error(`head_dim must be <= ${MOST_HEAD_SIZE}, got ${headSize}`);
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
    qkvBias: type.qkvBias,
    headNorm: type.headNorm,
    maxPositions: settings.max_position_embeddings ?? type.maxPositions,
    valueHead: false,
  };
}

/** config.json of this transformer; the value head is not part of it. */
export function writeConfigFile(config: TransformerConfig, dtype: FloatDtype, ids: SpecialTokenIds): string {
  const type = TYPE_NAMES.find((name) => MODEL_TYPES[name].qkvBias === config.qkvBias && MODEL_TYPES[name].headNorm === config.headNorm);
  if (!type) throw new Error("no model type that transformers knows has biases as well as norms of its heads");
  const settings = {
    architectures: [MODEL_TYPES[type].class],
    model_type: type,
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

/** The shape that a config.json tells; null where it is of a kind that does not compute here, as other programs have. */
export const shapeIn = (text: string): TransformerConfig | null => orElse(() => readModelConfig(text), null);
