// A run that somebody wants to look at: built from its save as the engine builds it when it goes on, and
// brought to its last step. Nothing is written.
import { dirname, extname, join } from "node:path";
import type { RunConfig } from "../../protocol/config.ts";
import { beginningWith } from "../../protocol/models/modelName.ts";
import type { ContentReader } from "../../rl/tasks/custom/world.ts";
import { catalog } from "../../train/catalog.ts";
import type { Additions, Clock } from "../../train/host.ts";
import { checkFits } from "../../train/memory/memoryCheck.ts";
import { repeatSteps } from "../../train/run/resume/repeatSteps.ts";
import type { ImportedSave } from "../../train/save/importedSave.ts";
import { savedRemark } from "../../train/save/log/oddValues.ts";
import { decodeManifest, encodeManifest, MANIFEST } from "../../train/save/manifest.ts";
import { dataIn } from "../../train/save/rollout/heldData.ts";
import { ROLLOUT_ENDINGS } from "../../train/save/rollout/packedFiles.ts";
import { lastStep } from "../../train/save/savedState.ts";
import type { RunSignals } from "../../train/start/model.ts";
import { openPlan } from "../../train/start/openedPlan.ts";
import { checkStart, planRun } from "../../train/start/plan.ts";
import { type ActiveRun, buildRun, disposeModels, prepareRun } from "../../train/start/start.ts";
import { loadNamed } from "../custom/additions.ts";
import { contentsIn } from "../custom/contents.ts";
import { createFolderStore } from "../folder/folderStore.ts";
import { readRecords } from "../folder/recordedRun.ts";
import {
  checkpointPath,
  findRun,
  isOfTrl,
  isRunFolder,
  isSaveFile,
  isThere,
  lackOfSave,
  pathOf,
  type RunFolder,
  readJson,
  saveFolder,
  TRL_OUTPUT,
} from "../folder/runFolder.ts";
import { readOrRefuse, readSaveFile } from "../folder/saveFile.ts";
import { CommandError } from "../lab/exit.ts";
import type { Progress } from "../lab/progress.ts";
import { operandWord } from "../lab/texts.ts";
import type { Device, OPTIONS_TO_LOOK, OptionValues } from "../lab/verb.ts";
import { chosenModel } from "../models/modelPlaces.ts";
import { namedServer } from "../remote/httpServer.ts";
import { planFile, readConfigFile } from "../training/configFile.ts";
import { hostToLook } from "../training/runHost.ts";
import { isModelFolder, saveOfModelFolder } from "./modelFolder.ts";

interface OpenedRun {
  readonly run: ActiveRun;
  /** Where it was read from. */
  readonly path: string;
}

export interface Opening {
  /**
   * A run's folder, its name in runs/, a file that the page downloaded, or a configuration, whose start is meant; left
   * out where a model alone is asked.
   */
  readonly path?: string | undefined;
  /** A pretrained model that stands in the place of what the run has learnt, as it was before any training. */
  readonly model?: string | undefined;
  readonly which: "best" | "last";
  /** What computes, where somebody asked for it. */
  readonly device?: Device | undefined;
  readonly progress: Progress;
  /** Replaces settings of the run, such as how many problems are evaluated. */
  readonly settings?: Partial<RunConfig>;
}

/** The policy that a verb is told to ask. */
export async function openingOf(
  path: string | undefined,
  { model, checkpoint = "last", device }: OptionValues<typeof OPTIONS_TO_LOOK>,
  beside: Pick<Opening, "progress" | "settings">,
): Promise<Opening> {
  return { path, model: model === undefined ? undefined : await chosenModel(model), which: checkpoint, device, ...beside };
}

export interface FoundSave extends ImportedSave {
  readonly path: string;
  /** Rewards and tasks that its folder names. */
  readonly additions: Additions | undefined;
  /** Where its data lies. */
  readonly contents: ContentReader | undefined;
  /** What its run.json says; null where there is none. */
  readonly facts?: unknown;
}

/**
 * The run that hands its weights on. Where it stands at its last step nothing of its task and its rewards is asked again, so
 * that custom files which it names need not be there: the run that comes stands in for them.
 */
export async function findParent(path: string, next: Pick<RunConfig, "task" | "taskOptions">): Promise<FoundSave> {
  const found = await findSave({ path, which: "last" }, false);
  const { runId, files } = found;
  const { checkpoint, ...saved } = readOrRefuse(path, found);
  const own = saved.config.task;
  if (!checkpoint || checkpoint.trainer.step !== lastStep({ ...saved, checkpoint })) return findSave({ path, which: "last" });
  const manifest = decodeManifest(files.get(MANIFEST)!, runId);
  const task = catalog.tasks.some(({ id }) => id === own) ? {} : { task: next.task, taskOptions: next.taskOptions };
  const config = { ...manifest.config, ...task, rewardRules: {}, rewardWeights: {}, rewardGates: {} };
  return { ...found, files: new Map([...files, [MANIFEST, encodeManifest({ ...manifest, config })]]) };
}

