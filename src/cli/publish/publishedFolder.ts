// A folder that publish has made, told from others by a list of its files: only such a folder is written again, nothing
// else in it is touched, and no link in it is followed. The list stands there before the files do, so that a folder
// that was left half way is taken up again.
import { lstat, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ModelFile } from "../../protocol/messages.ts";
import { errorText, isRecord } from "../../protocol/problems.ts";
import { CommandError, codeOf, failedFile } from "../lab/exit.ts";

export const MARK = "published.json";
const FORMAT = "rollout-lab published";

/** A path below the folder: plain names with slashes between, none of which leads up. */
const isBelow = (path: unknown): path is string =>
  typeof path === "string" && path.split("/").every((name) => /^[\w.~@+-]+$/.test(name) && name !== "." && name !== "..");

function filesIn(mark: string): readonly string[] {
  const list: unknown = JSON.parse(mark);
  if (!isRecord(list) || list.format !== FORMAT || !Array.isArray(list.files))
    throw new Error(`it is no list of files that publish has written`);
  const foreign = list.files.find((path) => !isBelow(path));
  if (foreign !== undefined) throw new Error(`it names ${JSON.stringify(foreign)}, which is no file below the folder`);
  return list.files as readonly string[];
}

/** Names that do not make a folder foreign: what version control and systems leave there. */
const isAside = (name: string) => name.startsWith(".");

/**
 * The files that an earlier publish left in a folder; none where it is not there or empty. Throws a CommandError where
 * it is somebody else's.
 */
export async function earlierFiles(folder: string): Promise<readonly string[]> {
  const found = await lstat(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null;
    throw new CommandError(`--to must be a folder, got ${folder}: ${errorText(error)}`);
  });
  if (found === null) return [];
  if (found.isSymbolicLink()) throw new CommandError(`--to must be a folder, got ${folder}, which is a link`);
  if (!found.isDirectory()) throw new CommandError(`--to must be a folder, got ${folder}, which is a file`);
  const names = await readdir(folder).catch(failedFile("read", folder));
  const others = names.filter((name) => !isAside(name));
  if (others.length === 0) return [];
  if (!names.includes(MARK))
    throw new CommandError(
      `--to must be a folder that is not there yet, an empty one or one that publish has made, got ${folder}, which holds ${others.slice(0, 3).join(", ")}${others.length > 3 ? " and more" : ""}`,
    );
  try {
    return filesIn(await readFile(join(folder, MARK), "utf8"));
  } catch (error) {
    throw new CommandError(`--to must be a folder that publish has made, got ${folder}, whose ${MARK} cannot be used: ${errorText(error)}`);
  }
}

/** Refuses a path whose folders or which itself is a link: what is written there would lie elsewhere. */
async function refuseLinks(folder: string, paths: readonly string[]): Promise<void> {
  const all = new Set(paths.flatMap((path) => path.split("/").map((_, i, names) => names.slice(0, i + 1).join("/"))));
  for (const path of all) {
    const found = await lstat(join(folder, path)).catch(() => null);
    if (found?.isSymbolicLink()) throw new CommandError(`--to must be a folder without links, got ${folder}, in which ${path} is one`);
  }
}

/** Writes the files into a folder whose earlier ones go where they are not among them. */
export async function writePublished(folder: string, earlier: readonly string[], files: readonly ModelFile[]): Promise<void> {
  const names = files.map(({ name }) => name);
  await refuseLinks(folder, [...earlier, ...names, MARK]);
  const list = (paths: readonly string[]) => `${JSON.stringify({ format: FORMAT, files: paths }, null, 1)}\n`;
  const put = async (name: string, bytes: Uint8Array | string) => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true })
      .then(() => writeFile(path, bytes))
      .catch(failedFile("written", path));
  };
  await put(MARK, list([...new Set([...earlier, ...names])]));
  for (const { name, bytes } of files) await put(name, bytes);
  const now = new Set(names);
  for (const name of earlier) if (!now.has(name)) await rm(join(folder, name), { force: true });
  await put(MARK, list(names));
}
