// A run's metrics in the forms of other programs, written in logs/ of its folder while it goes on, so that TensorBoard and its like
// can watch it. What a run that goes on had before is written anew first, from its own records.
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type FileChange, type LiveForm, liveForms } from "../../export/live/liveForms.ts";
import { formLogger, type MetricsLogger, type RunLog, runLog } from "../../export/live/metricsLogger.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { EngineEvent } from "../../protocol/messages.ts";
import { showValue, unknownName } from "../../protocol/problems.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { begunOf } from "../folder/recordedRun.ts";
import type { RunFolder } from "../folder/runFolder.ts";
import { CommandError, fileError } from "../lab/exit.ts";

const NAMES = liveForms.map(({ name }) => name);

/** Forms named with commas between them. Throws a CommandError naming one that is unknown or stands there twice. */
export function readForms(text: string): readonly LiveForm[] {
  const names = text.split(",").map((name) => name.trim());
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new CommandError(`--log must name each form once, got ${showValue(text)}`);
  return names.map((name) => {
    const form = liveForms.find((each) => each.name === name);
    if (!form) throw new CommandError(unknownName("--log", name, NAMES));
    return form;
  });
}

/** Carries out what becomes of a file of a folder. */
function applyChange(folder: string, { name, how, bytes }: FileChange): void {
  const path = join(folder, name);
  try {
    if (how !== "gone") mkdirSync(dirname(path), { recursive: true });
    if (how === "gone") rmSync(path, { force: true });
    else if (how === "whole") writeFileSync(path, bytes);
    else appendFileSync(path, bytes);
  } catch (error) {
    throw fileError("written", path, error);
  }
}

/** A logger that writes a form's files in a folder. @param form one of liveForms, by its name. */
export function createFileLogger(form: string, folder: string): MetricsLogger {
  const [found] = readForms(form);
  return formLogger(found!, (change) => applyChange(folder, change));
}

/** The logs of one run; owned state. Without forms it does nothing. */
export class RunLogs {
  readonly #folder: RunFolder;
  /** Null without forms, and once a file could not be written. */
  #log: RunLog | null;
  readonly #onError: (error: Error) => void;
  #config: RunConfig | null = null;
  /** Seconds since 1970 at which the run began, by its folder. */
  readonly #begun: number;

  /** @param onError hears of a file that cannot be written; the logs are then no longer written. */
  constructor(folder: RunFolder, begun: number, forms: readonly LiveForm[], onError: (error: Error) => void) {
    this.#begun = begun;
    this.#folder = folder;
    const loggers = forms.map((form) => formLogger(form, (change) => applyChange(join(folder.path, "logs", form.name), change)));
    this.#log = loggers.length === 0 ? null : runLog(loggers);
    this.#onError = onError;
  }

  hear(event: EngineEvent): void {
    if (event.type === "started") this.begin(event.config);
    else if (event.type === "steps") this.steps(event.records);
    else if (event.type === "evaluation") this.#tell((log) => log.evaluation(event.record, Date.now() / 1000));
    else if (event.type === "history" && this.#config) {
      this.begin(this.#config);
      let seconds = this.#begun;
      this.#tell((log) => {
        for (const record of event.evaluations) log.evaluation(record, this.#begun);
        for (const record of event.steps) {
          seconds += record.metrics.step_time || 0;
          log.steps([record], seconds);
        }
      });
    }
  }

  begin(config: RunConfig): void {
    this.#config = config;
    const begunAt = new Date(1000 * this.#begun).toISOString();
    this.#tell((log) => log.begin({ runId: this.#folder.runId, config, begun: this.#begun, begunAt }));
  }

  steps(records: readonly StepRecord[]): void {
    this.#tell((log) => log.steps(records, Date.now() / 1000));
  }

  end(): void {
    if (this.#config) this.#tell((log) => log.end());
  }

  #tell(tell: (log: RunLog) => void): void {
    if (this.#log === null) return;
    try {
      tell(this.#log);
    } catch (error) {
      this.#log = null;
      this.#onError(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** The logs of a run in these forms. */
export async function openLogs(folder: RunFolder, forms: readonly LiveForm[] = [], onError: (error: Error) => void): Promise<RunLogs> {
  return new RunLogs(folder, forms.length === 0 ? 0 : await begunOf(folder), forms, onError);
}
