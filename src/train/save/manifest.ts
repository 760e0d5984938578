// The file of a save that says what belongs to it: the configuration and where the checkpoint lies.

import { type LiveSettings, liveKeys } from "../../protocol/config/configFacts.ts";
import { migrateConfig } from "../../protocol/config/migrations.ts";
import { type RunConfig, runConfigSchema } from "../../protocol/config.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import { isRecord, parseOrThrow, showValue } from "../../protocol/problems.ts";
import { type RunParent, runParentSchema } from "../../protocol/run/runSummary.ts";
import { z } from "../../protocol/zod.ts";
import { type CheckpointHeader, checkpointSchema } from "./checkpointFiles.ts";
import { type KeptHeader, keptCheckpointSchema } from "./kept/keptCheckpoints.ts";
import { seal, unseal } from "./sealed.ts";

export const MANIFEST = "run";

/**
 * The version of saves that is written today. Version 6 did not say which kernels computed, version 5 knew one checkpoint alone and no parent, version 4 kept no rollouts, version 3 had weights without names, version 2 no
 * probes in its log either.
 */
const VERSION = 7;

/** Wrapped, so that a sentence about a field begins with "config". */
const configSchema = z.object({ config: runConfigSchema });
const manifestSchema = z.strictObject({
  format: z.literal("rollout-lab-run"),
  version: z.literal([2, 3, 4, 5, 6, VERSION]),
  runId: z.string(),
  config: z.record(z.string(), z.unknown()),
  settings: z.record(z.string(), z.unknown()),
  checkpoint: checkpointSchema.nullable(),
  parent: runParentSchema.exactOptional(),
  backend: z.strictObject({ kernelBuild: z.enum(["relaxed, fused", "relaxed, unfused", "plain"]) }).exactOptional(),
  checkpoints: z.array(keptCheckpointSchema).exactOptional(),
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
}

/** The live settings of a configuration. */
export function liveSettingsOf(config: RunConfig): LiveSettings {
  return Object.fromEntries(liveKeys.map((key) => [key, config[key]]));
}

/** The configuration of a saved run of any version. */
export function readConfig(config: unknown): RunConfig {
  return parseOrThrow(configSchema, { config: migrateConfig(config, 1) }).config;
}

export function encodeManifest(manifest: Manifest): Uint8Array {
  return seal({ format: "rollout-lab-run", version: VERSION, ...manifest });
}

/** Reads a run's manifest; throws a sentence that says what is wrong with it. */
export function decodeManifest(file: Uint8Array, runId: string): Manifest {
  const { header } = unseal(file, MANIFEST, "rollout-lab-run");
  const version = isRecord(header) ? header.version : undefined;
  if (typeof version === "number" && version > VERSION)
    throw new Error(
      `the save must have version ${VERSION} or an older one, got ${showValue(version)}: a newer version of the lab wrote it`,
    );
  const manifest = parseOrThrow(manifestSchema, header);
  if (manifest.runId !== runId) throw new Error(`${MANIFEST} belongs to another run, ${manifest.runId}`);
  const { config, settings, checkpoint, parent, backend, checkpoints = [] } = manifest;
  const isWhole = (checkpoint?.tensors || checkpoint?.path !== undefined) && checkpoint.tokenizer !== undefined;
  if (manifest.version >= 4 && checkpoint && !isWhole)
    throw new Error(`${MANIFEST} must name the tensors of its checkpoint and their tokenizer`);
  // Read as part of a configuration: its fields may have had other names when it was written.
  const settingsOf = (written: Readonly<Record<string, unknown>>) => liveSettingsOf(readConfig({ ...config, ...written }));
  return {
    runId,
    config: readConfig(config),
    settings: settingsOf(settings),
    checkpoint,
    ...(parent ? { parent } : {}),
    ...(backend ? { backend } : {}),
    ...(checkpoints.length > 0 ? { checkpoints: checkpoints.map((each) => ({ ...each, settings: settingsOf(each.settings) })) } : {}),
  };
}
