// The run that a command line goes on with, and what of it that changes: everything else is as the run's own
// save has it, whatever the configuration file says by now.

import { basename, dirname, join } from "node:path";
import { isSame, type LiveSettings, liveKeys } from "../../protocol/config/configFacts.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "../../protocol/config.ts";
import { isRecord, showValue } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import { z } from "../../protocol/zod.ts";
import type { Additions } from "../../train/host.ts";
import { renamedSave } from "../../train/save/importedSave.ts";
import { dataFiles, dataIn, withoutData } from "../../train/save/rollout/heldData.ts";
import { lastStep, type SavedState } from "../../train/save/savedState.ts";
import { dueSettings } from "../../train/step/settings.ts";
import { type Loaded, loadNamed } from "../custom/additions.ts";
import { contentsIn, putData } from "../custom/contents.ts";
import { createFolderStore } from "../folder/folderStore.ts";
import {
  contentOf,
  createRunFolder,
  findRun,
  freeFolder,
  lackOfSave,
  listRuns,
  namesRun,
  pathOf,
  RUNS,
  type RunFolder,
  readJson,
  saveFolder,
  writeJson,
} from "../folder/runFolder.ts";
import { readOrRefuse, readSaveFile } from "../folder/saveFile.ts";
import { CommandError, foundAt } from "../lab/exit.ts";
import { operandWord } from "../lab/texts.ts";
import { type ConfigFile, planFile, readConfigFile, type Setting, withSettings } from "./configFile.ts";

/** What run.json says of how a run was begun, where it was begun with either. */
export const begunWith = z
  .object({
    /** Conversations that are written down. */
    trajectories: z.union([z.number(), z.literal("all")]),
    /** Forms in which its metrics are written besides. */
    log: z.string(),
  })
  .partial();

interface Resumed extends z.output<typeof begunWith> {
  readonly folder: RunFolder;
  /** Its configuration from here on. */
  readonly plan: RunConfig;
  /** What changes of it. */
  readonly settings: LiveSettings;
  readonly additions: Additions | undefined;
  /** What its run.json says; null where it comes from one file. */
  readonly facts: unknown;
  readonly notices: readonly string[];
}

const isLive = (key: RunConfigKey) => (liveKeys as readonly RunConfigKey[]).includes(key);

/** Fields that two configurations do not share. How a run is computed is none of them, nor the list of its changes. */
function otherFields(one: RunConfig, other: RunConfig): readonly RunConfigKey[] {
  const aside: ReadonlySet<RunConfigKey> = new Set(["changes", "backend", "threads"]);
  return (Object.keys(one) as RunConfigKey[]).filter((key) => !aside.has(key) && !isSame(one[key], other[key]));
}

/** What a saved run becomes with settings of the command line. Throws a CommandError for what only a new run can have. */
function changed(path: string, saved: SavedState, loaded: Loaded | null, given: readonly Setting[]) {
  const own: ConfigFile = { path, name: path, input: saved.config, loaded, contents: contentsIn([path]), whereIs: () => null };
  const { config: before } = planFile(own);
  const { config: plan } = planFile(withSettings(own, given));
  const fields = otherFields(plan, before);
  const fixed = fields.find((key) => !isLive(key));
  if (fixed)
    throw new CommandError(
      `${path} was begun with ${fixed} ${showValue(before[fixed])}, got ${showValue(plan[fixed])}: leave --resume out to begin another run (only ${liveKeys.join(", ")} can change)`,
    );
  const settings: LiveSettings = Object.fromEntries(fields.map((key) => [key, plan[key]]));
  const step = lastStep(saved);
  if (plan.steps === 0 || step < plan.steps) return { plan, settings, notices: [] };
  const ended = `${path} has taken its ${counted(plan.steps, "step")}`;
  if (fields.length > 0)
    throw new CommandError(
      `${ended}, after which ${fields.join(", ")} would change nothing: --set steps=N, with N > ${step}, lets it go on`,
    );
  return { plan, settings, notices: [`${ended} before: --set steps=N, with N > ${step}, lets it go on.`] };
}

/** Settings of the command line that a run was begun with, by its run.json. */
export function settingsIn(facts: unknown): readonly Setting[] {
  const list = isRecord(facts) && Array.isArray(facts.settings) ? facts.settings : [];
  return list.filter(isRecord).map(({ field, value }) => ({ field: String(field), value, option: `--set ${String(field)}` }));
}