/** The save that a path means. Throws a CommandError where there is none. @param withCode whether what its folder names is loaded. */
export async function findSave(
  { path, which }: { readonly path: string; readonly which: Opening["which"] },
  withCode = true,
): Promise<FoundSave> {
  if (await isSaveFile(path)) {
    const read = await readSaveFile(path);
    return { path, ...read, additions: undefined, contents: contentsIn([dirname(path)], dataIn(read.files)) };
  }
  const folder = await findRun(path);
  const facts = await readJson(pathOf(folder, "run.json"));
  const contents = contentsIn([folder.path]);
  const additions = withCode ? (await loadNamed(facts))?.additions : undefined;
  if (isOfTrl(facts)) return trainedByTrl(folder, additions);
  if (which === "best") {
    const file = await bestOf(folder);
    return { path: file, ...(await readSaveFile(file)), additions, contents, facts };
  }
  const files = await createFolderStore(saveFolder(folder)).read(folder.runId);
  if (files.size === 0) throw await lackOfSave(folder);
  return { path: folder.path, runId: folder.runId, files, additions, contents, facts };
}

/** The best checkpoint of a folder, under whichever ending it has. */
async function bestOf(folder: RunFolder): Promise<string> {
  const [now, before] = ROLLOUT_ENDINGS.map((ending) => checkpointPath(folder, "best", ending)) as [string, string];
  return !(await isThere(now)) && (await isThere(before)) ? before : now;
}

/** What TRL has left in a run's folder, as a save. */
async function trainedByTrl(folder: RunFolder, additions: Additions | undefined): Promise<FoundSave> {
  const path = join(folder.path, TRL_OUTPUT);
  if (!(await isModelFolder(path)))
    throw new CommandError(
      `${folder.path} has no model: TRL did not train it to its end, which rollout-lab train ${operandWord(folder.path)} --resume does`,
    );
  const { config, steps } = await readRecords(folder);
  const { runId } = folder;
  return {
    path: folder.path,
    runId,
    files: await saveOfModelFolder({ path, runId, config, additions, steps }),
    additions,
    contents: contentsIn([folder.path]),
  };
}

/** What opening tells while it goes on. */
function signalsOf(progress: Progress, host: Clock): RunSignals {
  const onPreparing = (what: string, done: number, total: number) => {
    progress.tell({ type: "preparing", what, done, total });
    progress.doing(what);
  };
  return { onPreparing, onLost() {}, pause: host.yield };
}

/** Opens a run, or a start, and gives it back once it was looked at. Throws a CommandError where it is not there or cannot be read. */
export async function lookAtRun<T>(opening: Opening, look: (opened: OpenedRun) => Promise<T>): Promise<T> {
  const opened = await openRun(opening);
  try {
    return await look(opened);
  } finally {
    disposeModels(opened.run);
  }
}

async function openRun(opening: Opening): Promise<OpenedRun> {
  const { device, progress, settings, model, which, path: asked } = opening;
  if (asked === undefined || model !== undefined || (await isConfiguration(asked))) return openStart(opening);
  const { path, additions, contents, facts, ...save } = await findSave({ path: asked, which });
  const saved = readOrRefuse(path, save);
  const server = saved.config.backend === "tinker" ? await namedServer(undefined, facts) : null;
  const { host, backend, notice } = await hostToLook(saved.config, device, {
    ...(contents ? { contents } : {}),
    ...(server ? { openServer: async () => server } : {}),
  });
  if (notice !== null) progress.tell({ type: "notice", message: notice });
  const plan = planRun({ config: { ...saved.config, ...saved.settings, ...settings, backend }, saved }, additions);
  const signals = signalsOf(progress, host);
  const run = await prepareRun(save.runId, plan, host, signals);
  const remark = await repeatSteps(run, lastStep(saved), host, { ...signals, isWanted: () => true });
  for (const message of [savedRemark(saved), remark]) if (message !== null) progress.tell({ type: "notice", message });
  return { run, path };
}

/** Whether a path is a configuration rather than a run. */
async function isConfiguration(path: string): Promise<boolean> {
  return [".yaml", ".yml", ".json"].includes(extname(path)) && !(await isRunFolder(path));
}

/** The settings of what is asked about, and what is loaded beside them. */
async function settingsAt(path: string | undefined) {
  // What opens a conversation of this task is the prompt alone.
  if (path === undefined) return { config: planRun({ config: { task: "prompts" } }).config, additions: undefined, contents: undefined };
  if (await isConfiguration(path)) {
    const file = await readConfigFile(path);
    return { config: planFile(file).config, additions: file.loaded?.additions, contents: file.contents };
  }
  const { additions, contents, ...save } = await findSave({ path, which: "last" });
  const { config, settings } = readOrRefuse(path, save);
  return { config: { ...config, ...settings }, additions, contents };
}

/**
 * A configuration's policy, or another model, before any training. Beside a model that is named stand adapters that do
 * nothing yet, since all weights of one are seldom trained here.
 */
async function openStart(opening: Opening): Promise<OpenedRun> {
  const { device, progress, settings, model, path } = opening;
  const { config, additions, contents } = await settingsAt(path);
  const begun = { ...config, ...settings, ...(model === undefined ? {} : beginningWith(model, config)) };
  const { host, backend, notice } = await hostToLook(begun, device, contents ? { contents } : {});
  if (notice !== null) progress.tell({ type: "notice", message: notice });
  const planned = planRun({ config: { ...begun, backend, changes: [] } }, additions);
  checkStart(planned);
  const plan = await openPlan(planned, host);
  await checkFits(plan, host);
  const run = await buildRun("start", plan, host, signalsOf(progress, host));
  return { run, path: model ?? path ?? "" };
}
