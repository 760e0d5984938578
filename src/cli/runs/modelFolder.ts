// A Hugging Face model folder, or one of PEFT's adapters, in the place of a save: what TRL or another program has trained, as a run of a
// configuration that stands at its start. From there everything goes as with the lab's own runs.

import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ADAPTER_FILES } from "../../model/folder/adapterFolder.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import { errorText } from "../../protocol/problems.ts";
import type { StepRecord } from "../../protocol/records.ts";
import type { Additions } from "../../train/host.ts";
import { exportSave } from "../../train/run/keep/takenCheckpoint.ts";
import type { SaveFiles } from "../../train/save/readSave.ts";
import { unpackFiles } from "../../train/save/rollout/packedFiles.ts";
import { planRun } from "../../train/start/plan.ts";
import { type ActiveRun, disposeModels, prepareRun } from "../../train/start/start.ts";
import { startFromAdapters, startFromFolder } from "../../train/start/weightTransfer.ts";
import { CommandError } from "../lab/exit.ts";
import { createNodeHost } from "../nodeHost.ts";

async function hasFiles(path: string, names: readonly string[]): Promise<boolean> {
  const found = await Promise.all(names.map((name) => stat(join(path, name)).catch(() => null)));
  return found.every((each) => each?.isFile());
}

/** Whether a folder holds a model in one file, or adapters of PEFT's. */
export async function isModelFolder(path: string): Promise<boolean> {
  return (await hasFiles(path, ["config.json", "model.safetensors"])) || hasFiles(path, ADAPTER_FILES);
}

/** What a run starts from in such a folder: weights, or adapters beside the base that the configuration names. */
async function startFrom<C extends RunConfigInput>(path: string, config: C) {
  if (!(await hasFiles(path, ADAPTER_FILES))) return startFromFolder(fileIn(path), config);
  return startFromAdapters(async (name) => new Uint8Array(await readFile(join(path, name))), config);
}

/** The bytes of a folder's file; null where it has none of that name. */
const fileIn = (path: string) => async (name: string) =>
  (await stat(join(path, name)).catch(() => null)) ? new Uint8Array(await readFile(join(path, name))) : null;

interface FolderAsRun {
  readonly path: string;
  readonly runId: string;
  readonly config: RunConfig;
  readonly additions: Additions | null;
  /** Steps that another program has taken. */
  readonly steps: readonly StepRecord[];
}

/** The save of a run of the configuration that has these weights. Throws a CommandError for a folder that it cannot be. */
export async function saveOfModelFolder({ path, runId, config: asked, additions, steps }: FolderAsRun): Promise<SaveFiles> {
  const host = createNodeHost(additions ? { additions } : {});
  let run: ActiveRun;
  try {
    // Nothing is computed on what is built here, so that no GPU is needed.
    const plan = planRun(await startFrom(path, { ...asked, backend: "wasm" as const }), additions ?? undefined);
    run = await prepareRun(runId, plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  } catch (error) {
    throw new CommandError(`${path} cannot be opened: ${errorText(error)}`);
  }
  try {
    run.steps.push(...steps);
    run.trainer.restore({ ...run.trainer.save(), step: steps.at(-1)?.step ?? 0 });
    return unpackFiles((await exportSave(run)).bytes);
  } finally {
    disposeModels(run);
  }
}
