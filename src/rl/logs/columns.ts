// The columns of a log under this lab's names: which rule reads each, which of two that mean the same is taken, and how rows of one step
// are put together.
import { meanOf } from "../advantage/statistics.ts";
import { type LogName, type LogProgram, type LogRow, type LogValue, type NameRule, remembered } from "./log.ts";
import { commonRule } from "./programs/common.ts";

/** A row under the program's own names. */
export interface Row {
  readonly step: number | null;
  readonly values: Readonly<Record<string, LogValue>>;
}

/** Held out, or a count that says nothing alone. */
const isBeside = remembered((name) => /^(?:eval_|eval\/|test\/|val-|val\/|(?:epoch|num_tokens)$)/.test(name));
/** A rule's key for a name, all rules asked in turn, the common ones last: a prefix may be taken off first. */
export function ruleFor(program: LogProgram, name: string): { readonly to: string; readonly rule: NameRule } | null {
  for (const rule of program.names) {
    if (typeof rule.from === "string" ? rule.from !== name : !rule.from.test(name)) continue;
    const to = typeof rule.from === "string" ? rule.to : name.replace(rule.from, rule.to);
    if (!/^\^train/.test(rule.from instanceof RegExp ? rule.from.source : "")) return { to, rule };
    const inner = ruleFor(program, to);
    return inner && { ...inner, rule: { ...inner.rule, says: inner.rule.says ?? rule.says ?? "" } };
  }
  const rule = commonRule(name);
  return rule && { to: rule.to, rule };
}

/** Rows of the same step put together; rows without a step are counted, evaluations go to the row before them. */
export function merged(rows: readonly Row[]): { readonly rows: readonly (Row & { readonly step: number })[]; readonly hasSteps: boolean } {
  const hasSteps = rows.some(({ step }) => step !== null);
  const byStep = new Map<number, Record<string, LogValue>>();
  let count = 0;
  let last = 0;
  for (const { step, values } of rows) {
    const onlyEval = Object.keys(values).every(isBeside);
    if (step === null && !hasSteps && !onlyEval) count++;
    // Between lines that say their step one that does not belongs to the step before it.
    const at: number = step ?? (hasSteps ? last : Math.max(1, count));
    last = at;
    byStep.set(at, { ...byStep.get(at), ...values });
  }
  return { rows: [...byStep].map(([step, values]) => ({ step, values })).sort((a, b) => a.step - b.step), hasSteps };
}

export function namesOf(rows: readonly Row[], program: LogProgram): readonly LogName[] {
  const columns = new Map<string, { count: number; unknown: number }>();
  for (const { values } of rows) {
    for (const [name, value] of Object.entries(values)) {
      const column = columns.get(name) ?? { count: 0, unknown: 0 };
      columns.set(name, column);
      if (value === null) column.unknown++;
      else column.count++;
    }
  }
  const taken = new Map<string, string>();
  const ranked = [...columns.keys()].flatMap((name) => {
    const found = ruleFor(program, name);
    const rank = found ? program.names.findIndex(({ from }) => from === found.rule.from) : -1;
    return found ? [{ name, ...found, rank: rank < 0 ? program.names.length : rank }] : [];
  });
  // Of two columns for one key the one whose rule stands first is taken.
  for (const { name, to } of ranked.sort((a, b) => a.rank - b.rank)) if (!taken.has(to)) taken.set(to, name);
  return [...columns].map(([from, column]): LogName => {
    const found = ruleFor(program, from);
    const other = found && taken.get(found.to);
    if (!found || (other !== undefined && other !== from))
      return { from, to: null, ...column, ...(other ? { says: `not used: ${found?.to} is read from ${other}` } : {}) };
    return { from, to: found.to, ...column, ...(found.rule.says ? { says: found.rule.says } : {}) };
  });
}

/** What a column is taken for, and how its values are turned. */
export interface Taken {
  readonly to: string;
  readonly turn: NameRule["turn"] | undefined;
}

/** The columns that are used, by their names. */
export const takenOf = (names: readonly LogName[], program: LogProgram): ReadonlyMap<string, Taken> =>
  new Map(names.flatMap(({ from, to }) => (to === null ? [] : [[from, { to, turn: ruleFor(program, from)?.rule.turn }] as const])));

/** The row under this lab's keys. */
export function rowOf({ step, values }: Row & { readonly step: number }, taken: ReadonlyMap<string, Taken>): LogRow {
  const metrics: Record<string, number> = {};
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const column = taken.get(name);
    if (column === undefined) continue;
    if (value === null) unknown.push(column.to);
    else metrics[column.to] = column.turn?.(value) ?? value;
  }
  return { step, metrics, unknown };
}

/** Rows beyond which neighbours are put together: a chart draws no more, and every judgement looks at all of them. */
const MOST_ROWS = 20_000;

/** The rows of a log, those of a very long one as means of so many steps each. */
export function thinned(rows: readonly LogRow[]): { readonly rows: readonly LogRow[]; readonly each: number } {
  const each = Math.ceil(rows.length / MOST_ROWS);
  if (each <= 1) return { rows, each: 1 };
  return { each, rows: Array.from({ length: Math.ceil(rows.length / each) }, (_, i) => meanRow(rows.slice(i * each, (i + 1) * each))) };
}

function meanRow(rows: readonly LogRow[]): LogRow {
  const values = new Map<string, number[]>();
  for (const { metrics } of rows)
    for (const [key, value] of Object.entries(metrics)) {
      const known = values.get(key);
      if (known) known.push(value);
      else values.set(key, [value]);
    }
  return {
    step: rows.at(-1)!.step,
    metrics: Object.fromEntries([...values].map(([key, all]) => [key, meanOf(all)])),
    unknown: [...new Set(rows.flatMap(({ unknown }) => unknown))],
  };
}
