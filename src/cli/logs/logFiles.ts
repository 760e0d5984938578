// The files of a log by a path: one file, standard input, or a folder with event files or the metrics of an MLflow run.
import { readdir, readFile, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import type { LogFile } from "../../rl/logs/readLog.ts";
import { CommandError, fileError } from "../lab/exit.ts";

/** Larger files are no logs of metrics. */
const LARGEST_BYTES = 256 * 2 ** 20;
/** What is looked for in a folder. */
const OF_FOLDER = /(?:\.tfevents\.[^/]*|(?:^|\/)metrics\/.+|(?:^|\/)(?:trainer_state\.json|metrics\.jsonl|metrics\.csv|log\.txt))$/;

async function ofFolder(folder: string): Promise<readonly LogFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => OF_FOLDER.test(path.replaceAll("\\", "/")))
    .sort();
  if (paths.length === 0)
    throw new CommandError(`${folder} holds no log: no event file of TensorBoard, no metrics of MLflow, no trainer_state.json`);
  return Promise.all(paths.map(async (path) => ({ path: relative(folder, path).replaceAll("\\", "/"), bytes: await readFile(path) })));
}

/** The log that an operand names; "-" is standard input. */
export async function readGiven(path: string): Promise<readonly LogFile[]> {
  if (path === "-") return [{ path: "standard input", bytes: await buffer(process.stdin) }];
  try {
    const { size, isFolder } = await stat(path).then((each) => ({ size: each.size, isFolder: each.isDirectory() }));
    if (isFolder) return await ofFolder(path);
    if (size > LARGEST_BYTES) throw new CommandError(`${path} must be at most 256 MB, is ${Math.ceil(size / 2 ** 20)} MB`);
    return [{ path, bytes: await readFile(path) }];
  } catch (error) {
    throw error instanceof CommandError ? error : fileError("read", path, error);
  }
}
