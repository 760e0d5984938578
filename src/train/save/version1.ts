// Saves of version 1: one block of bytes with a JSON header, then typed arrays back to back. They have no
// checksum; all that can be checked is checked.

import { parseOrThrow } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { stateOf } from "./checkpointFiles.ts";
import { liveSettingsOf, readConfig } from "./manifest.ts";
import type { SavedState } from "./savedState.ts";
import { checkAscending, recordSchemas } from "./savedState.ts";

/** The file that holds a save of version 1. */
export const VERSION_1 = "version1";

const word = z.int();
/** JSON has no NaN: a metric that was not a number comes back as null. */
const numberOrNull = z
  .number()
  .nullable()
  .transform((value) => value ?? Number.NaN);
const { evaluation, baseline } = recordSchemas(numberOrNull);
const headerSchema = z.object({
  format: z.literal("rollout-lab-run"),
  version: z.literal(1),
  config: z.unknown(),
  step: z.int().min(0),
  random: z.tuple([word, word, word, word]),
  loader: z.number(),
  controllers: z.record(z.string(), z.number()),
  optimizerSteps: z.record(z.string(), z.int().min(0)),
  arrays: z.array(z.object({ name: z.string(), kind: z.enum(["float32", "float64"]), length: z.int().min(0) })),
  steps: z.array(z.object({ step: z.int(), metrics: z.record(z.string(), numberOrNull) })),
  evaluations: z.array(evaluation),
  baselines: z.array(baseline),
});
type Header = z.output<typeof headerSchema>;

function readHeader(bytes: Uint8Array): { readonly header: Header; readonly end: number } {
  if (bytes.length < 8) throw new Error(`saved run is cut short: ${bytes.length} bytes, its header needs 8`);
  const end = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (end > bytes.length) throw new Error(`saved run is cut short: its header says ${end - 8} bytes, ${bytes.length - 8} are there`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes.subarray(8, end)));
  } catch (error) {
    throw new Error("saved run has a header that is not JSON", { cause: error });
  }
  return { header: parseOrThrow(headerSchema, json), end };
}

function readArrays(bytes: Uint8Array, from: number, described: Header["arrays"]): ReadonlyMap<string, Float32Array | Float64Array> {
  const arrays = new Map<string, Float32Array | Float64Array>();
  let offset = from;
  for (const { name, kind, length } of described) {
    const size = length * (kind === "float64" ? 8 : 4);
    if (offset + size > bytes.length) throw new Error(`saved run is cut short in its ${name} values`);
    const copy = bytes.slice(offset, offset + size).buffer;
    const values = kind === "float64" ? new Float64Array(copy) : new Float32Array(copy);
    if (!values.every(Number.isFinite)) throw new Error(`saved run has a ${name} value that is not finite`);
    arrays.set(name, values);
    offset += size;
  }
  if (offset !== bytes.length) throw new Error(`saved run must have ${offset} bytes, got ${bytes.length}`);
  return arrays;
}

/** Reads a save of version 1; throws a sentence that says what is wrong with it. */
export function readVersion1(bytes: Uint8Array): SavedState {
  const { header, end } = readHeader(bytes);
  const { step, random, loader, controllers, optimizerSteps, steps, evaluations, baselines } = header;
  const arrays = readArrays(bytes, end, header.arrays);
  checkAscending(steps, "saved steps");
  checkAscending(evaluations, "saved evaluations");
  if ((steps.at(-1)?.step ?? 0) > step) throw new Error(`saved steps must end at ${step}, got ${steps.at(-1)?.step}`);
  const config = readConfig(header.config);
  return {
    config,
    settings: liveSettingsOf(config),
    checkpoint: {
      trainer: { step, random, loader, controllers },
      tokenizer: null,
      model: stateOf("model", arrays, optimizerSteps.model ?? 0, null),
      critic: arrays.has("critic.policy") ? stateOf("critic", arrays, optimizerSteps.critic ?? 0, null) : null,
    },
    steps,
    evaluations,
    baselines,
    // They came with versions 3 and 5.
    probes: [],
    kept: [],
  };
}
