// The transformer in plain float64 loops, one sequence at a time: what every backend is checked
// against at start-up, in any shape. LlamaForCausalLM, and Qwen2's and Qwen3's, as in transformers; slow, and meant to be read.
import { cos, exp, log, power, sin } from "../rl/exactMath.ts";
import { parameterLayout, type TransformerConfig } from "./transformerConfig.ts";

type Rows = Float64Array[];
type Weights = (name: string) => Float32Array;

/** Weights by name, as slices of the flat buffer. */
function byName(config: TransformerConfig, weights_N: Float32Array): Weights {
  const slices = new Map(parameterLayout(config).map(({ name, offset, size }) => [name, weights_N.subarray(offset, offset + size)]));
  return (name) => {
    const slice = slices.get(name);
    if (!slice) throw new Error(`internal: no weight "${name}"`);
    return slice;
  };
}

/** W x for W [out, in] row by row. */
function times(matrix: Float32Array, x: Float64Array): Float64Array {
  const y = new Float64Array(matrix.length / x.length);
  for (let o = 0; o < y.length; o++) {
    let sum = 0;
    for (let i = 0; i < x.length; i++) sum += matrix[o * x.length + i]! * x[i]!;
    y[o] = sum;
  }
  return y;
}

function normed(x: Float64Array, scale: Float32Array, eps: number): Float64Array {
  let squares = 0;
  for (const value of x) squares += value * value;
  const inverse = 1 / Math.sqrt(squares / x.length + eps);
  return x.map((value, i) => value * inverse * scale[i]!);
}

/** A projection with its bias, if it has one. */
function projected({ qkvBias }: TransformerConfig, weight: Weights, name: string, x: Float64Array): Float64Array {
  const y = times(weight(`${name}.weight`), x);
  if (!qkvBias) return y;
  const bias = weight(`${name}.bias`);
  return y.map((value, i) => value + bias[i]!);
}

/** Queries or keys of one position, each head normed where the model does that. */
function headVector(config: TransformerConfig, weight: Weights, name: string, x: Float64Array): Float64Array {
  const y = projected(config, weight, `${name}_proj`, x);
  if (!config.headNorm) return y;
  const scale = weight(`${name}_norm.weight`);
  for (let at = 0; at < y.length; at += config.headSize) y.set(normed(y.subarray(at, at + config.headSize), scale, config.rmsNormEps), at);
  return y;
}

/** Rotates each head of x in place by the angles of a position; halves of a head form the pairs. */
function rotate(config: TransformerConfig, x: Float64Array, position: number): void {
  const half = config.headSize / 2;
  for (let start = 0; start < x.length; start += config.headSize) {
    for (let i = 0; i < half; i++) {
      const angle = position * power(config.ropeTheta, -i / half);
      const a = x[start + i]!;
      const b = x[start + half + i]!;
      x[start + i] = a * cos(angle) - b * sin(angle);
      x[start + half + i] = b * cos(angle) + a * sin(angle);
    }
  }
}

/** Causal attention of one query row over the keys and values up to it. */
function attend(config: TransformerConfig, query: Float64Array, keys: Rows, values: Rows): Float64Array {
  const { heads, kvHeads, headSize } = config;
  const output = new Float64Array(heads * headSize);
  for (let head = 0; head < heads; head++) {
    const at = head * headSize;
    const keyAt = Math.floor((head * kvHeads) / heads) * headSize;
    const weights = keys.map((key) => {
      let score = 0;
      for (let c = 0; c < headSize; c++) score += query[at + c]! * key[keyAt + c]!;
      return score / Math.sqrt(headSize);
    });
    const max = Math.max(...weights);
    const exponentials = weights.map((score) => exp(score - max));
    const total = exponentials.reduce((sum, value) => sum + value, 0);
    for (const [s, value] of values.entries()) {
      for (let c = 0; c < headSize; c++) output[at + c]! += (exponentials[s]! / total) * value[keyAt + c]!;
    }
  }
  return output;
}

function layerForward(config: TransformerConfig, weight: Weights, at: string, hidden_TD: Rows): void {
  const keys: Rows = [];
  const values: Rows = [];
  for (const [t, x] of hidden_TD.entries()) {
    const input = normed(x, weight(`${at}input_layernorm.weight`), config.rmsNormEps);
    const query = headVector(config, weight, `${at}self_attn.q`, input);
    const key = headVector(config, weight, `${at}self_attn.k`, input);
    rotate(config, query, t);
    rotate(config, key, t);
    keys.push(key);
    values.push(projected(config, weight, `${at}self_attn.v_proj`, input));
    const attended = times(weight(`${at}self_attn.o_proj.weight`), attend(config, query, keys, values));
    for (let d = 0; d < x.length; d++) x[d]! += attended[d]!;
    const middle = normed(x, weight(`${at}post_attention_layernorm.weight`), config.rmsNormEps);
    const gate = times(weight(`${at}mlp.gate_proj.weight`), middle);
    const up = times(weight(`${at}mlp.up_proj.weight`), middle);
    const product = gate.map((value, i) => (value / (1 + exp(-value))) * up[i]!);
    const fed = times(weight(`${at}mlp.down_proj.weight`), product);
    for (let d = 0; d < x.length; d++) x[d]! += fed[d]!;
  }
}

/** Logits and values (null without a value head) at every position of one sequence, with flat weights as in parameterLayout. */
export function plainForward(config: TransformerConfig, weights_N: Float32Array, tokens_T: readonly number[]) {
  const weight = byName(config, weights_N);
  const D = config.hiddenSize;
  const embedding = weight("model.embed_tokens.weight");
  const hidden_TD = tokens_T.map((token) => Float64Array.from(embedding.subarray(token * D, (token + 1) * D)));
  for (let layer = 0; layer < config.layers; layer++) layerForward(config, weight, `model.layers.${layer}.`, hidden_TD);
  const final_TD = hidden_TD.map((x) => normed(x, weight("model.norm.weight"), config.rmsNormEps));
  const head = config.tiedEmbeddings ? embedding : weight("lm_head.weight");
  return {
    logits_TV: final_TD.map((x) => times(head, x)),
    values_T: config.valueHead
      ? Float64Array.from(final_TD, (x) => times(weight("value_head.weight"), x)[0]! + weight("value_head.bias")[0]!)
      : null,
  };
}

/** log softmax(logits / temperature), in nats. */
export function plainLogSoftmax(logits_V: Float64Array, temperature: number): Float64Array {
  let max = Number.NEGATIVE_INFINITY;
  for (const logit of logits_V) max = Math.max(max, logit / temperature);
  let sum = 0;
  for (const logit of logits_V) sum += exp(logit / temperature - max);
  return logits_V.map((logit) => logit / temperature - max - log(sum));
}
