// Files of rollouts on this machine: those that are named, and all in folders that are; and those that the page opens when it is served with
// them, whole, since the page reads them where it gets them.
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { TraceFile } from "../../traces/traceSet.ts";
import { CommandError, codeOf, fileReason } from "../lab/exit.ts";
import { partsOfFile } from "../models/modelPlaces.ts";

/** Files that are looked at: a folder of more is no folder of rollouts. */
const MOST_FILES = 100_000;

async function fileAt(path: string, name: string): Promise<TraceFile> {
  return { path: name, ...(await partsOfFile(path)) };
}

async function filesIn(folder: string): Promise<readonly TraceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (paths.length > MOST_FILES) throw new CommandError(`${folder} must have at most ${MOST_FILES} files, got ${paths.length}`);
  return Promise.all(paths.map((path) => fileAt(path, join(basename(folder), relative(folder, path)).split(sep).join("/"))));
}

/** All files of some paths. Throws a CommandError where one is missing. */
export async function traceFilesOf(paths: readonly string[]): Promise<readonly TraceFile[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const at = await stat(path).catch((error: unknown) => {
        throw new CommandError(codeOf(error) === "ENOENT" ? `there is no ${path}` : `${path} cannot be read: ${fileReason(error)}`);
      });
      return at.isDirectory() ? filesIn(path) : [await fileAt(path, basename(path))];
    }),
  );
  return found.flat();
}

/** The server holds them in memory. */
const MOST_SERVED = 2 ** 29;

type ServedFiles = readonly (readonly [path: string, bytes: Uint8Array])[];

/** The files of a path that holds rollouts. Throws a CommandError where it is missing, too large, or holds none, with what was said of it as a run. */
export async function servedTraces(path: string, noRun: string): Promise<ServedFiles> {
  const { openTraces } = await import("../../traces/openTraces.ts");
  const files = await traceFilesOf([path]);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MOST_SERVED)
    throw new CommandError(
      `${path} must have at most ${MOST_SERVED / 2 ** 20} MB to be served, got ${Math.ceil(bytes / 2 ** 20)}: serve the page alone and drop the files on it`,
    );
  await openTraces(files, {}).catch((error: unknown) => {
    throw error instanceof Error && error.name === "TraceError" ? new CommandError(`${noRun}, and ${error.message}`) : error;
  });
  return Promise.all(files.map(async (file) => [file.path, await file.read(0, file.size)] as const));
}
