// The folder of a run: where each of its files lies, and which process may write them.
//   run.json            what it is: id, command, versions
//   config.json         its configuration, every field of it; can be trained again as it is
//   metrics.jsonl       one line a step
//   evaluations.jsonl   baselines and evaluations on held-out problems
//   trajectories.jsonl  sampled conversations with their tokens; of TRL without log-probs
//   save/               where it goes on from
//   checkpoints/        the best and the last checkpoint, as files that the page downloads and the lab opens
//   summary.json        the report, once it has ended
import { renameSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, unlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { nearestName } from "../../protocol/nearestName.ts";
import { isRecord, parsedJson } from "../../protocol/problems.ts";
import { SAVE_LIST } from "../../train/save/importedSave.ts";
import { ROLLOUT_ENDING, ROLLOUT_ENDINGS } from "../../train/save/rollout/packedFiles.ts";
import { CommandError, codeOf, failedFile, fileError, foundAt } from "../lab/exit.ts";
import { operandWord, shellWord } from "../lab/texts.ts";

export const RUNS = "runs";
/** Where TRL leaves its model in the folder of a run that it has trained. */
export const TRL_OUTPUT = join("trl", "output");
/** Holds the number of the process that trains the run. */
const LOCK = ".pid";
/** Whether a path is named as a run in one file is. */
export const namesRun = (path: string): boolean => ROLLOUT_ENDINGS.some((ending) => path.endsWith(ending));

export interface RunFolder {
  readonly path: string;
  /** The id that its saves carry. */
  readonly runId: string;
  /** The run is one file, as the page downloads it: it can be looked at, and none of the files below is there. */
  readonly isFile?: true;
}

const FILES = ["run.json", "config.json", "metrics.jsonl", "evaluations.jsonl", "trajectories.jsonl", "summary.json"] as const;
type RunFile = (typeof FILES)[number];

export const pathOf = ({ path }: RunFolder, file: RunFile): string => join(path, file);
export const saveFolder = ({ path }: Pick<RunFolder, "path">): string => join(path, "save");
export const checkpointPath = ({ path }: RunFolder, which: "best" | "last", ending: string = ROLLOUT_ENDING): string =>
  join(path, "checkpoints", `${which}${ending}`);

/** Whether TRL trains a run, by its run.json. */
export const isOfTrl = (facts: unknown): boolean => isRecord(facts) && facts.backend === "trl";

const isFile = async (path: string): Promise<boolean> => (await foundAt(path))?.isFile() === true;

/** Whether a folder holds a run. */
export async function isRunFolder(path: string): Promise<boolean> {
  return isFile(join(path, "run.json"));
}

/** Whether a run in a folder got as far as its configuration, after which all that it records can be read. */
export async function isStarted({ path }: Pick<RunFolder, "path">): Promise<boolean> {
  return (await foundAt(join(path, "config.json"))) !== null;
}

/** Whether a path is one file, as the page downloads a run; one that only has such a file's name counts, to be refused by it. */
export async function isSaveFile(path: string): Promise<boolean> {
  return namesRun(path) || isFile(path);
}

/** The folder of a run that is there. Throws a CommandError that names the nearest one. */
export async function findRun(path: string): Promise<RunFolder> {
  if (await isRunFolder(path)) return { path, runId: await runIdOf(path) };
  if (await isRunFolder(join(RUNS, path))) return findRun(join(RUNS, path));
  const known = await listRuns(RUNS);
  const near = nearestName(basename(path), known);
  const help = near
    ? ` (did you mean ${join(RUNS, near)}?)`
    : known.length > 0
      ? ": rollout-lab list shows those there are"
      : ": rollout-lab train makes one";
  throw new CommandError(`there is no run at ${path}${help}`);
}

async function runIdOf(path: string): Promise<string> {
  const facts = (await readJson(join(path, "run.json"))) as { readonly runId?: unknown };
  if (typeof facts.runId !== "string") throw new CommandError(`${join(path, "run.json")} has no runId: the folder is no run of this lab`);
  return facts.runId;
}

/** Names of the runs in a folder, newest first. */
export async function listRuns(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found: { readonly name: string; readonly changed: number }[] = [];
  for (const entry of entries)
    if (entry.isDirectory() && (await isRunFolder(join(folder, entry.name))))
      found.push({ name: entry.name, changed: (await stat(join(folder, entry.name, "run.json"))).mtimeMs });
  return found.sort((a, b) => b.changed - a.changed || b.name.localeCompare(a.name, "en", { numeric: true })).map(({ name }) => name);
}

/** A folder for a new run of that name, beside those there are: "name", "name-2", and so on. */
export async function freeFolder(name: string): Promise<string> {
  const taken = new Set(await readdir(RUNS).catch(() => []));
  let free = name;
  for (let number = 2; taken.has(free); number++) free = `${name}-${number}`;
  return join(RUNS, free);
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
    throw fileError("read", path, error);
  }
}

