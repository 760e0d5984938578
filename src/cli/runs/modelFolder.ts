// A Hugging Face model folder in the place of a save: weights that TRL or another program has trained, as a run of a
// configuration that stands at its start. From there everything goes as with the lab's own runs.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { readModelFolder, type TransformerWeights } from "../../model/folder/checkpoint.ts";
import { parameterLayout } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { shapeSettings } from "../../train/engine/handOver.ts";
import { loadRenderer, tokenizerId } from "../../train/engine/loadRenderer.ts";
import type { Additions } from "../../train/host.ts";
import { exportSave } from "../../train/run/autosave.ts";
import { disposeModels, planRun, prepareRun } from "../../train/run/start.ts";
import { unpackFiles } from "../../train/save/importedSave.ts";
import type { SaveFiles } from "../../train/save/readSave.ts";
import { CommandError } from "../lab/exit.ts";
import { createNodeHost } from "../nodeHost.ts";

/** Whether a folder holds a model in one file. */
export async function isModelFolder(path: string): Promise<boolean> {
  const found = await Promise.all(["config.json", "model.safetensors"].map((name) => stat(join(path, name)).catch(() => null)));
  return found.every((each) => each?.isFile());
}

async function openedFor<T>(path: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw new CommandError(`${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const readFolder = (path: string): Promise<TransformerWeights> =>
  openedFor(path, () => readModelFolder(async (name) => new Uint8Array(await readFile(join(path, name)))));

/** What the ids of a folder's model stand for; null where it has no tokenizer. */
async function tokenizerOf(path: string): Promise<string | null> {
  const file = join(path, "tokenizer.json");
  if (!(await stat(file).catch(() => null))) return null;
  return tokenizerId(await loadRenderer("chat", { readAsset: async () => new Uint8Array(await readFile(file)) }));
}

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
  const { config: found, weights_N } = await readFolder(path);
  // Nothing is computed on what is built here, so that no GPU is needed.
  const config: RunConfig = { ...asked, model: "transformer", startFrom: "run", backend: "wasm", ...shapeSettings(found) };
  const host = createNodeHost(additions ? { additions } : {});
  const run = await openedFor(path, async () => {
    const weights = { config: found, tokenizer: await tokenizerOf(path), weights: { layout: parameterLayout(found), values: weights_N } };
    const plan = planRun({ config, weights }, additions ?? undefined);
    return prepareRun(runId, plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  });
  try {
    run.steps.push(...steps);
    run.trainer.restore({ ...run.trainer.save(), step: steps.at(-1)?.step ?? 0 });
    return unpackFiles((await exportSave(run)).bytes);
  } finally {
    disposeModels(run);
  }
}
