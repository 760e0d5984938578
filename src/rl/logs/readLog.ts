// From text or files to the curves of a log: which stretches a form knows, whose names they have, and what each column was taken for.
import type { RunConfig } from "../../protocol/config.ts";
import { merged, namesOf, type Row, rowOf, ruleFor, takenOf, thinned } from "./columns.ts";
import { eventRows, isEventFile } from "./eventBytes.ts";
import { logForms } from "./forms/index.ts";
import {
  type LogEntry,
  type LogForm,
  type LogName,
  type LogProgram,
  type LogRow,
  type LogSetting,
  type OnShare,
  plainName,
} from "./log.ts";
import { programOf } from "./programs/index.ts";
import { settingRule, settingValue } from "./settings.ts";

/** A file of a log: text, or the bytes of TensorBoard's. */
export interface LogFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** What was read of a log. */
export interface ReadLog {
  /** Ascending in step. */
  readonly rows: readonly LogRow[];
  /** How many logged steps each row is the mean of: 1 but for very long logs. */
  readonly each: number;
  readonly program: LogProgram;
  /** The name that told whose log it is; null where none did. */
  readonly mark: string | null;
  /** Titles of the forms that were found. */
  readonly forms: readonly string[];
  readonly names: readonly LogName[];
  readonly settings: readonly LogSetting[];
  readonly config: Partial<RunConfig>;
  /** Whether the log itself says its steps; else its rows are numbered. */
  readonly hasSteps: boolean;
  /** Lines with something on them, and those that nothing was read of. */
  readonly lines: { readonly of: number; readonly ignored: number };
}

/** Colours and the like that terminals are told between the words. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what they begin with
const CONTROLS = /\u001b\[[0-9;]*[A-Za-z]/g;

/** What loggers put before a line: the process that wrote it, its rank, the time and the place in the code. */
const PREFIX =
  /^[ \t]*(?:\((?:[\w.:]+ )?pid=\d+[^)\n]{0,60}\)|\[?rank ?\d+\]?:|\d{4}-\d\d-\d\d[ T][\d:.,]+\s*\|\s*[A-Z]+\s*\|\s*[\w.:<>]+(?: [-|])?|\[\d{4}-\d\d-\d\d [\d:.,]+\](?:\[\w+\])*)/gm;

/** Text as the forms read it: without colours and prefixes, whose places stay as spaces. */
const plainText = (text: string): string =>
  text
    .replace(CONTROLS, "")
    .replaceAll("\r\n", "\n")
    .replace(PREFIX, (each) => " ".repeat(each.length));

/** As many spaces as a text is long, its line ends kept. */
const spaces = (text: string): string =>
  text.includes("\n") ? text.replace(/[^\n]+/g, (line) => " ".repeat(line.length)) : " ".repeat(text.length);

interface Found {
  readonly entries: readonly (LogEntry & { readonly form: LogForm })[];
  readonly lines: ReadLog["lines"];
}

/** Of all the reading the share that finding takes, and of that the share of a form that tells how far it is. */
const FINDING = 0.6;
const TOLD_FORM = 0.6;

/** All stretches that a form knows, in the order of the text. */
function entriesOf(text: string, onShare: OnShare): Found {
  let rest = text;
  const entries: (LogEntry & { readonly form: LogForm })[] = [];
  const others = logForms.filter(({ tellsShare }) => !tellsShare).length;
  let done = 0;
  for (const form of logForms) {
    const own = FINDING * (form.tellsShare ? TOLD_FORM / (logForms.length - others) : (1 - TOLD_FORM) / others);
    const before = done;
    for (const entry of form.find(rest, (share) => onShare(before + own * share))) entries.push({ ...entry, form });
    done += own;
    onShare(done);
    const claimed = entries.filter((entry) => entry.form === form);
    if (claimed.length > 0) rest = blankAll(rest, claimed);
  }
  const filled = (each: string) => each.split("\n").filter((line) => line.trim() !== "").length;
  return { entries: entries.sort((a, b) => a.begin - b.begin), lines: { of: filled(text), ignored: filled(rest) } };
}

/** The text with what was read of it blank, in one pass, since a log has many lines. */
function blankAll(text: string, entries: readonly LogEntry[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const { begin, end } of [...entries].sort((a, b) => a.begin - b.begin)) {
    if (end <= at) continue;
    const from = Math.max(begin, at);
    parts.push(text.slice(at, from), spaces(text.slice(from, end)));
    at = end;
  }
  return parts.join("") + text.slice(at);
}

/** What a file of MLflow's store holds: lines of time, value and step, for the metric that its path names. */
function mlflowRows({ path, bytes }: LogFile): readonly Row[] | null {
  const name = /(?:^|\/)metrics\/(.+)$/.exec(path)?.[1];
  if (name === undefined) return null;
  const points = new TextDecoder().decode(bytes).matchAll(/^\d+ (\S+) (\d+)\s*$/gm);
  const value = (text: string) => (Number.isFinite(Number(text)) ? Number(text) : null);
  return Array.from(points, ([, number = "", step]) => ({ step: Number(step), values: { [name]: value(number) } }));
}

