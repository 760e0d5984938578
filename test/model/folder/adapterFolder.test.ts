// PEFT's folder of adapters, both ways.
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { ADAPTER_FILES, readAdapterFolder, withBase, writeAdapterFolder } from "../../../src/model/folder/adapterFolder.ts";
import { readSafetensors, writeSafetensors } from "../../../src/model/folder/safetensors.ts";
import { LORA_FOLDERS, readReferenceAdapters } from "../../support/loraSuite.ts";

const fileOf = async (folder: string, name: string) =>
  new Uint8Array(await readFile(new URL(`../../reference/${folder}/adapter/${name}`, import.meta.url)));

const withSettings = (changes: Record<string, unknown>) =>
  readAdapterFolder(async (name) => {
    const bytes = await fileOf("lora-llama-tied", name);
    if (name !== ADAPTER_FILES[0]) return bytes;
    return new TextEncoder().encode(JSON.stringify({ ...JSON.parse(new TextDecoder().decode(bytes)), ...changes }));
  });

describe("a folder of adapters", () => {
  it("says what PEFT trained", async () => {
    const all = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"];
    expect((await readReferenceAdapters("lora-llama-tied")).lora).toEqual({ rank: 4, alpha: 8, rankStabilized: false, targets: all });
    expect((await readReferenceAdapters("lora-llama-rank1-rslora")).lora).toMatchObject({ rank: 1, alpha: 32, rankStabilized: true });
  });

  it.each(LORA_FOLDERS)("comes back tensor for tensor from %s, under PEFT's names", async (folder) => {
    const { lora, values } = await readReferenceAdapters(folder);
    const files = writeAdapterFolder(lora, values, folder, "base");
    const written = new Map(files.map(({ name, bytes }) => [name, bytes]));
    const tensors = readSafetensors(written.get(ADAPTER_FILES[1])!);
    expect(new Map([...tensors].sort())).toEqual(new Map([...readSafetensors(await fileOf(folder, ADAPTER_FILES[1]))].sort()));
    const theirs = JSON.parse(new TextDecoder().decode(await fileOf(folder, ADAPTER_FILES[0])));
    const ours = JSON.parse(new TextDecoder().decode(written.get(ADAPTER_FILES[0])));
    const { target_modules: _, ...same } = ours;
    expect(theirs).toMatchObject(same);
    expect(await readAdapterFolder(async (name) => written.get(name)!)).toEqual({ lora, values });
  });

  it.each([
    [{ peft_type: "IA3" }, 'adapter_config.json: peft_type must be "LORA", got "IA3"'],
    [{ use_dora: true }, "adapter_config.json: use_dora must be false, got true"],
    [{ bias: "all" }, 'adapter_config.json: bias must be "none", got "all"'],
    [{ r: 0 }, "adapter_config.json: r must be >= 1, got 0"],
    [{ rank_pattern: { q_proj: 2 } }, 'adapter_config.json: unknown field "rank_pattern.q_proj"'],
    [{ modules_to_save: ["lm_head"] }, "adapter_config.json: modules_to_save"],
    [
      { init_lora_weights: "pissa" },
      'adapter_config.json: init_lora_weights must be true, false, "gaussian", "orthogonal" or "eva", got "pissa"',
    ],
    [{ init_lora_weights: "olora" }, "adapter_config.json: init_lora_weights must be true, false,"],
    [{ alpha_pattern: { q_proj: 2 } }, 'adapter_config.json: unknown field "alpha_pattern.q_proj"'],
    [{ layers_to_transform: [0] }, "adapter_config.json: layers_to_transform must be left out, got [0]"],
    [{ layer_replication: [[0, 2]] }, "adapter_config.json: layer_replication must be left out, got [[0,2]]"],
    [{ alora_invocation_tokens: [1] }, "adapter_config.json: alora_invocation_tokens must be left out, got [1]"],
    [{ fan_in_fan_out: true }, "adapter_config.json: fan_in_fan_out must be false, got true"],
    [{ of_a_later_peft: 3 }, "adapter_config.json: of_a_later_peft must be left out, got 3"],
  ])("refuses %j", async (changes, message) => {
    await expect(withSettings(changes)).rejects.toThrow(message);
  });

  it.each([
    { init_lora_weights: "gaussian" },
    { init_lora_weights: null, runtime_config: { ephemeral_gpu_offload: false }, exclude_modules: "lm_head" },
    { of_a_later_peft: false, loftq_config: {}, target_parameters: null, lora_dropout: 0.1 },
  ])("reads past %j, which changes nothing", async (changes) => {
    expect((await withSettings(changes)).lora).toEqual((await readReferenceAdapters("lora-llama-tied")).lora);
  });

  it("names the tensor whose weights are no numbers", async () => {
    const { lora, values } = await readReferenceAdapters("lora-llama-tied");
    const broken = { ...values, values: Float32Array.from(values.values, (value, i) => (i === 0 ? Number.POSITIVE_INFINITY : value)) };
    const written = new Map(writeAdapterFolder(lora, broken, null, "base").map(({ name, bytes }) => [name, bytes]));
    await expect(readAdapterFolder(async (name) => written.get(name)!)).rejects.toThrow(
      /^adapter_model\.safetensors: tensor ".*" must have finite numbers alone$/,
    );
  });

  it("names the file that is damaged or foreign", async () => {
    const cut = readAdapterFolder(async (name) => (await fileOf("lora-llama-tied", name)).subarray(0, 40));
    await expect(cut).rejects.toThrow("adapter_config.json: not JSON");
    const tensors = new Map([["lora_A.weight", { shape: [1], data: new Float32Array(1) }]]);
    const foreign = readAdapterFolder(async (name) =>
      name === ADAPTER_FILES[1] ? writeSafetensors(tensors, { dtype: "F32" }) : fileOf("lora-llama-tied", name),
    );
    await expect(foreign).rejects.toThrow('adapter_model.safetensors: tensor names must begin with base_model.model., got "lora_A.weight"');
  });
});

it("adapters whose base has no name on the hub come with what to fill in, and lose that with a name", () => {
  const lora = { rank: 1, alpha: 1, rankStabilized: false, targets: ["q_proj"] } as const;
  const files = writeAdapterFolder(lora, { layout: [], values: new Float32Array(0) }, null, "./models/my.gguf");
  const textOf = (name: string, all: typeof files) => new TextDecoder().decode(all.find((file) => file.name === name)?.bytes);
  expect(JSON.parse(textOf("adapter_config.json", files)).base_model_name_or_path).toBeNull();
  expect(textOf("README.md", files)).toContain("was called `./models/my.gguf` where they were trained");
  const named = withBase(files, "owner/name");
  expect(JSON.parse(textOf("adapter_config.json", named))).toMatchObject({ base_model_name_or_path: "owner/name", r: 1 });
  expect(named.map(({ name }) => name)).not.toContain("README.md");
});
