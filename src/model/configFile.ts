// config.json of a Llama folder, both ways. Transformers 4 keeps `rope_theta` and `torch_dtype` at the
// top, transformers 5 `rope_parameters` and `dtype`; both are read and both are written. A setting
// this transformer does not compute is refused by name, because ignoring it would give other logits.
import { isRecord } from "../protocol/problems.ts";
import type { FloatDtype } from "./safetensors.ts";
import type { TransformerConfig } from "./transformerConfig.ts";

/** Ids that generation needs; null where the model has none. */
export interface SpecialTokenIds {
  readonly bos: number | null;
  readonly eos: number | null;
  readonly pad: number | null;
}

type Settings = Readonly<Record<string, unknown>>;

/** Settings that must have one value, where given: this is the architecture computed here. */
const fixedSettings: Readonly<Record<string, unknown>> = {
  hidden_act: "silu",
  attention_bias: false,
  mlp_bias: false,
  rope_scaling: null,
  quantization_config: null,
  sliding_window: null,
  partial_rotary_factor: 1,
};

const dtypeNames: Readonly<Record<FloatDtype, string>> = { F32: "float32", F16: "float16", BF16: "bfloat16" };

/**
 * The shape of the transformer a config.json describes, with transformers' defaults for what is left out;
 * never with a value head. Throws "config.json: <setting> must be ..., got ...".
 */
export function readConfigFile(text: string): TransformerConfig {
  const settings = parse(text);
  if (settings.model_type !== "llama") throw mustBe("model_type", "llama", settings.model_type);
  for (const [name, only] of Object.entries(fixedSettings)) {
    const value = settings[name] ?? only;
    if (value !== only) throw mustBe(name, String(only), value);
  }
  const hiddenSize = whole(settings, "hidden_size");
  const heads = whole(settings, "num_attention_heads");
  const kvHeads = whole(settings, "num_key_value_heads", heads);
  if (heads % kvHeads !== 0) throw mustBe("num_key_value_heads", `a divisor of num_attention_heads ${heads}`, kvHeads);
  if (settings.head_dim == null && hiddenSize % heads !== 0)
    throw mustBe("hidden_size", `a multiple of num_attention_heads ${heads}`, hiddenSize);
  const headSize = whole(settings, "head_dim", hiddenSize / heads);
  if (headSize % 2 !== 0) throw mustBe("head_dim", "even", headSize);
  return {
    vocabularySize: whole(settings, "vocab_size"),
    hiddenSize,
    layers: whole(settings, "num_hidden_layers"),
    heads,
    kvHeads,
    headSize,
    intermediateSize: whole(settings, "intermediate_size"),
    ropeTheta: ropeTheta(settings),
    rmsNormEps: positive(settings, "rms_norm_eps", 1e-6),
    tiedEmbeddings: flag(settings, "tie_word_embeddings"),
    maxPositions: whole(settings, "max_position_embeddings", 2048),
    valueHead: false,
  };
}

function parse(text: string): Settings {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`config.json: not JSON (${error instanceof Error ? error.message : String(error)})`);
  }
  if (!isRecord(value)) throw new Error("config.json: must be a JSON object");
  return value;
}

const mustBe = (name: string, expected: string, value: unknown) =>
  new Error(`config.json: ${name} must be ${expected}, got ${typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")}`);

function whole(settings: Settings, name: string, otherwise?: number): number {
  const value = settings[name] ?? otherwise;
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 1) throw mustBe(name, "a whole number >= 1", value);
  return value;
}

function positive(settings: Settings, name: string, otherwise: number): number {
  const value = settings[name] ?? otherwise;
  if (typeof value !== "number" || !(value > 0) || !Number.isFinite(value)) throw mustBe(name, "> 0", value);
  return value;
}

function flag(settings: Settings, name: string): boolean {
  const value = settings[name] ?? false;
  if (typeof value !== "boolean") throw mustBe(name, "true or false", value);
  return value;
}

function ropeTheta(settings: Settings): number {
  const parameters = settings.rope_parameters ?? {};
  if (!isRecord(parameters)) throw mustBe("rope_parameters", "an object", parameters);
  const type = parameters.rope_type ?? "default";
  if (type !== "default") throw mustBe("rope_parameters.rope_type", "default", type);
  const partial = parameters.partial_rotary_factor ?? 1;
  if (partial !== 1) throw mustBe("rope_parameters.partial_rotary_factor", "1", partial);
  return positive({ rope_theta: parameters.rope_theta ?? settings.rope_theta }, "rope_theta", 10_000);
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
