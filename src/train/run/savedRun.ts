// A saved run as one block of bytes: a JSON header, then typed arrays back to back. The header is
// checked on the way in, because a stored file can be old, cut short or somebody else's.

import type { ModelState } from "../../model/model.ts";
import { migrateConfig } from "../../protocol/config/migrations.ts";
import { type RunConfig, runConfigSchema } from "../../protocol/config.ts";
import type { SaveSummary } from "../../protocol/messages.ts";
import { InputError, parseOrThrow } from "../../protocol/problems.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../../protocol/records.ts";
import { z } from "../../protocol/zod.ts";
import type { SavedRun } from "../host.ts";

/** Wrapped, so that a sentence about a field begins with "config". */
const configSchema = z.object({ config: runConfigSchema });
const words = z.tuple([z.int(), z.int(), z.int(), z.int()]);
const numbers = z.record(z.string(), z.number().nullable());
const records = z.array(z.looseObject({ step: z.int() }));
const headerSchema = z.object({
  format: z.literal("rollout-lab-run"),
  version: z.literal(1),
  config: z.unknown(),
  step: z.int().min(0),
  random: words,
  loader: z.number(),
  controllers: z.record(z.string(), z.number()),
  optimizerSteps: z.record(z.string(), z.int().min(0)),
  arrays: z.array(z.object({ name: z.string(), kind: z.enum(["float32", "float64"]), length: z.int().min(0) })),
  steps: z.array(z.object({ step: z.int(), metrics: numbers })),
  evaluations: records,
  baselines: z.array(z.looseObject({ kind: z.enum(["random", "start"]) })),
});

/** Where training stands, beside the model. */
export interface TrainerState {
  readonly step: number;
  readonly random: readonly [number, number, number, number];
  readonly loader: number;
  /** Adaptive coefficients, by name. */
  readonly controllers: Readonly<Record<string, number>>;
}

/** What the charts need to look as they did. */
export interface RunHistory {
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
}

export interface RunSnapshot extends RunHistory {
  readonly config: RunConfig;
  readonly trainer: TrainerState;
  readonly model: ModelState;
  /** A critic with its own trunk; null without one. */
  readonly critic: ModelState | null;
}

const ARRAY_NAMES = ["policy", "reference", "first", "second"] as const;

function arraysOf(owner: string, state: ModelState | null) {
  if (!state) return [];
  return ARRAY_NAMES.flatMap((name) => {
    const values = state[name];
    return values ? [{ name: `${owner}.${name}`, values }] : [];
  });
}

/** Packs a run into bytes. */
export function packRun(run: RunSnapshot): Uint8Array {
  const arrays = [...arraysOf("model", run.model), ...arraysOf("critic", run.critic)];
  const header = {
    format: "rollout-lab-run",
    version: 1,
    config: run.config,
    ...run.trainer,
    optimizerSteps: { model: run.model.optimizerSteps, ...(run.critic ? { critic: run.critic.optimizerSteps } : {}) },
    arrays: arrays.map(({ name, values }) => ({
      name,
      kind: values instanceof Float64Array ? "float64" : "float32",
      length: values.length,
    })),
    steps: run.steps,
    evaluations: run.evaluations,
    baselines: run.baselines,
  };
  const json = new TextEncoder().encode(JSON.stringify(header));
  const size = 8 + json.length + arrays.reduce((sum, { values }) => sum + values.byteLength, 0);
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 8);
  let offset = 8 + json.length;
  for (const { values } of arrays) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), offset);
    offset += values.byteLength;
  }
  return bytes;
}

/** The configuration of a saved run of any version. */
function readConfig(config: unknown): RunConfig {
  return parseOrThrow(configSchema, { config: migrateConfig(config, 1) }).config;
}

/** Saved runs as they are listed, in the present form; one whose configuration cannot be read has none, and says why. */
export function readSavedRuns(stored: readonly Omit<SavedRun, "bytes">[]): readonly SaveSummary[] {
  return stored.map(({ runId, step, savedAt, config }) => {
    try {
      return { runId, step, savedAt, bytes: 0, config: readConfig(config) };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return { runId, step, savedAt, bytes: 0, config: null, problem: error.message };
    }
  });
}

/** Reads a packed run back; throws a sentence that says what is wrong with it. */
export function unpackRun(bytes: Uint8Array): RunSnapshot {
  if (bytes.length < 8) throw new Error(`saved run is cut short: ${bytes.length} bytes, its header needs 8`);
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (8 + headerLength > bytes.length)
    throw new Error(`saved run is cut short: its header says ${headerLength} bytes, ${bytes.length - 8} are there`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + headerLength)));
  } catch (error) {
    throw new Error("saved run has a header that is not JSON", { cause: error });
  }
  const header = parseOrThrow(headerSchema, json);
  const arrays = new Map<string, Float32Array | Float64Array>();
  let offset = 8 + headerLength;
  for (const { name, kind, length } of header.arrays) {
    const size = length * (kind === "float64" ? 8 : 4);
    if (offset + size > bytes.length) throw new Error(`saved run is cut short in its ${name} values`);
    const copy = bytes.slice(offset, offset + size).buffer;
    arrays.set(name, kind === "float64" ? new Float64Array(copy) : new Float32Array(copy));
    offset += size;
  }
  const stateOf = (owner: string): ModelState => {
    const required = (name: string) => {
      const values = arrays.get(`${owner}.${name}`);
      if (!values) throw new Error(`saved run has no ${owner}.${name} values`);
      return values;
    };
    return {
      policy: required("policy"),
      reference: arrays.get(`${owner}.reference`) ?? null,
      first: required("first"),
      second: required("second"),
      optimizerSteps: header.optimizerSteps[owner] ?? 0,
    };
  };
  return {
    config: readConfig(header.config),
    trainer: { step: header.step, random: header.random, loader: header.loader, controllers: header.controllers },
    model: stateOf("model"),
    critic: arrays.has("critic.policy") ? stateOf("critic") : null,
    // JSON has no NaN: a metric that was not a number comes back as null.
    steps: header.steps.map(({ step, metrics }) => ({
      step,
      metrics: Object.fromEntries(Object.entries(metrics).map(([key, value]) => [key, value ?? Number.NaN])),
    })),
    evaluations: header.evaluations as unknown as readonly EvaluationRecord[],
    baselines: header.baselines as unknown as readonly BaselineRecord[],
  };
}
