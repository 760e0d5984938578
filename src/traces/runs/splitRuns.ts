// Which of the files that somebody brings are of which run. Folders that have files of the same names in them
// (runA/12.jsonl, runB/12.jsonl) are taken for runs, unless their names are those of steps, ranks or splits; how it was
// done is said, and somebody may choose otherwise.
import { shortened } from "../../protocol/problems.ts";
import type { RunSplit } from "../../protocol/rollouts/traces.ts";
import { nameOf, sortFiles } from "../files/sortFiles.ts";
import type { TraceFile } from "../traceSet.ts";

/** Files of one run, under the name that tells it from the others. */
export interface RunFiles {
  readonly name: string;
  readonly files: readonly TraceFile[];
}

export interface SplitFiles {
  readonly by: RunSplit;
  readonly runs: readonly RunFiles[];
  /** Files that are of none of the runs. */
  readonly outside: readonly string[];
}

/** More folders than that are no runs: a run for each problem, say. */
const MOST_RUNS = 100;

/** Folders within one run: a step, a rank, a part of its data, or what a program calls its folder. */
const INNER = [
  /^(global_)?(step|iter|iteration|checkpoint|ckpt|epoch|completions)?[_-]?\d+$/i,
  /^(rank|worker|shard|part|proc|process|gpu|dp|node)[_-]?\d+$/i,
  /^(train(ing)?|eval(uation)?s?|val(id(ation)?)?|test|dev)([_-]\w+)?$/i,
  /^(\w+[_-])?(train(ing)?|eval(uation)?s?|val(id(ation)?)?|test|dev)$/i,
  /^(completions?|rollouts?|samples?|outputs?|traces?|results?|generations?|data|logs?|save|checkpoints?|token_exports)$/i,
];
const isInner = (name: string) => INNER.some((pattern) => pattern.test(name));

/** A path whatever the numbers in it: files of one program's steps have it in common. */
const shapeOf = (path: string) => path.replace(/\d+/g, "#");

/** Files below a folder, by their paths within it. */
type Below = ReadonlyMap<string, readonly string[]>;

/** The folders directly within a folder, with the paths below each. */
function foldersIn(paths: readonly string[]): Below {
  const found = new Map<string, string[]>();
  for (const path of paths) {
    const at = path.indexOf("/");
    if (at < 0) continue;
    const name = path.slice(0, at);
    const below = found.get(name);
    if (below) below.push(path.slice(at + 1));
    else found.set(name, [path.slice(at + 1)]);
  }
  return found;
}

/** Whether two of these folders hold files of the same names. */
function areAlike(folders: Below): boolean {
  const seen = new Set<string>();
  for (const paths of folders.values()) {
    const shapes = new Set(paths.map(shapeOf));
    if ([...shapes].some((shape) => seen.has(shape))) return true;
    for (const shape of shapes) seen.add(shape);
  }
  return false;
}

/**
 * Folders that are runs, by their paths; empty where all files are of one.
 * @param isForced takes the first folders that differ, alike or not
 */
function runFolders(paths: readonly string[], isForced: boolean): readonly string[] {
  const folders = foldersIn(paths);
  const able = new Map([...folders].filter(([name]) => isForced || !isInner(name)));
  const inside = ([name, below]: readonly [string, readonly string[]], isStillForced: boolean) =>
    runFolders(below, isStillForced).map((folder) => `${name}/${folder}`);
  if (able.size > 1 && (isForced || areAlike(able))) {
    return [...able].flatMap((folder) => {
      const inner = inside(folder, false);
      return inner.length > 0 ? inner : [folder[0]];
    });
  }
  return [...folders].flatMap((folder) => inside(folder, isForced));
}

/** Names of folders without what all of them begin and end with. */
function shortNames(folders: readonly string[]): readonly string[] {
  const parts = folders.map((folder) => folder.split("/"));
  const same = (at: (path: readonly string[]) => string | undefined) => new Set(parts.map(at)).size === 1;
  const least = Math.min(...parts.map(({ length }) => length));
  let from = 0;
  while (from < least - 1 && same((path) => path[from])) from += 1;
  return parts.map((path) => path.slice(from).join("/"));
}

function byFolders(files: readonly TraceFile[], folders: readonly string[], rows: ReadonlySet<TraceFile>): SplitFiles {
  const names = shortNames(folders);
  const own = folders.map((): TraceFile[] => []);
  const outside: TraceFile[] = [];
  for (const file of files) (own[folders.findIndex((folder) => file.path.startsWith(`${folder}/`))] ?? outside).push(file);
  // What lies beside the runs and holds no rollouts, such as a tokenizer, is for all of them.
  const shared = outside.filter((file) => !rows.has(file));
  return {
    by: "folders",
    runs: own.map((each, r) => ({ name: names[r]!, files: [...each, ...shared] })),
    outside: outside.filter((file) => rows.has(file)).map(({ path }) => shortened(path)),
  };
}

/** Files by the runs that they are of, in the order in which they were given. @param chosen how somebody wants them told apart */
export function splitRuns(files: readonly TraceFile[], chosen?: RunSplit): SplitFiles {
  const rows = new Set(sortFiles(files).rows);
  const given = files.filter((file) => rows.has(file));
  const paths = given.map(({ path }) => path);
  const isMany = (count: number) => count > 1 && count <= MOST_RUNS;
  if (chosen === "files" && isMany(given.length)) {
    const names = shortNames(paths);
    const others = files.filter((file) => !rows.has(file));
    return { by: "files", runs: given.map((file, r) => ({ name: names[r]!, files: [file, ...others] })), outside: [] };
  }
  const folders = chosen === "one" || chosen === "files" ? [] : runFolders(paths, chosen === "folders");
  if (isMany(folders.length)) return byFolders(files, folders, rows);
  const [first] = files;
  return { by: "one", runs: [{ name: nameOf(first?.path ?? "").replace(/\.[^.]+$/, "") || "rollouts", files }], outside: [] };
}
