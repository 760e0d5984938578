import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readModelFolder, readStoredFolder, storedTypes } from "../../../src/model/folder/checkpoint.ts";
import { broughtIn } from "../../../src/model/folder/ggmlTypes.ts";
import { readGguf } from "../../../src/model/folder/gguf.ts";
import { ggufConfig, ggufStored, ggufTokenizer, ggufTokenizerConfig } from "../../../src/model/folder/ggufModel.ts";
import { fileOf } from "../../../src/model/folder/modelFolder.ts";
import { widenedWeights } from "../../../src/model/lora/frozenBase.ts";
import { createTokenizer } from "../../../src/model/renderers/tokenizer.ts";
import { parameterLayout } from "../../../src/model/transformerConfig.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { GGUF_TYPES, ggufFile } from "../../support/ggufFile.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const weights_N = sharpWeights(foreignConfig, 3);
const file = (type?: keyof typeof GGUF_TYPES) => ggufFile({ config: foreignConfig, weights_N }, foreignTexts, type);
/** A folder with nothing but the file and the configuration that its metadata say. */
const folderOf = (bytes: Uint8Array) => async (name: string) => {
  if (name === "config.json") return new TextEncoder().encode(ggufConfig(readGguf(bytes)));
  if (name === "model.gguf") return bytes;
  throw new Error(`${name} is missing`);
};
const read = (bytes: Uint8Array) => readModelFolder(folderOf(bytes));

/** The largest distance of a block's values, by what its type can tell apart. */
const GRAINS = { F32: 0, F16: 2 ** -10, Q8_0: 1 / 127, Q4_0: 1 / 7, Q4_1: 2 / 15 } as const;

