import { describe, expect, it } from "vitest";
import { readModelFolder, writeModelFolder } from "../../../src/model/folder/checkpoint.ts";
import { readModelConfig } from "../../../src/model/folder/configFile.ts";
import { readSafetensors, writeSafetensors } from "../../../src/model/folder/safetensors.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import type { ModelFile } from "../../../src/protocol/messages.ts";
import { criticConfig, tiedConfig } from "../../support/liveBackend.ts";
import { readReferenceModel } from "../../support/referenceFolder.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const ids = { bos: 1, eos: 2, pad: 0 };

const open = (files: readonly ModelFile[]) => async (name: string) => {
  const file = files.find((one) => one.name === name);
  if (!file) throw new Error(`file "${name}" is missing`);
  return file.bytes;
};

const folder = (config: TransformerConfig) => writeModelFolder(config, sharpWeights(config, 1), { dtype: "F32", ids });

/** The tied folder with config.json's settings changed. */
function withSettings(changes: Record<string, unknown>) {
  const files = folder(tiedConfig);
  const settings = { ...JSON.parse(new TextDecoder().decode(files[0]!.bytes)), ...changes };
  return open([{ name: "config.json", bytes: new TextEncoder().encode(JSON.stringify(settings)) }, ...files.slice(1)]);
}