/** What was kept of a run: a save that it goes on from, records without one, or nothing yet, so that another may take its folder. */
export async function contentOf(folder: RunFolder): Promise<"save" | "records" | "nothing"> {
  if (await isThere(join(saveFolder(folder), SAVE_LIST))) return "save";
  const records = [...(["metrics.jsonl", "summary.json"] as const).map((file) => pathOf(folder, file)), checkpointPath(folder, "last")];
  for (const path of records) if (await isThere(path)) return "records";
  return "nothing";
}

/** Why a run without a save can neither go on nor be looked at, and what to do. */
export async function lackOfSave(folder: RunFolder): Promise<CommandError> {
  const { path } = folder;
  if ((await contentOf(folder)) !== "nothing")
    return new CommandError(`${path} has no save, so that it can neither go on nor be looked at: train it again into another folder`);
  await refuseWhileTrained(folder);
  const facts = await readJson(pathOf(folder, "run.json"));
  const { command = [] } = isRecord(facts) ? facts : {};
  const words = Array.isArray(command) && command.length > 0 ? command.map(String) : ["train", "CONFIG"];
  const again = words.some((word) => /^--out(=|$)/.test(word)) ? words : [...words, "--out", path.startsWith("-") ? `./${path}` : path];
  return new CommandError(`${path} ended before its start was saved: rollout-lab ${again.map(shellWord).join(" ")} begins it again`);
}

/** Takes what a start has left in a folder where nothing of its run was kept; what others have put there stays. */
export async function clearFolder(folder: RunFolder): Promise<void> {
  if ((await contentOf(folder)) !== "nothing") return;
  for (const file of FILES) await rm(pathOf(folder, file), { force: true });
  for (const path of [saveFolder(folder), join(folder.path, "checkpoints"), join(folder.path, "data")])
    await rm(path, { recursive: true, force: true });
  await rmdir(folder.path).catch(() => {});
}

/** Makes a folder and those above it. Node's own way never ends where one of them, as below /proc, can neither be made nor be there. */
async function makeFolder(path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch((error) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
  try {
    await make();
  } catch (error) {
    if (codeOf(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await make();
  }
}

/** Throws where a folder holds a run already. */
export async function refuseTaken(path: string): Promise<void> {
  if (!(await isRunFolder(path))) return;
  const folder = { path, runId: basename(path).slice(0, 100) };
  await refuseWhileTrained(folder);
  const content = await contentOf(folder);
  const goesOn = content === "save" || isOfTrl(await readJson(pathOf(folder, "run.json")));
  if (content !== "nothing")
    throw new CommandError(
      `${path} holds a run already: ${goesOn ? `rollout-lab train ${operandWord(path)} --resume goes on with it, or ` : ""}choose another --out`,
    );
}

/**
 * Makes the folder of a new run. Throws where it holds one already, or cannot be made.
 * @param facts what run.json is to say beside the command.
 */
export async function createRunFolder(path: string, facts: Readonly<Record<string, unknown>>): Promise<RunFolder> {
  const folder = { path, runId: basename(path).slice(0, 100) };
  await refuseTaken(path);
  if (await isRunFolder(path)) await clearFolder(folder);
  await makeFolder(resolve(path, "checkpoints")).catch(failedFile("made", path));
  const command = process.argv.slice(2);
  const created = new Date().toISOString();
  await writeJson(pathOf(folder, "run.json"), { runId: folder.runId, command, created, ...facts });
  return folder;
}

/** The process that trains the run in a folder at this moment, or null. */
export async function trainerOf({ path }: Pick<RunFolder, "path">): Promise<number | null> {
  const pid = Number(await readFile(join(path, LOCK), "utf8").catch(() => ""));
  return isAlive(pid) ? pid : null;
}

async function refuseWhileTrained({ path }: RunFolder): Promise<void> {
  const pid = await trainerOf({ path });
  if (pid !== null) throw new CommandError(`process ${pid} is training ${path}: wait for it or end it`);
}

/** Takes a run's folder for this process; returns the function that gives it back. */
export async function takeFolder(folder: RunFolder): Promise<() => Promise<void>> {
  const lock = join(folder.path, LOCK);
  try {
    await writeFile(lock, String(process.pid), { flag: "wx" });
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw fileError("written", lock, error);
    await refuseWhileTrained(folder);
    await writeFile(lock, String(process.pid));
  }
  return () => unlink(lock).catch(() => {});
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** Writes a file as a whole: whoever reads it sees the old or the new one. */
export async function writeWhole(path: string, contents: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, contents)
    .then(() => rename(`${path}.new`, path))
    .catch(failedFile("written", path));
}

/** Writes it at once: what the run does next, such as a reward in an endless loop, may leave no other moment. */
export async function writeJson(path: string, value: unknown): Promise<void> {
  try {
    writeFileSync(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`);
    renameSync(`${path}.new`, path);
  } catch (error) {
    throw fileError("written", path, error);
  }
}

/** Reads a JSON file. Throws a CommandError naming it. */
export async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, "utf8").catch(failedFile("read", path));
  return parsedJson(text, () => new CommandError(`${path} is not JSON: it was cut short or changed by hand`));
}
