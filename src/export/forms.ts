// The forms in which a run's records leave the lab, from the command line and from the page: comma-separated values, JSON lines,
// TensorBoard, MLflow, Weights & Biases, verifiers, and one page of HTML.

import type { ModelFile } from "../protocol/messages.ts";
import { isRecord } from "../protocol/problems.ts";
import { messagesWritten } from "../rl/tools/chatMessages.ts";
import { liveForms, writtenFiles } from "./live/liveForms.ts";
import { metricRows } from "./metricsTable.ts";
import { reportOf } from "./page/reportOf.ts";
import { episodeOf, trajectoryLine } from "./verifiersTrace.ts";
import { jsonLines, metricsLine, textFile, VERSION, type WrittenRun } from "./writtenRun.ts";

export interface Form {
  readonly name: string;
  /** Half a sentence: what the files are. */
  readonly help: string;
  /** Whether it is made of conversations, and of nothing where none are written down. */
  readonly isOfConversations?: boolean;
  files(run: WrittenRun): readonly ModelFile[];
}

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
function overAll(name: string, help: string): Form {
  const form = liveForms.find((each) => each.name === name);
  if (!form) throw new Error(`internal: no form ${name} is written live`);
  return { name, help, files: (run) => [...writtenFiles(form, run, timedRows(run))].map(([path, bytes]) => ({ name: path, bytes })) };
}

const jsonl: Form = {
  name: "jsonl",
  help: "trajectories.jsonl (of the steps whose conversations are there), metrics.jsonl and evaluations.jsonl with each problem, whole lines only",
  files({ steps, evaluations, conversations }) {
    const tables = [textFile("metrics.jsonl", jsonLines(steps.map(metricsLine))), textFile("evaluations.jsonl", jsonLines(evaluations))];
    return conversations === null ? tables : [textFile("trajectories.jsonl", jsonLines(conversations.map(writtenLine))), ...tables];
  },
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

export const forms: readonly Form[] = [
  jsonl,
  overAll("csv", "metrics.csv, one row a step with its evaluation"),
  overAll("tensorboard", "an event file with every metric: tensorboard --logdir FOLDER"),
  overAll("mlflow", "MLflow's file store: mlflow migrate-filestore --source FOLDER --target sqlite:///mlflow.db"),
  overAll("wandb", "an offline run of Weights & Biases: wandb sync FOLDER/offline-run-*"),
  verifiers,
  report,
];
