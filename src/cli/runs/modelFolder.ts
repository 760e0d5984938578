// A Hugging Face model folder in the place of a save: weights that TRL or another program has trained, as a run of a
// configuration that stands at its start. From there everything goes as with the lab's own runs.
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { readModelFolder, type TransformerWeights } from "../../model/folder/checkpoint.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { loadRenderer } from "../../train/engine/loadRenderer.ts";
import type { Additions } from "../../train/host.ts";
import { exportSave } from "../../train/run/autosave.ts";
import { shapeOf, shapeSettings } from "../../train/run/model.ts";
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

async function readFolder(path: string): Promise<TransformerWeights> {
  try {
    return await readModelFolder(async (name) => new Uint8Array(await readFile(join(path, name))));
  } catch (error) {
    throw new CommandError(`${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What a configuration cannot say of a shape, and must therefore be as the lab has it; null where all of it is. */
function shapeProblem(found: TransformerConfig, wanted: TransformerConfig): string | null {
  const fixed = ["vocabularySize", "headSize", "ropeTheta", "rmsNormEps", "tiedEmbeddings", "maxPositions"] as const;
  const other = fixed.find((key) => found[key] !== wanted[key]);
  return other === undefined ? null : `its ${other} must be ${wanted[other]}, got ${found[other]}`;
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
  const plan = planRun({ config, weights_N }, additions ?? undefined);
  const host = createNodeHost(additions ? { additions } : {});
  const wanted = await shapeOf(plan.config, await loadRenderer(plan.task.rendererKind, host), host);
  const problem = shapeProblem(found, wanted);
  if (problem !== null) throw new CommandError(`${path} cannot be opened for ${config.task}: ${problem}`);
  const run = await prepareRun(runId, plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  try {
    run.steps.push(...steps);
    run.trainer.restore({ ...run.trainer.save(), step: steps.at(-1)?.step ?? 0 });
    return unpackFiles((await exportSave(run)).bytes);
  } finally {
    disposeModels(run);
  }
}
