// Opens rollouts that another program wrote: files become rows, rows rollouts of a form, and these an index by steps and groups. Files are
// gone through once; what a step holds is read again when it is asked for.
import { errorText, showValue, unknownName } from "../protocol/problems.ts";
import type { TraceChoice, TraceProgress } from "../protocol/rollouts/traces.ts";
import type { LogRow } from "../rl/logs/log.ts";
import { readLogFiles } from "../rl/logs/readLog.ts";
import { createColumns } from "./columns/roles.ts";
import { type Container, type FoundRow, TraceError } from "./containers/container.ts";
import { openContainer } from "./containers/index.ts";
import { nameOf, type SortedFiles, sortFiles, stepOfPath } from "./files/sortFiles.ts";
import { decoderOf } from "./files/tokenizerFile.ts";
import { unpackedFiles } from "./files/unpackedFiles.ts";
import type { FormReading, TraceForm } from "./forms/form.ts";
import { forms } from "./forms/index.ts";
import { promptOf } from "./index/promptKeys.ts";
import { createIndex } from "./index/traceIndex.ts";
import { setOf } from "./indexedSet.ts";
import type { Met } from "./report.ts";
import type { Decoder } from "./rollout.ts";
import type { TraceFile, TraceSet } from "./traceSet.ts";

/** What opening needs from outside, and who hears of a first step before the rest is read. */
export interface TraceSurroundings {
  /** The tokenizer.json of a tokenizer that somebody names, parsed. Rejects with a sentence where there is none of that name. */
  readonly tokenizer?: (name: string) => Promise<unknown>;
  /** Hears once, as soon as a second step begins: the set as far as it was read. */
  readonly onFirst?: (set: TraceSet) => void;
  /** The files are of one run beside others: prompts are told, and a column that somebody chose may be another run's. */
  readonly isBesideOthers?: boolean;
}

/** Broken rows that are told. */
const MOST_BROKEN = 20;

/** A file with the form of its first row; null where it has none that is known. */
interface Recognised {
  readonly container: Container;
  readonly form: TraceForm;
}

const formOf = (row: FoundRow, path: string, choice: TraceChoice) =>
  choice.form === undefined ? forms.find((form) => form.matches(row, path, choice)) : forms.find(({ id }) => id === choice.form);

/** Says what a row has where nothing here reads it. */
const unknownRow = (row: FoundRow) =>
  `holds no rollouts that are known here: its rows have ${showValue(Object.keys(row).slice(0, 12).join(", "), 80)}; name a column as completion or messages`;

interface Recognition {
  readonly recognised: readonly Recognised[];
  readonly strange: readonly { readonly path: string; readonly why: string }[];
}

async function recognise(files: readonly TraceFile[], choice: TraceChoice): Promise<Recognition> {
  const recognised: Recognised[] = [];
  const strange: { path: string; why: string }[] = [];
  for (const file of files) {
    try {
      const container = await openContainer(file);
      const row = await container.first();
      const form = row && formOf(row, file.path, choice);
      if (form) recognised.push({ container, form });
      else strange.push({ path: file.path, why: row ? unknownRow(row) : "has no rows" });
    } catch (error) {
      strange.push({
        path: file.path,
        why: errorText(error)
          .replace(file.path, "")
          .replace(/^[\s,:]+/, ""),
      });
    }
  }
  return { recognised, strange };
}