describe("a GGUF file", () => {
  it("gives the weights that it was made of, to the grain of each type", async () => {
    for (const type of Object.keys(GGUF_TYPES) as (keyof typeof GGUF_TYPES)[]) {
      const found = await read(file(type));
      expect(found.config).toEqual(foreignConfig);
      for (const { name, offset, size } of parameterLayout(foreignConfig)) {
        const [own, other] = [weights_N.subarray(offset, offset + size), found.weights_N.subarray(offset, offset + size)];
        const most = own.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
        const worst = own.reduce((largest, value, i) => Math.max(largest, Math.abs(value - other[i]!)), 0);
        expect(worst, `${name} in ${type}`).toBeLessThanOrEqual(0.51 * GRAINS[type] * most + (type.startsWith("Q") ? 1e-3 * most : 0));
      }
    }
  });

  it("gives its tensors as they are stored, of the types that it names", async () => {
    for (const type of Object.keys(GGUF_TYPES) as (keyof typeof GGUF_TYPES)[]) {
      const { config, tensors } = await readStoredFolder(folderOf(file(type)));
      expect(await widenedWeights(config, tensors)).toEqual((await read(file(type))).weights_N);
      const typeOf = await storedTypes(folderOf(file(type)));
      for (const [name, tensor] of tensors) expect(typeOf(name), name).toBe(tensor.type);
      expect(tensors.get("model.layers.0.mlp.up_proj.weight")!.type.name).toBe(type);
    }
  });

  it("refuses a tensor whose floats or scales are no finite numbers when it is read", async () => {
    for (const type of Object.keys(GGUF_TYPES) as (keyof typeof GGUF_TYPES)[]) {
      const broken = new Uint8Array(file(type));
      const up = readGguf(broken).tensors.find(({ name }) => name === "blk.0.ffn_up.weight")!;
      // The upper byte of the last float, or of the last block's scale: all ones but for the sign.
      const { at } = up.type.exponents;
      broken.set([0xff, 0x7f], up.end - up.type.bytes + at.at(-1)!);
      const { tensors } = await readStoredFolder(folderOf(broken));
      const sentence = 'model.gguf: tensor "model.layers.0.mlp.up_proj.weight" must have finite numbers alone';
      await expect(broughtIn(tensors.get("model.layers.0.mlp.up_proj.weight")!), type).rejects.toThrow(sentence);
      await expect(broughtIn(tensors.get("model.layers.0.mlp.down_proj.weight")!)).resolves.toBeDefined();
    }
  });

  it("keeps the biases and norms of Qwen's, whose heads are not turned", async () => {
    for (const options of [{ qkvBias: true }, { headNorm: true }]) {
      const config = { ...foreignConfig, ...options };
      const own = sharpWeights(config, 4);
      expect(await read(ggufFile({ config, weights_N: own }, foreignTexts))).toEqual({ config, weights_N: own });
    }
  });

  it("brings its tokenizer and chat template", () => {
    const header = readGguf(file());
    const tokenizer = createTokenizer(JSON.parse(ggufTokenizer(header)));
    const spelt = tokenizer.encodePlain("hello 12<|im_end|>").map((id) => new TextDecoder().decode(tokenizer.bytesOf(id)));
    expect(spelt).toEqual(["hello", " ", "1", "2", ..."<|im_end|>"]);
    expect(tokenizer.marks.filter(({ special }) => special)).toHaveLength(3);
    expect(JSON.parse(ggufTokenizerConfig(header))).toMatchObject({ chat_template: foreignTexts.template, eos_token: "<|im_end|>" });
  });

  it("hands its marks on to the template, and all that ends a text", () => {
    const ids = { "tokenizer.ggml.bos_token_id": 1, "tokenizer.ggml.padding_token_id": 0, "tokenizer.ggml.eot_token_id": 4 };
    const header = readGguf(ggufFile({ config: foreignConfig, weights_N }, foreignTexts, "F32", ids));
    const marks = { eos_token: "<|im_end|>", bos_token: "<|im_start|>", pad_token: "<|endoftext|>" };
    expect(JSON.parse(ggufTokenizerConfig(header))).toMatchObject(marks);
    expect(JSON.parse(ggufConfig(header))).toMatchObject({ bos_token_id: 1, eos_token_id: [2, 4, 0] });
  });

  it.each([
    ["a part of each head turned", { "llama.rope.dimension_count": 4 }, "gguf: llama.rope.dimension_count must be 8, got 4"],
    ["experts", { "llama.expert_count": 8 }, "gguf: the setting llama.expert_count is not computed here, got 8"],
    ["the rope of another length", { "llama.rope.scaling.type": "yarn" }, 'gguf: llama.rope.scaling.type must be none, got "yarn"'],
    [
      "another architecture",
      { "general.architecture": "gemma3" },
      "gguf: general.architecture must be one of llama, qwen2, qwen3, got gemma3",
    ],
    ["no number where one must be", { "llama.block_count": "two" }, 'gguf: llama.block_count must be a number, got "two"'],
  ])("is refused with %s", (_, settings, sentence) => {
    const bytes = ggufFile({ config: foreignConfig, weights_N }, foreignTexts, "F32", settings);
    expect(() => ggufConfig(readGguf(bytes))).toThrow(sentence);
  });

  it("is refused with a tokenizer of another kind", () => {
    const header = (settings: Readonly<Record<string, string>>) =>
      readGguf(ggufFile({ config: foreignConfig, weights_N }, foreignTexts, "F32", settings));
    expect(() => ggufTokenizer(header({ "tokenizer.ggml.model": "llama" }))).toThrow(
      'tokenizer.ggml.model must be gpt2 (byte-level BPE), got "llama"',
    );
    expect(() => ggufTokenizer(header({ "tokenizer.ggml.pre": "__proto__" }))).toThrow(
      'must be one of gpt-2, smollm, qwen2, got "__proto__"',
    );
  });

  it("ends wherever it breaks off in a sentence, 500 times, and holds no more than it is", () => {
    const whole = file("Q4_1");
    fc.assert(
      fc.property(fc.nat(whole.length - 1), (length) => {
        expect(() => [...ggufStored(fileOf(whole.subarray(0, length)), readGguf(whole.subarray(0, length)))]).toThrow(/^gguf: /);
      }),
      { numRuns: 250 },
    );
    const headerBytes = Math.min(...readGguf(whole).tensors.map(({ begin }) => begin));
    fc.assert(
      fc.property(fc.nat(headerBytes - 1), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const damaged = whole.slice();
        damaged[at]! ^= by;
        let sentence = "gguf: ";
        try {
          const header = readGguf(damaged);
          ggufConfig(header);
          ggufTokenizer(header);
          for (const _ of ggufStored(fileOf(damaged), header));
        } catch (error) {
          sentence = (error as Error).message;
        }
        expect(sentence).toMatch(/^gguf: /);
      }),
      { numRuns: 250 },
    );
  });
});
