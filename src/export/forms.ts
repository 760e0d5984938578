// The forms in which a run's records leave the lab, from the command line and from the page: comma-separated values, JSON lines,
// TensorBoard, MLflow, Weights & Biases, verifiers, and one page of HTML.

import type { ModelFile } from "../protocol/messages.ts";
import { isRecord } from "../protocol/problems.ts";
import { messagesWritten } from "../rl/tools/chatMessages.ts";
import { liveForms, writtenFiles } from "./live/liveForms.ts";
import { metricRows } from "./metricsTable.ts";
import { reportOf } from "./page/reportOf.ts";
import { episodeOf, trajectoryLine } from "./verifiersTrace.ts";
import { metricsLine, textFile, VERSION, type WrittenRun } from "./writtenRun.ts";

export interface Form {
  readonly name: string;
  /** Half a sentence: what the files are. */
  readonly help: string;
  /** Whether it is made of conversations, and of nothing where none are written down. */
  readonly isOfConversations?: boolean;
  files(run: WrittenRun): readonly ModelFile[];
}

const jsonLines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

/** A line of trajectories.jsonl as it stands there. */
const writtenLine = (line: unknown) =>
  isRecord(line) && Array.isArray(line.messages) ? { ...line, messages: messagesWritten(line.messages) } : line;

/** Rows of steps with the seconds since 1970 at which each was over. */
function timedRows({ steps, evaluations, begun }: WrittenRun) {
  let seconds = 0;
  return metricRows(steps, evaluations).map(([step, values]) => {
    seconds += values.step_time || 0;
    return { step, wallTime: begun + seconds, values };
  });
}

/** A form that can be written while a run goes on, over all of a run that is over. */
const filesOf = (name: string) => (run: WrittenRun) => {
  const form = liveForms.find((each) => each.name === name);
  if (!form) throw new Error(`internal: no form ${name} is written live`);
  return [...writtenFiles(form, run, timedRows(run))].map(([path, bytes]) => ({ name: path, bytes }));
};

const csv: Form = {
  name: "csv",
  help: "metrics.csv, one row a step with its evaluation",
  files: filesOf("csv"),
};

const jsonl: Form = {
  name: "jsonl",
  help: "trajectories.jsonl (of the steps whose conversations are there), metrics.jsonl and evaluations.jsonl with each problem, whole lines only",
  files({ steps, evaluations, conversations }) {
    const tables = [textFile("metrics.jsonl", jsonLines(steps.map(metricsLine))), textFile("evaluations.jsonl", jsonLines(evaluations))];
    return conversations === null ? tables : [textFile("trajectories.jsonl", jsonLines(conversations.map(writtenLine))), ...tables];
  },
};

const tensorboard: Form = {
  name: "tensorboard",
  help: "an event file with every metric: tensorboard --logdir FOLDER",
  files: filesOf("tensorboard"),
};

const mlflow: Form = {
  name: "mlflow",
  help: "MLflow's file store: mlflow migrate-filestore --source FOLDER --target sqlite:///mlflow.db",
  files: filesOf("mlflow"),
};

const wandb: Form = {
  name: "wandb",
  help: "an offline run of Weights & Biases: wandb sync FOLDER/offline-run-*",
  files: filesOf("wandb"),
};

const verifiers: Form = {
  name: "verifiers",
  help: "traces.jsonl, the written-down conversations as verifiers keeps rollouts",
  isOfConversations: true,
  files({ runId, config, begun, conversations }) {
    const origin = { task: config.task, runId, version: VERSION, begun };
    const lines = (conversations ?? []).map((line) => {
      const read = trajectoryLine.safeParse(line);
      if (!read.success) throw new Error("verifiers needs each token's log-prob, which is not known of conversations that TRL sampled");
      return episodeOf(read.data, origin);
    });
    return [textFile("traces.jsonl", jsonLines(lines))];
  },
};

const report: Form = {
  name: "report",
  help: "report.html, one page with curves, settings and samples",
  files: (run) => [textFile("report.html", reportOf(run))],
};

export const forms: readonly Form[] = [jsonl, csv, tensorboard, mlflow, wandb, verifiers, report];