/** The form that most bytes are of. */
function mainForm(recognised: readonly Recognised[]): TraceForm | null {
  const bytes = new Map<TraceForm, number>();
  for (const { container, form } of recognised) bytes.set(form, (bytes.get(form) ?? 0) + container.file.size);
  return [...bytes].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** A trainer's log of a million steps is smaller. */
const MOST_LOG_BYTES = 2 ** 27;

/** What of a trainer's log is told beside the rollouts: metrics by step, under this lab's names. */
async function logOf({ trainerState: file }: SortedFiles, notes: string[]): Promise<ReadonlyMap<number, LogRow["metrics"]>> {
  if (file === null) return new Map();
  try {
    if (file.size > MOST_LOG_BYTES) throw new Error(`must have at most ${MOST_LOG_BYTES / 2 ** 20} MB`);
    const { rows } = readLogFiles([{ path: file.path, bytes: await file.read(0, file.size) }]);
    return new Map(rows.map(({ step, metrics }) => [step, metrics]));
  } catch (error) {
    notes.push(`${file.path} ${errorText(error)}: its curves are left out.`);
    return new Map();
  }
}

function checkChoice({ form }: TraceChoice): void {
  if (form !== undefined && !forms.some(({ id }) => id === form)) {
    const known = forms.map(({ id }) => id);
    throw new TraceError(unknownName("the form", form, known));
  }
}

function newReading(form: TraceForm, choice: TraceChoice, hasTokenizer: boolean): FormReading {
  const seen = { templates: new Set<string>(), logprobs: new Set<never>(), tokens: new Set<never>(), notes: new Set<string>() };
  return { columns: createColumns(form.roles, choice.columns ?? {}), seen, hasTokenizer };
}

/**
 * Opens files of rollouts. Rejects with a sentence where none of them holds any.
 * @param choice how somebody wants them read; what it leaves out is found here.
 */
export async function openTraces(
  files: readonly TraceFile[],
  choice: TraceChoice,
  onProgress?: (progress: TraceProgress) => void,
  { tokenizer, onFirst, isBesideOthers = false }: TraceSurroundings = {},
): Promise<TraceSet> {
  checkChoice(choice);
  const { whole, damaged } = await unpackedFiles(files);
  const sorted = sortFiles(whole);
  const found = await recognise(sorted.rows, choice);
  const recognised = found.recognised;
  const strange = [...damaged, ...found.strange];
  const form = mainForm(recognised);
  if (form === null) throw new TraceError(refusal(sorted, strange));
  const [chosen] = Object.keys(choice.columns ?? {});
  if (form.roles.areFixed && chosen !== undefined && !isBesideOthers)
    throw new TraceError(`columns of ${form.title} are read as they were written: ${JSON.stringify(chosen)} cannot be given a role`);
  const own = recognised.filter((each) => each.form === form).map(({ container }) => container);
  const others = recognised
    .filter((each) => each.form !== form)
    .map((each) => ({ path: each.container.file.path, why: `holds ${each.form.title}` }));
  const leftAside = [...sorted.leftAside, ...strange, ...others];
  const notes = [
    ...(form.notesOn?.(
      own.map(({ file }) => file.path),
      sorted,
    ) ?? []),
  ];
  const logged = await logOf(sorted, notes);
  const decoder: Decoder = await decoderOf(sorted.tokenizer, choice.tokenizer, tokenizer);
  const reading = newReading(form, choice, decoder !== null);
  const met: Met = {
    files: own.map(({ file }) => file),
    sorted: { ...sorted, leftAside },
    form,
    reading,
    notes,
    broken: { count: 0, first: [] },
    stepsSaid: { column: 0, path: 0 },
    forms: forms.map(({ id, title }) => ({ id, title })),
    isFormChosen: choice.form !== undefined,
    tokenizer: decoder === null ? null : (choice.tokenizer ?? sorted.tokenizer?.path ?? null),
  };
  const { index, take } = createIndex(isBesideOthers ? (each) => promptOf(each.said(decoder)) : undefined);
  const made = () => setOf({ index, containers: own, met, logged, decoder, choice });
  await readAll(own, met, take, index, onProgress, onFirst && (() => onFirst(made())));
  if (index.file.length === 0)
    throw new TraceError(`${met.broken.first[0]?.where ?? "the files"} ${met.broken.first[0]?.why ?? "hold no rollouts"}`);
  if (!isBesideOthers) reading.columns.check();
  return made();
}

/** Goes through all files once. */
async function readAll(
  containers: readonly Container[],
  { form, reading, broken, stepsSaid }: Met,
  take: ReturnType<typeof createIndex>["take"],
  { step }: { readonly step: readonly number[] },
  onProgress: ((progress: TraceProgress) => void) | undefined,
  onFirst: (() => void) | undefined,
): Promise<void> {
  const totalBytes = containers.reduce((sum, { file }) => sum + file.size, 0);
  let doneBytes = 0;
  let isFirstTold = onFirst === undefined;
  for (const [f, container] of containers.entries()) {
    const stepOfFile = stepOfPath(container.file.path);
    const isBroken = (where: string, why: string) => {
      broken.count += 1;
      if (broken.first.length < MOST_BROKEN) broken.first.push({ where, why });
    };
    await container
      .scan({
        row(row, place) {
          const rollouts = form.read(row, reading);
          for (const found of rollouts)
            stepsSaid[found.step === null ? "path" : "column"] += found.step !== null || stepOfFile !== null ? 1 : 0;
          take(f, place, rollouts, stepOfFile);
          if (!isFirstTold && step.at(-1) !== step[0]) {
            isFirstTold = true;
            onFirst?.();
          }
          return true;
        },
        broken: isBroken,
        progress: (done) => onProgress?.({ doneBytes: doneBytes + done, totalBytes, rollouts: step.length }),
      })
      .catch((error: unknown) => isBroken(container.file.path, errorText(error)));
    doneBytes += container.file.size;
  }
}

/** Why nothing was opened. */
function refusal({ leftAside }: SortedFiles, strange: Recognition["strange"]): string {
  const [first] = [...strange, ...leftAside];
  if (!first) return "there must be at least one file of rollouts, got none";
  const others = strange.length + leftAside.length - 1;
  return `${nameOf(first.path) || "the file"} ${first.why}${others > 0 ? ` (and ${others} other files)` : ""}`;
}
