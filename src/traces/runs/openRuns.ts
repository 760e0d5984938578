// Opens rollouts of one run or of several: files are told apart by runs, and each run is read by itself, so that no group, step or curve
// is ever made of two.
import { errorText, unknownName } from "../../protocol/problems.ts";
import type { TraceChoice, TraceProgress, TraceReport } from "../../protocol/rollouts/traces.ts";
import { TraceError } from "../containers/container.ts";
import { openTraces, type TraceSurroundings } from "../openTraces.ts";
import type { TraceFile, TraceSet } from "../traceSet.ts";
import { type RunFiles, type SplitFiles, splitRuns } from "./splitRuns.ts";

/** A run with its rollouts. */
export interface OpenedRun {
  readonly name: string;
  readonly set: TraceSet;
}

/** Runs that were opened together; the shown one's report tells of all. */
export interface OpenedRuns {
  readonly shown: TraceSet;
  readonly runs: readonly OpenedRun[];
}

const bytesOf = ({ files }: RunFiles) => files.reduce((sum, { size }) => sum + size, 0);

/** Names all runs in a report of one of them. */
function withRuns(
  set: TraceSet,
  shown: string,
  { by, outside }: SplitFiles,
  runs: readonly OpenedRun[],
  choice: TraceChoice,
  aside: readonly string[],
): TraceSet {
  const all = runs.map(({ name, set: { report } }) => ({
    name,
    title: report.title,
    rollouts: report.rollouts,
    steps: report.steps.length,
  }));
  const [first] = outside;
  const notes = [
    ...(first === undefined
      ? []
      : [
          `${outside.length === 1 ? "1 file is" : `${outside.length} files are`} of none of the runs and left aside: ${first}${outside.length > 1 ? " and others" : ""}.`,
        ]),
    ...aside,
  ];
  const report: TraceReport = {
    ...set.report,
    runs: { by, isChosen: choice.runs !== undefined, shown, all },
    notes: [...set.report.notes, ...notes],
  };
  return { ...set, report };
}

/** Throws where a column that somebody gave a role is in none of the runs. */
function checkColumns(runs: readonly OpenedRun[], { columns = {} }: TraceChoice): void {
  const known = new Set(runs.flatMap(({ set }) => set.report.columns.map(({ name }) => name)));
  for (const name of Object.keys(columns))
    if (!known.has(name)) throw new TraceError(unknownName("the column", name, [...known].slice(0, 40)));
}

/** Reads each run; one that holds no rollouts is left aside, with why, where another does. */
async function readRuns(
  { runs }: SplitFiles,
  choice: TraceChoice,
  onProgress: ((progress: TraceProgress) => void) | undefined,
  surroundings: TraceSurroundings,
): Promise<{ readonly opened: readonly OpenedRun[]; readonly aside: readonly string[] }> {
  const totalBytes = runs.reduce((sum, run) => sum + bytesOf(run), 0);
  const { onFirst: _, ...others } = surroundings;
  const isShown = ({ name }: RunFiles) => name === (choice.run ?? runs[0]?.name);
  const opened: OpenedRun[] = [];
  const refused: { readonly name: string; readonly error: unknown }[] = [];
  let doneBytes = 0;
  let rollouts = 0;
  for (const run of runs) {
    const told = (progress: TraceProgress) =>
      onProgress?.({ doneBytes: doneBytes + progress.doneBytes, totalBytes, rollouts: rollouts + progress.rollouts });
    try {
      const set = await openTraces(run.files, choice, told, { ...(isShown(run) ? surroundings : others), isBesideOthers: true });
      opened.push({ name: run.name, set });
      rollouts += set.report.rollouts;
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      refused.push({ name: run.name, error });
    }
    doneBytes += bytesOf(run);
  }
  const [first] = refused;
  if (opened.length === 0 && first) throw first.error;
  return { opened, aside: refused.map(({ name, error }) => `${name} is left aside: ${errorText(error)}.`) };
}

/** Opens files of rollouts. Rejects with a sentence where none of them holds any, or no run has the name that is to be shown. */
export async function openRuns(
  files: readonly TraceFile[],
  choice: TraceChoice,
  onProgress?: (progress: TraceProgress) => void,
  surroundings: TraceSurroundings = {},
): Promise<OpenedRuns> {
  const split = splitRuns(files, choice.runs);
  const [only] = split.runs;
  if (split.runs.length < 2) {
    const set = await openTraces(files, choice, onProgress, surroundings);
    const runs = [{ name: only?.name ?? "rollouts", set }];
    return { runs, shown: choice.runs === undefined ? set : withRuns(set, runs[0]!.name, split, runs, choice, []) };
  }
  const { opened, aside } = await readRuns(split, choice, onProgress, surroundings);
  checkColumns(opened, choice);
  const names = opened.map(({ name }) => name);
  const shown = opened.find(({ name }) => name === (choice.run ?? names[0]));
  if (!shown) throw new TraceError(unknownName("run", choice.run ?? "", names));
  return { runs: opened, shown: withRuns(shown.set, shown.name, split, opened, choice, aside) };
}