/** Throws where a configuration file is not the one that a run was begun with, so that nobody takes its new values for the run's. */
export function checkSame(file: ConfigFile, folder: RunFolder, config: RunConfig, begunWith: readonly Setting[]): void {
  const begun: RunConfig = { ...config, ...dueSettings(config, 0) };
  const { config: now } = planFile(withSettings(file, begunWith));
  // A model that began with another run's weights has the shape of the parent's, whatever the file says.
  const isGiven = (key: RunConfigKey) => begun.startFrom === "run" && runConfigSchema.shape[key].group === "model";
  const added = now.changes.some((change) => !begun.changes.some((each) => isSame(each, change)));
  const other = added ? "changes" : otherFields(now, begun).find((key) => !isGiven(key));
  if (!other) return;
  throw new CommandError(
    `${file.path} has ${other} ${showValue(now[other])}, and ${folder.path} was begun with ${showValue(begun[other])}: go on with it as it is by rollout-lab train ${operandWord(folder.path)} --resume, where --set changes what can change`,
  );
}

/** The folder that a configuration's name, or the run's, and --out mean. */
async function folderOf(path: string, file: ConfigFile | null, out: string | undefined): Promise<RunFolder> {
  if (!file) {
    if (out !== undefined) throw new CommandError(`${path} names the run that goes on: leave --out ${out} out`);
    return findRun(path);
  }
  const newest = (await listRuns(RUNS)).find((run) => run === file.name || run.replace(/-\d+$/, "") === file.name);
  if (out === undefined && newest === undefined)
    throw new CommandError(`there is no run of ${file.name} in ${RUNS}/ to resume: leave --resume out, or name its folder with --out`);
  return findRun(out ?? join(RUNS, newest!));
}

/** The run that a command line names. */
export interface NamedRun {
  readonly folder: RunFolder;
  /** The configuration that it is named by; null where its folder is. */
  readonly file: ConfigFile | null;
  /** What its run.json says. */
  readonly facts: unknown;
}

/** @param path of its folder or its configuration. */
export async function namedRun(path: string, out: string | undefined): Promise<NamedRun> {
  const file = (await foundAt(path))?.isFile() || /\.(ya?ml|json)$/.test(path) ? await readConfigFile(path) : null;
  const folder = await folderOf(path, file, out);
  return { folder, file, facts: await readJson(pathOf(folder, "run.json")) };
}

/** Finds the run, of one that lies in a file makes a folder. @param path of its folder, its configuration or its file. */
export async function findResumed(path: string, out: string | undefined, given: readonly Setting[]): Promise<Resumed> {
  if (namesRun(path)) {
    const found = changed(path, readOrRefuse(path, await readSaveFile(path)), null, given);
    return { ...found, folder: await folderFromSave(path, out), additions: undefined, facts: null };
  }
  const { folder, file, facts } = await namedRun(path, out);
  if ((await contentOf(folder)) !== "save") throw await lackOfSave(folder);
  const saved = readOrRefuse(folder.path, { runId: folder.runId, files: await createFolderStore(saveFolder(folder)).read(folder.runId) });
  if (file) checkSame(file, folder, saved.config, settingsIn(facts));
  const loaded = await loadNamed(facts);
  return { ...changed(folder.path, saved, loaded, given), folder, additions: loaded?.additions, facts, ...begunWith.parse(facts) };
}

/**
 * Makes a run's folder from a saved run in one file, such as the page downloads, so that it goes on here; without `out`
 * a free one in runs/.
 */
async function folderFromSave(path: string, out: string | undefined): Promise<RunFolder> {
  const imported = await readSaveFile(path);
  const saved = readOrRefuse(path, imported);
  const name = basename(path).replace(/\.rollout(-lab)?$/, "");
  const folder = await createRunFolder(out ?? (await freeFolder(name)), { name, config: path });
  const put = renamedSave(withoutData(imported.files), folder.runId);
  const bytes = [...put.values()].reduce((sum, { length }) => sum + length, 0);
  const save = await createFolderStore(saveFolder(folder)).open(folder.runId);
  await save?.write({ summary: { runId: folder.runId, step: lastStep(saved), savedAt: Date.now(), bytes }, put, removed: "all others" });
  await writeJson(pathOf(folder, "config.json"), saved.config);
  await putData(await dataFiles(saved.config, contentsIn([dirname(path)], dataIn(imported.files))), folder.path);
  return folder;
}
