// Metrics and settings of a run as MLflow's file store: one folder for the experiment, one for the run in it, and a
// file for each metric, setting and tag, as mlflow.store.tracking.file_store reads them. Scalars are lines "time value step".
import { stringify } from "yaml";

/** The metrics of one step. */
export interface TimedValues {
  readonly step: number;
  readonly timeMs: number;
  readonly values: Readonly<Record<string, number>>;
}

export interface MlflowRun {
  /** Some text that tells runs apart; ids are made from it. */
  readonly identity: string;
  readonly name: string;
  readonly experiment: string;
  readonly begunMs: number;
  readonly settings: readonly (readonly [name: string, value: string])[];
  /** The whole configuration as text, kept as an artifact. */
  readonly config: string;
}

/** MLflow's codes for a run that goes on, for one that has finished, and for one that was started from a program. */
const RUNNING = 1;
const FINISHED = 3;
const LOCAL = 4;
/** MLflow refuses longer values of settings. */
const LONGEST_VALUE = 6000;

/** 64-bit FNV-1a, as hexadecimal digits. */
export function fnvHash(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(16).padStart(16, "0");
}

/**
 * Lines of each metric, by the file it has among these names; what is not a number is left out. A name that others
 * begin with ("loss" beside "loss/kl") gets a last part, since it cannot be a file and a folder.
 */
export function metricLines(rows: readonly TimedValues[], names: ReadonlySet<string>): ReadonlyMap<string, string> {
  const isFolder = (name: string) => [...names].some((other) => other.startsWith(`${name}/`));
  const pathOf = new Map([...names].map((name) => [name, isFolder(name) ? `${name}/total` : name]));
  const lines = new Map<string, string>();
  for (const { step, timeMs, values } of rows)
    for (const [name, value] of Object.entries(values))
      if (Number.isFinite(value)) lines.set(name, `${lines.get(name) ?? ""}${Math.round(timeMs)} ${value} ${step}\n`);
  return new Map([...lines].map(([name, text]) => [pathOf.get(name) ?? name, text]));
}

/** Where the run of a store lies in it. */
export function mlflowFolder({ identity, experiment }: Pick<MlflowRun, "identity" | "experiment">): string {
  const experimentId = String(BigInt(`0x${fnvHash(experiment)}`) % 10n ** 15n);
  return `${experimentId}/${fnvHash(`${identity} a`) + fnvHash(`${identity} b`)}`;
}

/** Texts of the store's files but for its metrics, by path. @param endedMs when it ended; null while it goes on. */
export function mlflowTexts(run: MlflowRun, endedMs: number | null): readonly (readonly [path: string, text: string])[] {
  const { name, experiment, begunMs, settings, config } = run;
  const folder = mlflowFolder(run);
  const [experimentId = "", runId = ""] = folder.split("/");
  const begun = Math.round(begunMs);
  const meta = {
    artifact_uri: `./${folder}/artifacts`,
    start_time: begun,
    end_time: endedMs === null ? null : Math.round(endedMs),
    entry_point_name: "",
    source_name: "rollout-lab",
    source_type: LOCAL,
    source_version: "",
    experiment_id: experimentId,
    lifecycle_stage: "active",
    run_id: runId,
    run_name: name,
    status: endedMs === null ? RUNNING : FINISHED,
    tags: [],
    user_id: "",
  };
  const experimentMeta = {
    artifact_location: `./${experimentId}`,
    creation_time: begun,
    last_update_time: begun,
    experiment_id: experimentId,
    lifecycle_stage: "active",
    name: experiment,
  };
  // PyYAML takes YAML 1.1, where an id of digits would be a number unless quoted.
  const yaml = (value: unknown) => stringify(value, { version: "1.1", defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN" });
  return [
    [`${experimentId}/meta.yaml`, yaml(experimentMeta)],
    [`${folder}/meta.yaml`, yaml(meta)],
    [`${folder}/tags/mlflow.runName`, name],
    [`${folder}/tags/mlflow.source.name`, "rollout-lab"],
    // MLflow takes no folder for a run's that has none for artifacts.
    [`${folder}/artifacts/config.json`, config],
    ...settings.map(([key, value]) => [`${folder}/params/${key}`, value.slice(0, LONGEST_VALUE)] as const),
  ];
}
