// Files of rollouts on this machine: those that are named, and all in folders that are; those of a data set of the hub; and those that the
// page opens when it is served with them, whole, since the page reads them where it gets them.
import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { pathInDataset } from "../../model/hub/dataset.ts";
import { errorText } from "../../protocol/problems.ts";
import { byName } from "../../traces/files/sortFiles.ts";
import type { TraceFile } from "../../traces/traceSet.ts";
import { datasetFiles, namesDataset } from "../custom/hubData.ts";
import { CommandError, codeOf, fileReason } from "../lab/exit.ts";
import { partsOfFile } from "../models/modelPlaces.ts";

/** Files that are looked at: a folder of more is no folder of rollouts. */
const MOST_FILES = 100_000;

async function fileAt(path: string, name: string): Promise<TraceFile> {
  return { path: name, ...(await partsOfFile(path)) };
}

async function filesIn(folder: string, name: string): Promise<readonly TraceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (paths.length > MOST_FILES) throw new CommandError(`${folder} must have at most ${MOST_FILES} files, got ${paths.length}`);
  // A disk tells them in no order, and the first run found stands on the left of a comparison.
  const inOrder = paths.toSorted(byName);
  return Promise.all(inOrder.map((path) => fileAt(path, join(name, relative(folder, path)).split(sep).join("/"))));
}

/** Which rows of a data set: one of its configurations, where it has several, and the split. */
export interface DatasetPart {
  readonly subset?: string | undefined;
  readonly split?: string | undefined;
}

/** Rollouts that somebody published: the Parquet files of a data set's split, brought where they are not here yet. */
async function filesOfDataset(dataset: string, { subset, split = "train" }: DatasetPart): Promise<readonly TraceFile[]> {
  const rows = { dataset, split, ...(subset === undefined ? {} : { config: subset }) };
  const paths = await datasetFiles(rows).catch((error: unknown) => {
    const reason = errorText(error).replace("data.config", "--subset").replace("data.split", "--split");
    throw new CommandError(`there is no ${dataset} here, and as a data set of the hub: ${reason}`);
  });
  return Promise.all((paths ?? []).map((path, i) => fileAt(path, pathInDataset(dataset, split, i))));
}

/** The ends of paths by which they are told apart: runA/completions and runB/completions, or runA and runB. */
function distinctEnds(paths: readonly string[]): readonly string[] {
  const parts = paths.map((path) => resolve(path).split(sep));
  const endsOf = (length: number) => parts.map((each) => each.slice(-length).join("/"));
  let length = 1;
  while (length < Math.max(...parts.map((each) => each.length)) && new Set(endsOf(length)).size < new Set(endsOf(1_000)).size) length += 1;
  return endsOf(length);
}

/**
 * All files of some paths, or of data sets of the hub (OWNER/NAME) where no path of that name is there. Throws a CommandError where one is
 * missing.
 */
export async function traceFilesOf(paths: readonly string[], part: DatasetPart = {}): Promise<readonly TraceFile[]> {
  const names = distinctEnds(paths);
  const found = await Promise.all(
    paths.map(async (path, p) => {
      const at = await stat(path).catch((error: unknown) => {
        if (codeOf(error) !== "ENOENT") throw new CommandError(`${path} cannot be read: ${fileReason(error)}`);
        if (!namesDataset(path)) throw new CommandError(`there is no ${path}`);
        return null;
      });
      if (at === null) return filesOfDataset(path, part);
      return at.isDirectory() ? filesIn(path, names[p]!) : [await fileAt(path, names[p]!)];
    }),
  );
  return found.flat();
}

/** The server holds them in memory. */
const MOST_SERVED = 2 ** 29;

type ServedFiles = readonly (readonly [path: string, bytes: Uint8Array])[];

/**
 * The files of a path that holds rollouts. Throws a CommandError where it is missing, too large, or holds none, with
 * what was said of it as a run.
 */
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