/** How a column of steps is headed where the program is not known. */
const STEP_NAME = /^(?:train(?:ing)?[_ /]|global[_ ])?(?:step|iter(?:ation)?)s?(?:\s+(?!time|duration|speed)|$)/i;

/** What the trainer says of the whole run at its end. */
const OF_ALL = /^(?:train_runtime|train_samples_per_second|total_flos)$/;

function settingsOf(entries: readonly Pick<LogEntry, "values">[], program: LogProgram): Pick<ReadLog, "settings" | "config"> {
  const settings: LogSetting[] = [];
  const config: Record<string, number> = {};
  for (const { values } of entries) {
    for (const [from, given] of Object.entries(values)) {
      const rule = settingRule(from);
      const value = rule && settingValue(rule, given);
      if (!rule || value === undefined || rule.to in config) continue;
      config[rule.to] = value;
      settings.push({ from, to: rule.to, value });
    }
  }
  if (program.id === "trl" && config.clipLow !== undefined && config.clipHigh === undefined) config.clipHigh = config.clipLow;
  return { settings, config: config as Partial<RunConfig> };
}

const isSettingsOnly = (entry: LogEntry, program: LogProgram): boolean =>
  entry.isSettings === true ||
  (Object.keys(entry.values).filter((name) => settingRule(name)).length >= 2 &&
    !Object.keys(entry.values).some((name) => !settingRule(name) && ruleFor(program, plainName(name)) !== null));

const plainValues = (values: LogEntry["values"]) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [plainName(name), value]));

/** The curves of rows that were found, under the names of the program that they are of. */
function readEntries(
  entries: readonly LogEntry[],
  rows: readonly Row[],
  rest: Pick<ReadLog, "forms" | "lines">,
  onShare: OnShare,
): ReadLog {
  const all = [
    ...entries.flatMap(({ values }) => Object.keys(values).map(plainName)),
    ...rows.flatMap(({ values }) => Object.keys(values)),
  ];
  const { program, mark } = programOf([...new Set(all)]);
  const measured = entries.filter((entry) => !isSettingsOnly(entry, program));
  const stepName = program.steps.find((name) => all.includes(name)) ?? all.find((name) => STEP_NAME.test(name));
  const ofEntries = measured
    .map(({ values, step }) => ({ step: step ?? null, values: plainValues(values) }))
    .filter(({ values }) => !Object.keys(values).some((name) => OF_ALL.test(name)));
  const withSteps = [...ofEntries, ...rows].map(({ step, values }): Row => {
    const counted = [...program.steps, stepName ?? ""].map((name) => values[name]).find((value) => typeof value === "number") ?? step;
    const own = Object.entries(values).filter(([name]) => !program.steps.includes(name) && name !== stepName);
    return { step: counted ?? null, values: Object.fromEntries(own) };
  });
  onShare(0.8);
  const together = merged(withSteps.filter(({ values }) => Object.keys(values).length > 0));
  const names = namesOf(together.rows, program);
  const taken = takenOf(names, program);
  onShare(0.9);
  return {
    ...thinned(together.rows.map((row) => rowOf(row, taken)).filter((row) => Object.keys(row.metrics).length + row.unknown.length > 0)),
    program,
    mark,
    names,
    hasSteps: together.hasSteps,
    ...rest,
    ...settingsOf(
      entries.filter((entry) => isSettingsOnly(entry, program)),
      program,
    ),
  };
}

const ignored: OnShare = () => {};

/** Reads a log from text. */
export function readLogText(text: string, onShare = ignored): ReadLog {
  const found = entriesOf(plainText(text), onShare);
  const forms = [...new Set(found.entries.filter(({ isSettings }) => !isSettings).map(({ form }) => form.title))];
  return readEntries(found.entries, [], { forms, lines: found.lines }, onShare);
}

/** Reads a log from files: TensorBoard's, those of an MLflow run's folder, and text of any form. */
export function readLogFiles(files: readonly LogFile[], onShare = ignored): ReadLog {
  const rows: Row[] = [];
  const forms = new Set<string>();
  const texts: string[] = [];
  for (const file of files) {
    const points = mlflowRows(file);
    if (points !== null) {
      rows.push(...points);
      forms.add("MLflow's files of metrics");
    } else if (isEventFile(file.bytes)) {
      rows.push(...eventRows(file.bytes));
      forms.add("TensorBoard's event files");
    } else texts.push(new TextDecoder().decode(file.bytes));
  }
  if (rows.length === 0) return readLogText(texts.join("\n"), onShare);
  const found = entriesOf(plainText(texts.join("\n")), onShare);
  return readEntries(found.entries, rows, { forms: [...forms], lines: found.lines }, onShare);
}
