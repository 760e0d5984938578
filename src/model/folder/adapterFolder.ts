// Adapters as PEFT's folder, both ways: adapter_config.json and adapter_model.safetensors. What PEFT can ask for and is
// not computed here is refused by name. A value head is no part of it, and dropout, which acts in training alone, is read
// past and written as 0.
import type { ModelFile } from "../../protocol/messages.ts";
import { parseOrThrow, showValue } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { LORA_TARGETS, type LoraConfig } from "../lora/adapters.ts";
import { layoutOf, sizeOf, type TensorSet, tensorsOf } from "../tensors.ts";
import { isValueHead } from "../transformerConfig.ts";
import { named } from "./modelFolder.ts";
import { readSafetensors, writeSafetensors } from "./safetensors.ts";

/** The files of such a folder. */
const README_FILE = "README.md";
export const ADAPTER_FILES = ["adapter_config.json", "adapter_model.safetensors"] as const;
const [CONFIG_FILE, WEIGHTS_FILE] = ADAPTER_FILES;
/** PEFT wraps the model twice, and its names say so. */
const PREFIX = "base_model.model.";

/** A setting that asks for nothing. */
const none = z.union([z.null(), z.literal(false), z.tuple([]), z.strictObject({})], "must be left out").optional();
/** Settings that say where adapters come from or how they were trained; what they compute is the same whatever stands there. */
const PASSED = [
  ...["auto_mapping", "base_model_name_or_path", "eva_config", "exclude_modules", "inference_mode", "layers_pattern", "lora_dropout"],
  ...["megatron_core", "peft_version", "qalora_group_size", "revision", "runtime_config", "target_modules", "task_type"],
];
const INITS = 'must be true, false, "gaussian", "orthogonal" or "eva"';
const settingsSchema = z
  .object({
    ...Object.fromEntries(PASSED.map((name) => [name, z.unknown().optional()])),
    peft_type: z.literal("LORA"),
    r: z.int().min(1),
    lora_alpha: z.number().positive(),
    use_rslora: z.boolean().nullish(),
    // The others that PEFT has take what they begin with out of the base's own weights.
    init_lora_weights: z.union([z.boolean(), z.enum(["gaussian", "orthogonal", "eva"])], INITS).nullish(),
    bias: z.literal("none").nullish(),
    fan_in_fan_out: z.literal(false).nullish(),
    use_dora: z.literal(false).nullish(),
    lora_bias: z.literal(false).nullish(),
    rank_pattern: none,
    alpha_pattern: none,
    modules_to_save: none,
  })
  // What PEFT has beyond these, now or later, counts only where it is asked for.
  .catchall(none);

/** Adapters with what they were trained as; their tensors have PEFT's names without its prefix. */
interface ReadAdapters {
  readonly lora: LoraConfig;
  readonly values: TensorSet;
}

/** Reads a folder of adapters. Throws a sentence with the file and what is wrong in it. */
export async function readAdapterFolder(files: (name: string) => Promise<Uint8Array>): Promise<ReadAdapters> {
  const configBytes = await files(CONFIG_FILE);
  const weightBytes = await files(WEIGHTS_FILE);
  const settings = named(CONFIG_FILE, () => parseOrThrow(settingsSchema, JSON.parse(new TextDecoder().decode(configBytes))));
  const tensors = named(WEIGHTS_FILE, () => readSafetensors(weightBytes));
  for (const [name, { data }] of tensors)
    if (!data.every(Number.isFinite)) throw new Error(`${WEIGHTS_FILE}: tensor ${showValue(name, 120)} must have finite numbers alone`);
  const specs = Array.from(tensors, ([name, { shape }]) => ({ name: ownName(name), shape, trainable: true }));
  const layout = layoutOf(specs);
  const values = new Float32Array(sizeOf(layout));
  for (const [i, { data }] of [...tensors.values()].entries()) values.set(data, layout[i]!.offset);
  const targets = LORA_TARGETS["all-linear"].filter((projection) => specs.some(({ name }) => name.includes(`.${projection}.lora_`)));
  const { r: rank, lora_alpha: alpha, use_rslora } = settings;
  return { lora: { rank, alpha, rankStabilized: use_rslora ?? false, targets }, values: { layout, values } };
}

function ownName(name: string): string {
  if (!name.startsWith(PREFIX)) throw new Error(`${WEIGHTS_FILE}: tensor names must begin with ${PREFIX}, got "${name.slice(0, 80)}"`);
  return name.slice(PREFIX.length);
}

/** What somebody fills in where the base has no name that others find it by. */
const unnamed = (checkpoint: string) => `# Adapters

They belong on the model that was called \`${checkpoint}\` where they were trained, which PEFT cannot find by that name. Write into \`base_model_name_or_path\` of \`${CONFIG_FILE}\` where its folder lies in transformers' form, or its name on the hub, or load that model yourself: \`PeftModel.from_pretrained(model, FOLDER)\`.
`;

/**
 * The files of a folder that PEFT loads.
 * @param base what the adapters belong on, by its name on the hub; null where it has none @param checkpoint what it was called here
 */
export function writeAdapterFolder(lora: LoraConfig, set: TensorSet, base: string | null, checkpoint: string): readonly ModelFile[] {
  const settings = {
    peft_type: "LORA",
    task_type: "CAUSAL_LM",
    base_model_name_or_path: base,
    r: lora.rank,
    lora_alpha: lora.alpha,
    use_rslora: lora.rankStabilized,
    target_modules: lora.targets,
    lora_dropout: 0,
    bias: "none",
    fan_in_fan_out: false,
    init_lora_weights: true,
    inference_mode: true,
    modules_to_save: null,
  };
  const adapters = [...tensorsOf(set)].filter(([name]) => !isValueHead(name));
  const tensors = new Map(adapters.map(([name, { shape, data }]) => [`${PREFIX}${name}`, { shape, data: Float32Array.from(data) }]));
  return [
    { name: CONFIG_FILE, bytes: new TextEncoder().encode(`${JSON.stringify(settings, null, 2)}\n`) },
    { name: WEIGHTS_FILE, bytes: writeSafetensors(tensors, { dtype: "F32" }) },
    ...(base === null ? [{ name: README_FILE, bytes: new TextEncoder().encode(unnamed(checkpoint)) }] : []),
  ];
}

/** The files where the base, which had no name, turns out to be a model of the hub. */
export function withBase(files: readonly ModelFile[], base: string): readonly ModelFile[] {
  return files.flatMap((file) => {
    if (file.name === README_FILE) return [];
    if (file.name !== CONFIG_FILE) return [file];
    const settings: object = JSON.parse(new TextDecoder().decode(file.bytes));
    return [{ ...file, bytes: new TextEncoder().encode(`${JSON.stringify({ ...settings, base_model_name_or_path: base }, null, 2)}\n`) }];
  });
}
