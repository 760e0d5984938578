// The part of a save that says what belongs to it: the configuration, where the checkpoint lies, and the SHA-256 of every other part.

import { type LiveSettings, liveKeys } from "../../protocol/config/configFacts.ts";
import { migrateConfig } from "../../protocol/config/migrations.ts";
import { type RunConfig, runConfigSchema } from "../../protocol/config.ts";
import { type BackendReport, KERNEL_BUILDS } from "../../protocol/messages.ts";
import { isRecord, parsedJson, parseOrThrow, showValue } from "../../protocol/problems.ts";
import { type RunParent, runParentSchema } from "../../protocol/run/runSummary.ts";
import { z } from "../../protocol/zod.ts";
import { type CheckpointHeader, checkpointSchema } from "./checkpointFiles.ts";
import { type KeptHeader, keptCheckpointSchema } from "./kept/keptCheckpoints.ts";
import { hashOf, jsonOf, type PartFacts, partSchema } from "./parts.ts";

export const MANIFEST = "run";
const FORMAT = "rollout-lab-run";

/** The version of saves that is written and read. */
export const VERSION = 8;

/** Wrapped, so that a sentence about a field begins with "config". */
const configSchema = z.object({ config: runConfigSchema });
const manifestSchema = z.strictObject({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  runId: z.string(),
  config: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()),
  checkpoint: checkpointSchema.nullable(),
  parent: runParentSchema.exactOptional(),
  backend: z.strictObject({ kernelBuild: z.enum(KERNEL_BUILDS) }).exactOptional(),
  checkpoints: z.array(keptCheckpointSchema).exactOptional(),
  parts: z.record(z.string(), partSchema),
});

export interface Manifest {
  readonly runId: string;
  readonly config: RunConfig;
  readonly settings: LiveSettings;
  readonly checkpoint: CheckpointHeader | null;
  /** The run that it was forked or copied from, or began with the weights of. */
  readonly parent?: RunParent;
  /** What computed the run when this was written, where kernels did. */
  readonly backend?: Pick<BackendReport, "kernelBuild">;
  /** Those that are kept beside it, ascending in step. */
  readonly checkpoints?: readonly KeptHeader[];
  /** The parts of the log and of kept rollouts, by name; arrays are with their checkpoints. */
  readonly parts: Readonly<Record<string, PartFacts>>;
}

export function liveSettingsOf(config: RunConfig): LiveSettings {
  return Object.fromEntries(liveKeys.map((key) => [key, config[key]]));
}

/** The configuration of a saved run of any version. */
export function readConfig(config: unknown): RunConfig {
  return parseOrThrow(configSchema, { config: migrateConfig(config, 1) }).config;
}

/** A manifest as JSON, with the SHA-256 of what it says before that. */
export function encodeManifest({ parts, ...manifest }: Manifest): Uint8Array {
  // A long run has thousands of parts, and each write names them all: they have no number that JSON lacks.
  const said = `${jsonOf({ format: FORMAT, version: VERSION, ...manifest }).slice(0, -1)},"parts":${JSON.stringify(parts)}}`;
  return new TextEncoder().encode(`{"sha256":"${hashOf(new TextEncoder().encode(said))}","run":${said}}`);
}

const MANIFEST_TEXT = /^\{"sha256":"([0-9a-f]{64})","run":(.*)\}$/s;
/** How manifests began before they had that form. */
const OLDER_TEXT = /^rollout-lab [0-9a-f]{8} \d+\n\{"format":"rollout-lab-run","version":(\d+)/;

/** What a manifest says, unchecked but for its hash and its version. */
function saidIn(file: Uint8Array): unknown {
  const text = new TextDecoder().decode(file);
  const older = OLDER_TEXT.exec(text)?.[1];
  if (older !== undefined) throw new Error(`the save has version ${older}, and this lab reads version ${VERSION}`);
  const [, hash, said] = MANIFEST_TEXT.exec(text) ?? [];
  if (said === undefined) throw new Error(`${MANIFEST} is damaged or cut short: it is not what a manifest of a saved run is`);
  if (hashOf(new TextEncoder().encode(said)) !== hash) throw new Error(`${MANIFEST} is damaged: its hash is not that of its contents`);
  const value = parsedJson(said, (cause) => new Error(`${MANIFEST} is damaged: it is not JSON`, { cause }));
  const version = isRecord(value) ? value.version : undefined;
  if (typeof version === "number" && version > VERSION)
    throw new Error(`the save must have version ${VERSION}, got ${showValue(version)}: a newer version of the lab wrote it`);
  return value;
}

/**
 * Reads a run's manifest; throws a sentence that says what is wrong with it.
 * @param runId the run that it must be of; whichever it is where left out
 */
export function decodeManifest(file: Uint8Array, runId?: string): Manifest {
  const manifest = parseOrThrow(manifestSchema, saidIn(file));
  if (runId !== undefined && manifest.runId !== runId) throw new Error(`${MANIFEST} belongs to another run, ${manifest.runId}`);
  const { config, settings, checkpoint, parent, backend, checkpoints = [], parts } = manifest;
  if (checkpoint && !checkpoint.tensors && checkpoint.path === undefined)
    throw new Error(`${MANIFEST} must name the tensors of its checkpoint`);
  // Read as part of a configuration: its fields may have had other names when it was written.
  const settingsOf = (written: Readonly<Record<string, unknown>>) => liveSettingsOf(readConfig({ ...config, ...written }));
  return {
    runId: manifest.runId,
    config: readConfig(config),
    settings: settingsOf(settings),
    checkpoint,
    ...(parent ? { parent } : {}),
    ...(backend ? { backend } : {}),
    ...(checkpoints.length > 0 ? { checkpoints: checkpoints.map((each) => ({ ...each, settings: settingsOf(each.settings) })) } : {}),
    parts,
  };
}