describe("a model folder", () => {
  it("returns config and weights, tied, untied and with a value head", async () => {
    expect(await readModelFolder(open(folder(tiedConfig)))).toEqual({ config: tiedConfig, weights_N: sharpWeights(tiedConfig, 1) });
    const critic = await readModelFolder(open(folder(criticConfig)), { valueHead: "file" });
    expect(critic).toEqual({ config: criticConfig, weights_N: sharpWeights(criticConfig, 1) });
  });

  it("keeps what sets Qwen2 and Qwen3 apart, under the names that transformers has for them", async () => {
    for (const [type, options] of [
      ["qwen2", { qkvBias: true, headNorm: false }],
      ["qwen3", { qkvBias: false, headNorm: true }],
    ] as const) {
      const config = { ...tiedConfig, ...options };
      const files = folder(config);
      expect(JSON.parse(new TextDecoder().decode(files[0]!.bytes))).toMatchObject({ model_type: type });
      expect(await readModelFolder(open(files))).toEqual({ config, weights_N: sharpWeights(config, 1) });
    }
    expect(() => folder({ ...tiedConfig, qkvBias: true, headNorm: true })).toThrow("no model type that transformers knows");
  });

  it("reads Qwen's own files: a window that is not used, and its defaults for what is left out", async () => {
    const qwen = { model_type: "qwen2", sliding_window: 128, use_sliding_window: false, layer_types: ["full_attention"] };
    const settings = { vocab_size: 8, hidden_size: 64, intermediate_size: 8, num_hidden_layers: 1, num_attention_heads: 32 };
    const { headSize, kvHeads, maxPositions, qkvBias } = readModelConfig(JSON.stringify({ ...qwen, ...settings }));
    expect({ headSize, kvHeads, maxPositions, qkvBias }).toEqual({ headSize: 2, kvHeads: 32, maxPositions: 32_768, qkvBias: true });
    expect(readModelConfig(JSON.stringify({ ...qwen, ...settings, model_type: "qwen3" })).headSize).toBe(128);
    expect(readModelConfig(JSON.stringify({ ...qwen, ...settings, num_key_value_heads: null, num_attention_heads: 8 })).kvHeads).toBe(8);
  });

  it("keeps the value head in a file of its own and can leave it out or start it at zero", async () => {
    const files = folder(criticConfig);
    expect([...readSafetensors(await open(files)("value_head.safetensors")).keys()]).toEqual(["value_head.weight", "value_head.bias"]);
    const plain = await readModelFolder(open(files));
    expect(plain.config).toEqual({ ...criticConfig, valueHead: false });
    const zero = await readModelFolder(open(files), { valueHead: "zero" });
    expect(zero.weights_N.subarray(plain.weights_N.length).every((value) => value === 0)).toBe(true);
    expect(zero.weights_N.length).toBe(plain.weights_N.length + criticConfig.hiddenSize + 1);
  });

  it("adds tokenizer files unchanged", () => {
    const extra = { name: "tokenizer.json", bytes: Uint8Array.of(1, 2) };
    expect(writeModelFolder(tiedConfig, sharpWeights(tiedConfig, 1), { dtype: "F16", ids, extraFiles: [extra] })).toContain(extra);
  });

  it("states what transformers 4 and 5 look for", async () => {
    const settings = JSON.parse(new TextDecoder().decode(folder(tiedConfig)[0]!.bytes));
    expect(settings).toMatchObject({
      rope_theta: 10_000,
      rope_parameters: { rope_theta: 10_000, rope_type: "default" },
      dtype: "float32",
      torch_dtype: "float32",
    });
  });

  it("reads rope_theta from either place and fills in transformers' defaults", async () => {
    const only5 = await readModelFolder(
      withSettings({ rope_theta: undefined, rope_parameters: { rope_theta: 500, rope_type: "default" } }),
    );
    expect(only5.config.ropeTheta).toBe(500);
    const only4 = await readModelFolder(withSettings({ rope_theta: 700, rope_parameters: undefined, rms_norm_eps: undefined }));
    expect(only4.config).toMatchObject({ ropeTheta: 700, rmsNormEps: 1e-6 });
  });

  it.each([
    [{ hidden_act: "gelu" }, 'config.json: hidden_act must be "silu", got "gelu"'],
    [{ model_type: "gemma3" }, 'config.json: model_type must be one of "llama", "qwen2", "qwen3", got "gemma3"'],
    [{ model_type: "qwen2" }, 'tensor "model.layers.0.self_attn.q_proj.bias" [16] is missing'],
    [{ model_type: "qwen3" }, 'tensor "model.layers.0.self_attn.q_norm.weight" [4] is missing'],
    [{ sliding_window: 64 }, "config.json: sliding_window must be null, or use_sliding_window false, got 64"],
    [{ use_sliding_window: true }, "config.json: use_sliding_window must be false, got true"],
    [{ layer_types: ["full_attention", "sliding_attention"] }, 'config.json: layer_types.1 must be "full_attention"'],
    [{ attention_bias: true }, "config.json: attention_bias must be false, got true"],
    [{ rope_scaling: { rope_type: "yarn" } }, "config.json: rope_scaling must be null"],
    [{ rope_parameters: { rope_type: "llama3" } }, 'config.json: rope_parameters.rope_type must be "default", got "llama3"'],
    [{ rope_parameters: { type: "linear", factor: 2 } }, 'config.json: rope_parameters.type must be "default", got "linear"'],
    [{ rope_parameters: { full_attention: { rope_type: "default" } } }, 'config.json: unknown field "rope_parameters.full_attention"'],
    [{ final_logit_softcapping: 30 }, "config.json: final_logit_softcapping must be null, got 30"],
    [{ residual_multiplier: 0.5 }, "config.json: residual_multiplier must be 1, got 0.5"],
    [{ hidden_size: undefined }, "config.json: hidden_size must be a number, got undefined"],
    [{ num_key_value_heads: 3 }, "config.json: num_key_value_heads must be a divisor of num_attention_heads 4, got 3"],
    [{ head_dim: 5 }, "config.json: head_dim must be even, got 5"],
    [{ vocab_size: -2 }, "config.json: vocab_size must be >= 1, got -2"],
    [{ tie_word_embeddings: "yes" }, 'config.json: tie_word_embeddings must be a boolean, got "yes"'],
    [{ intermediate_size: 5 }, 'tensor "model.layers.0.mlp.gate_proj.weight" must have shape [5, 16], got [28, 16]'],
    [{ num_hidden_layers: 3 }, 'tensor "model.layers.2.input_layernorm.weight" [16] is missing'],
    [{ num_hidden_layers: 1 }, 'tensor "model.layers.1.input_layernorm.weight" has no place in this model'],
  ])("refuses %j", async (changes, message) => {
    await expect(readModelFolder(withSettings(changes))).rejects.toThrow(message);
  });

  it("names the file that is corrupt", async () => {
    const files = folder(tiedConfig).map((file) =>
      file.name === "model.safetensors" ? { ...file, bytes: file.bytes.subarray(0, 5000) } : file,
    );
    await expect(readModelFolder(open(files))).rejects.toThrow("model.safetensors: safetensors: ");
    const broken = [{ name: "config.json", bytes: Uint8Array.of(123) }];
    await expect(readModelFolder(open(broken))).rejects.toThrow("config.json: not JSON");
  });

  it("names the tensor whose weights are no numbers", async () => {
    const broken = sharpWeights(tiedConfig, 1);
    broken[0] = Number.NaN;
    const files = writeModelFolder(tiedConfig, broken, { dtype: "F32", ids });
    await expect(readModelFolder(open(files))).rejects.toThrow(
      'model.safetensors: tensor "model.embed_tokens.weight" must have finite numbers alone',
    );
  });

  it("accepts a tied model's repeated head and ignores it", async () => {
    const files = folder(tiedConfig);
    const tensors = readSafetensors(await open(files)("model.safetensors"));
    tensors.set("lm_head.weight", { shape: [1], data: new Float32Array(1) });
    const repeated = [files[0]!, { name: "model.safetensors", bytes: writeSafetensors(tensors, { dtype: "F32" }) }];
    expect((await readModelFolder(open(repeated))).weights_N).toEqual(sharpWeights(tiedConfig, 1));
  });
});

describe("a folder that transformers wrote", () => {
  it("comes back to the bit after being written in bfloat16", async () => {
    const { config, weights_N } = await readReferenceModel("llama-bf16");
    const again = await readModelFolder(open(writeModelFolder(config, weights_N, { dtype: "BF16", ids })));
    expect(again).toEqual({ config, weights_N });
  });
});
