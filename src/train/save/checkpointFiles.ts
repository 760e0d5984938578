// A checkpoint as files: each array of weights or moments in one of its own, with its SHA-256 in the
// manifest, which also says once of each model what tensors its arrays hold. An array that has not changed since the
// last checkpoint, as the reference mostly has not, stays where it is.

import type { KeptState, ModelState } from "../../model/model.ts";
import { layoutOf, sizeOf, type TensorLayout, type TensorSet, type TensorValues } from "../../model/tensors.ts";
import { isSame } from "../../protocol/config/configFacts.ts";
import { anyNumber } from "../../protocol/record/measuredSchemas.ts";
import { z } from "../../protocol/zod.ts";
import { ARRAYS } from "../host.ts";
import type { TrainerState } from "../step/trainer.ts";
import { checkedPart, hashOf } from "./parts.ts";

/** All that the next step depends on, between two steps. */
export interface Checkpoint {
  readonly trainer: TrainerState;
  /** What the ids stand for that the model reads and writes, as `tokenizerId` says it. */
  readonly tokenizer: string;
  readonly model: KeptState;
  /** A critic with its own trunk; null without one. */
  readonly critic: ModelState | null;
}

const ARRAY_NAMES = ["policy", "reference", "first", "second"] as const;

const arraySchema = z.strictObject({
  /** Whose array it is and which: "model.policy". */
  name: z.string(),
  kind: z.enum(["float32", "float64"]),
  length: z.int().min(1),
  file: z.string(),
  sha256: z.string(),
});
const tensorsSchema = z.array(z.strictObject({ name: z.string().min(1), shape: z.array(z.int().min(1)) })).min(1);
const word = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 32 - 1);

/** What the manifest says of a checkpoint. */
export const checkpointSchema = z.strictObject({
  step: z.int().min(0),
  random: z.tuple([word, word, word, word]),
  loader: z.int().min(0),
  controllers: z.record(z.string(), anyNumber),
  optimizerSteps: z.strictObject({ model: z.int().min(0), critic: z.int().min(0).exactOptional() }),
  arrays: z.array(arraySchema),
  /** What the model's weights and moments are called on the server that keeps them; it has no arrays here then. */
  path: z.string().min(1).exactOptional(),
  /** The tensors of each model's arrays in their order. */
  tensors: z.strictObject({ model: tensorsSchema, critic: tensorsSchema.exactOptional() }).exactOptional(),
  tokenizer: z.string(),
});
export type CheckpointHeader = z.output<typeof checkpointSchema>;

/** The model's own weights among a checkpoint's arrays. */
export const POLICY = "model.policy";

/** How many weights a checkpoint has of its model; none where a server keeps them. */
export const parametersOf = ({ model }: Checkpoint): number => ("policy" in model ? model.policy.values.length : 0);

function arraysOf(owner: string, state: ModelState | null): readonly { readonly name: string; readonly values: TensorValues }[] {
  if (!state) return [];
  return ARRAY_NAMES.flatMap((name) => {
    const set = state[name];
    return set ? [{ name: `${owner}.${name}`, values: set.values }] : [];
  });
}

const specsOf = ({ policy }: ModelState) => policy.layout.map(({ name, shape }) => ({ name, shape: [...shape] }));

/**
 * The header of a checkpoint, and the files to write for it beside those of the checkpoint `before`: a reference that
 * is the same stays where it is.
 */
export function packCheckpoint({ trainer, tokenizer, model, critic }: Checkpoint, before: CheckpointHeader | null) {
  const put = new Map<string, Uint8Array>();
  const here = "path" in model ? null : model;
  const arrays = [...arraysOf("model", here), ...arraysOf("critic", critic)].map(({ name, values }) => {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    const kind = values instanceof Float64Array ? ("float64" as const) : ("float32" as const);
    const described = { name, kind, length: values.length, sha256: hashOf(bytes) };
    const same = name.endsWith(".reference") && before?.arrays.find((other) => isSame({ ...described, file: other.file }, other));
    if (same) return same;
    const file = `${ARRAYS}${trainer.step}/${name}`;
    put.set(file, bytes);
    return { ...described, file };
  });
  const optimizerSteps = { model: model.optimizerSteps, ...(critic ? { critic: critic.optimizerSteps } : {}) };
  const lies =
    "path" in model ? { path: model.path } : { tensors: { model: specsOf(model), ...(critic ? { critic: specsOf(critic) } : {}) } };
  return { header: { ...trainer, random: [...trainer.random], optimizerSteps, arrays, ...lies, tokenizer } as CheckpointHeader, put };
}

/** Bytes of an array. */
export const bytesOfArray = ({ length, kind }: CheckpointHeader["arrays"][number]): number => length * (kind === "float64" ? 8 : 4);

function readArray(array: CheckpointHeader["arrays"][number], files: ReadonlyMap<string, Uint8Array>) {
  const { kind, file, sha256 } = array;
  const copy = checkedPart(file, files.get(file), { bytes: bytesOfArray(array), sha256 }).slice().buffer;
  const values = kind === "float64" ? new Float64Array(copy) : new Float32Array(copy);
  if (!values.every(Number.isFinite)) throw new Error(`${file} has a number that is not finite`);
  return values;
}

/** Reads the checkpoint that a manifest describes; throws a sentence with the file that is not as it should be. */
export function readCheckpoint(header: CheckpointHeader, files: ReadonlyMap<string, Uint8Array>): Checkpoint {
  const arrays = new Map<string, TensorValues>();
  for (const array of header.arrays) {
    if (arrays.has(array.name)) throw new Error(`the checkpoint has two arrays ${array.name}`);
    arrays.set(array.name, readArray(array, files));
  }
  const { step, random, loader, controllers, optimizerSteps, tensors, path, tokenizer } = header;
  const layout = (owner: "model" | "critic") => layoutOf((tensors?.[owner] ?? []).map((spec) => ({ ...spec, trainable: true })));
  return {
    trainer: { step, random, loader, controllers },
    tokenizer,
    model:
      path === undefined ? stateOf("model", arrays, optimizerSteps.model, layout("model")) : { path, optimizerSteps: optimizerSteps.model },
    critic: optimizerSteps.critic === undefined ? null : stateOf("critic", arrays, optimizerSteps.critic, layout("critic")),
  };
}

/** The state of a model among arrays by their names; all have the same tensors. */
function stateOf(owner: string, arrays: ReadonlyMap<string, TensorValues>, optimizerSteps: number, layout: TensorLayout): ModelState {
  const size = sizeOf(layout);
  const optional = (name: string): TensorSet | null => {
    const values = arrays.get(`${owner}.${name}`);
    if (values && values.length !== size) throw new Error(`${owner}.${name} must have ${size} values, got ${values.length}`);
    return values ? { layout, values } : null;
  };
  const required = (name: string) => {
    const set = optional(name);
    if (!set) throw new Error(`the checkpoint has no ${owner}.${name} values`);
    return set;
  };
  const moments = { first: required("first"), second: required("second") };
  return { policy: required("policy"), reference: optional("reference"), ...moments, optimizerSteps };
}
