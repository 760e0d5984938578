// Metrics of a run in the forms of other programs, row by row as they come: what each row adds to which file. The exports of a
// finished run are the same writers over all of its rows (forms.ts), so a file that was written while a run went on is the
// one that an export writes.

import type { RunConfig } from "../../protocol/config.ts";
import { isRecord } from "../../protocol/problems.ts";
import { joinedBytes } from "../../protocol/run/deflate.ts";
import { eventHead, eventRecord } from "../eventFile.ts";
import { columnsOf, type Row, tableHead, tableLine } from "../metricsTable.ts";
import { metricLines, mlflowFolder, mlflowTexts } from "../mlflowStore.ts";
import { endingBodies, historyBody, openingBodies, RecordLog, wandbPath } from "../wandbRun.ts";

/** The run whose metrics are written. */
export interface LoggedRun {
  readonly runId: string;
  readonly config: RunConfig;
  /** Seconds since 1970. */
  readonly begun: number;
  /** The same as ISO 8601 writes it. */
  readonly begunAt: string;
}

/** All that was measured at one step. */
export interface LoggedRow {
  readonly step: number;
  /** Seconds since 1970. */
  readonly wallTime: number;
  readonly values: Row;
}

/** What becomes of a file: it is put in the place of the one there, goes on, or is taken away. */
export interface FileChange {
  readonly name: string;
  readonly how: "whole" | "more" | "gone";
  readonly bytes: Uint8Array;
}

/** Writes one run; the rows come in the order of their steps, each once. */
export interface LiveWriter {
  begin(): readonly FileChange[];
  row(row: LoggedRow): readonly FileChange[];
  end(): readonly FileChange[];
}

/** A form that can be written while a run goes on. */
export interface LiveForm {
  readonly name: string;
  open(run: LoggedRun): LiveWriter;
}

const textBytes = (text: string) => new TextEncoder().encode(text);
const whole = (name: string, bytes: Uint8Array): FileChange => ({ name, how: "whole", bytes });
const more = (name: string, bytes: Uint8Array): FileChange => ({ name, how: "more", bytes });
const gone = (name: string): FileChange => ({ name, how: "gone", bytes: new Uint8Array(0) });

/** All settings as JSON, those of a part by themselves. */
function settingsOf(config: object, under = ""): readonly (readonly [name: string, json: string])[] {
  return Object.entries(config).flatMap(([key, value]) =>
    isRecord(value) ? settingsOf(value, `${under}${key}.`) : [[`${under}${key}`, JSON.stringify(value)] as const],
  );
}

const jsonl: LiveForm = {
  name: "jsonl",
  open: () => ({
    begin: () => [whole("metrics.jsonl", new Uint8Array(0))],
    row: ({ step, values }) => [more("metrics.jsonl", textBytes(`${JSON.stringify({ step, ...values })}\n`))],
    end: () => [],
  }),
};

const csv: LiveForm = {
  name: "csv",
  open() {
    const rows: LoggedRow[] = [];
    let columns: readonly string[] = [];
    return {
      begin: () => [whole("metrics.csv", textBytes(tableHead(columns)))],
      row(row) {
        rows.push(row);
        const line = tableLine(columns, row.step, row.values);
        if (Object.keys(row.values).every((name) => columns.includes(name))) return [more("metrics.csv", textBytes(line))];
        // A column that nobody had before changes every line.
        columns = columnsOf(rows.map(({ values }) => values));
        const lines = rows.map(({ step, values }) => tableLine(columns, step, values));
        return [whole("metrics.csv", textBytes(`${tableHead(columns)}${lines.join("")}`))];
      },
      end: () => [],
    };
  },
};

const tensorboard: LiveForm = {
  name: "tensorboard",
  open({ begun }) {
    const name = `events.out.tfevents.${Math.floor(begun)}.rollout-lab`;
    return { begin: () => [whole(name, eventHead(begun))], row: (row) => [more(name, eventRecord(row))], end: () => [] };
  },
};

const mlflow: LiveForm = {
  name: "mlflow",
  open({ runId, config, begun }) {
    const named = { name: runId, experiment: config.task, identity: `${runId} ${begun}` };
    const run = { ...named, config: `${JSON.stringify(config, null, 2)}\n`, begunMs: 1000 * begun, settings: settingsOf(config) };
    const folder = mlflowFolder(run);
    const rows: { readonly step: number; readonly timeMs: number; readonly values: Row }[] = [];
    const names = new Set<string>();
    const texts = (endedMs: number | null) => mlflowTexts(run, endedMs).map(([path, text]) => whole(path, textBytes(text)));
    const pathOf = (metric: string) => `${folder}/metrics/${metric}`;
    return {
      begin: () => texts(null),
      row({ step, wallTime, values }) {
        const row = { step, timeMs: 1000 * wallTime, values };
        const before = [...metricLines(rows, names).keys()];
        const known = names.size;
        rows.push(row);
        for (const name of Object.keys(values)) names.add(name);
        if (names.size === known) return [...metricLines([row], names)].map(([metric, lines]) => more(pathOf(metric), textBytes(lines)));
        // A name that others begin with is kept elsewhere from now on.
        const all = metricLines(rows, names);
        const moved = before.filter((metric) => !all.has(metric)).map((metric) => gone(pathOf(metric)));
        return [...moved, ...[...all].map(([metric, lines]) => whole(pathOf(metric), textBytes(lines)))];
      },
      end: () => texts(rows.at(-1)?.timeMs ?? run.begunMs),
    };
  },
};

const wandb: LiveForm = {
  name: "wandb",
  open({ runId, config, begun, begunAt }) {
    const run = { name: runId, project: config.task, identity: `${runId} ${begun}`, begun, begunAt, settings: settingsOf(config) };
    const path = wandbPath(run);
    const log = new RecordLog();
    let last: LoggedRow | null = null;
    return {
      begin: () => [whole(path, log.head), ...openingBodies(run).map((body) => more(path, log.add(body)))],
      row(row) {
        last = row;
        return [more(path, log.add(historyBody(run, row)))];
      },
      end: () => endingBodies(run, last).map((body) => more(path, log.add(body))),
    };
  },
};

/** The forms that a run's metrics can have while it goes on. */
export const liveForms: readonly LiveForm[] = [jsonl, csv, tensorboard, mlflow, wandb];

/** The files of a run that is over. */
export function writtenFiles(form: LiveForm, run: LoggedRun, rows: readonly LoggedRow[]): ReadonlyMap<string, Uint8Array> {
  const writer = form.open(run);
  const parts = new Map<string, Uint8Array[]>();
  for (const { name, how, bytes } of [...writer.begin(), ...rows.flatMap((row) => writer.row(row)), ...writer.end()])
    if (how === "gone") parts.delete(name);
    else parts.set(name, how === "whole" ? [bytes] : [...(parts.get(name) ?? []), bytes]);
  return new Map([...parts].map(([name, bytes]) => [name, joinedBytes(bytes)]));
}
