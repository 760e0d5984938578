// Files of rollouts that other programs wrote, from the moment somebody gives them to this page until they are on screen, and the log that
// somebody gave. They stay files of this machine: the engine reads them where they lie, and how they are read can be chosen anew.
import { errorText, Overtaken } from "../../protocol/problems.ts";
import type { TraceChoice } from "../../protocol/rollouts/traces.ts";
import type { GivenLog, GivenLogFile } from "../../rl/logs/readingThread.ts";
import { engine } from "../engine/client.ts";
import { goTo, hashOf, isOfRun, parseRoute } from "../engine/route.ts";
import { isTraining } from "../engine/store/runFacts.ts";
import { endTour } from "../kit/dialog/dialogStore.ts";
import { useBrought } from "../runs/replay/openRecording.ts";

/** A file by its path within what was dropped or chosen. */
export interface GivenFile {
  readonly path: string;
  readonly file: File;
}

export const giveLog = (log: GivenLog): void => useBrought.setState({ log, logProblem: null });

/** Larger files are no logs of metrics. */
const LARGEST_LOG = 128 * 2 ** 20;

/** Takes the files of a log; what no log is, is refused and leaves what was given. */
export function giveLogFiles(files: readonly GivenLogFile[]): void {
  const large = files.find(({ file }) => file.size > LARGEST_LOG);
  if (!large) giveLog({ files });
  else useBrought.setState({ logProblem: `${large.path} must be at most 128 MB, is ${Math.ceil(large.file.size / 2 ** 20)} MB` });
}

interface Given {
  /** As somebody calls it: "completions", "3 files". */
  readonly name: string;
  readonly files: readonly GivenFile[];
  readonly choice: TraceChoice;
  /** The address that it leads to. */
  readonly back: string | null;
}

let given: Given | null = null;
/** What stood open before that. */
let earlier: Given | null = null;

/** What stood open before what does now, as it was called; null where nothing did. */
export const earlierName = (): string | null => earlier?.name ?? null;

/** How what is on screen was read. */
export const choiceNow = (): TraceChoice => given?.choice ?? {};

/** Whether what is on screen can be read again: its files are still known. */
export const canReadAgain = (): boolean => given !== null;

const nameOf = (files: readonly GivenFile[]): string => {
  const [first] = files;
  if (files.length === 1) return first!.path;
  const folder = first?.path.split("/")[0];
  return folder && files.every(({ path }) => path.startsWith(`${folder}/`)) ? folder : `${files.length} files`;
};

async function read(): Promise<void> {
  if (!given) return;
  const { files, choice, back } = given;
  useBrought.setState({ isReading: true, isWaiting: false, problem: null });
  const place = engine.view.selection.getState();
  const before = engine.view.facts.getState().error;
  try {
    await engine.untilUp();
    const traces = { files: files.map(({ path, file }) => ({ path, parts: file })), choice };
    await engine.request({ type: "open", traces, paused: true });
    endTour();
    useBrought.setState({ isReading: false });
    // An address that names a place of these rollouts leads there again.
    if (back !== null) {
      if (window.location.hash !== back) window.location.hash = back;
      else engine.view.selection.setState(place);
    }
  } catch (error) {
    if (error instanceof Overtaken) return;
    // It is said where the files were given: nothing is wrong with a run.
    engine.view.facts.setState({ error: before });
    useBrought.setState({ isReading: false, problem: errorText(error) });
    goTo("open");
  }
}

/** Opens files of rollouts in the place of the run on screen. Where one trains, the screen asks first. */
export async function openFiles(files: readonly GivenFile[]): Promise<void> {
  const { hash } = window.location;
  // A tokenizer by itself is one for what stands open.
  if (given && files.every(({ path }) => /(^|\/)tokenizer\.json$/.test(path))) {
    const { tokenizer: _, ...choice } = given.choice;
    given = { ...given, files: [...given.files.filter(({ path }) => !path.endsWith("tokenizer.json")), ...files] };
    return readAgain(choice);
  }
  const { screen, query } = parseRoute(hash);
  // Who gives the files on a screen that names a place wants to see that place.
  const isPlace = (isOfRun(screen) && query.has("step")) || (screen === "open" && query.has("pair"));
  const { runId, recording } = engine.view.facts.getState();
  const isBack = isPlace && runId === null;
  const name = nameOf(files);
  earlier = recording?.traced ? given : null;
  given = { name, files, choice: {}, back: isBack ? hash : null };
  const isWaiting = isTraining(engine.view.facts.getState());
  useBrought.setState({ name, problem: null, isWaiting });
  if (!isBack || isWaiting) window.location.hash = hashOf("open");
  if (!isWaiting) await read();
}

/** Somebody said yes: the run pauses and stays saved. */
export const goOnOpening = (): Promise<void> => read();

/** Reads the same files otherwise; where that fails, what was chosen before still holds. */
export async function readAgain(choice: TraceChoice): Promise<void> {
  if (!given) return;
  const before = given;
  given = { ...given, choice, back: null };
  await read();
  if (useBrought.getState().problem !== null && engine.view.facts.getState().recording?.traced) given = before;
}

/** Files below a folder of their own, by whose name their run is known beside others. @param taken names of other runs' folders */
function below(files: readonly GivenFile[], taken: ReadonlySet<string | undefined>): readonly GivenFile[] {
  const name = nameOf(files);
  const inFolder = files.every(({ path }) => path.startsWith(`${name}/`));
  if (inFolder && !taken.has(name)) return files;
  let own = name;
  for (let n = 2; taken.has(own); n++) own = `${name} (${n})`;
  return files.map(({ path, file }) => ({ path: `${own}/${inFolder ? path.slice(name.length + 1) : path}`, file }));
}

/** Reads the files of another run beside those that stand open, and shows both side by side. */
export async function openBeside(files: readonly GivenFile[], isBefore = false): Promise<void> {
  if (!given) return openFiles(files);
  const before = given;
  const isSeveral = (engine.view.facts.getState().recording?.traced?.runs?.all.length ?? 0) > 1;
  const own = isSeveral ? given.files : below(given.files, new Set());
  const added = below(files, new Set(own.map(({ path }) => path.split("/")[0])));
  const { run: _, ...choice } = given.choice;
  given = {
    name: `${given.name} and ${nameOf(files)}`,
    files: isBefore ? [...added, ...own] : [...own, ...added],
    choice: { ...choice, runs: "folders" },
    back: `${hashOf("open")}?pair=`,
  };
  await read();
  if (useBrought.getState().problem !== null && engine.view.facts.getState().recording?.traced) given = before;
}

/** Puts what stood open before beside what does now, on the left. */
export async function openEarlierBeside(): Promise<void> {
  if (!earlier) return;
  const { files } = earlier;
  earlier = null;
  await openBeside(files, true);
}

/** A text that was pasted, as a file. */
export function pastedFile(text: string): GivenFile {
  const path = text.trimStart().startsWith("[") ? "pasted.json" : "pasted.jsonl";
  return { path, file: new File([text], path, { type: "application/json" }) };
}
