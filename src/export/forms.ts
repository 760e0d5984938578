// The forms in which a run's records leave the lab, from the command line and from the page: comma-separated values, JSON lines,
// TensorBoard, MLflow, Weights & Biases, verifiers, and one page of HTML.

import type { ModelFile } from "../protocol/messages.ts";
import { isRecord } from "../protocol/problems.ts";
import { messagesWritten } from "../rl/tools/chatMessages.ts";
import { eventFile } from "./eventFile.ts";
import { metricRows, metricsTable } from "./metricsTable.ts";
import { mlflowStore } from "./mlflowStore.ts";
import { reportOf } from "./reportOf.ts";
import { episodeOf, trajectoryLine } from "./verifiersTrace.ts";
import { wandbRun } from "./wandbRun.ts";
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

/** All settings as JSON, those of a part by themselves. */
function settingsOf(config: object, under = ""): readonly (readonly [name: string, json: string])[] {
  return Object.entries(config).flatMap(([key, value]) =>
    isRecord(value) ? settingsOf(value, `${under}${key}.`) : [[`${under}${key}`, JSON.stringify(value)] as const],
  );
}

const csv: Form = {
  name: "csv",
  help: "metrics.csv, one row a step with its evaluation",
  files: ({ steps, evaluations }) => [textFile("metrics.csv", metricsTable(steps, evaluations))],
};

const jsonl: Form = {
  name: "jsonl",
  help: "trajectories.jsonl (of a run's folder), metrics.jsonl and evaluations.jsonl with each problem, whole lines only",
  files({ steps, evaluations, conversations }) {
    const tables = [textFile("metrics.jsonl", jsonLines(steps.map(metricsLine))), textFile("evaluations.jsonl", jsonLines(evaluations))];
    return conversations === null ? tables : [textFile("trajectories.jsonl", jsonLines(conversations.map(writtenLine))), ...tables];
  },
};

const tensorboard: Form = {
  name: "tensorboard",
  help: "an event file with every metric: tensorboard --logdir FOLDER",
  files: (run) => [{ name: `events.out.tfevents.${Math.floor(run.begun)}.rollout-lab`, bytes: eventFile(timedRows(run), run.begun) }],
};

const mlflow: Form = {
  name: "mlflow",
  help: "MLflow's file store: mlflow migrate-filestore --source FOLDER --target sqlite:///mlflow.db",
  files(run) {
    const { runId, config, begun } = run;
    const rows = timedRows(run).map(({ wallTime, ...row }) => ({ ...row, timeMs: 1000 * wallTime }));
    const named = { name: runId, experiment: config.task, identity: `${runId} ${begun}` };
    const written = { ...named, config: `${JSON.stringify(config, null, 2)}\n`, begunMs: 1000 * begun, settings: settingsOf(config), rows };
    return mlflowStore(written).map(([path, text]) => textFile(path, text));
  },
};

const wandb: Form = {
  name: "wandb",
  help: "an offline run of Weights & Biases: wandb sync FOLDER/offline-run-*",
  files(run) {
    const { runId, config, begun, begunAt } = run;
    const named = { name: runId, project: config.task, identity: `${runId} ${begun}` };
    return [wandbRun({ ...named, begun, begunAt, settings: settingsOf(config), rows: timedRows(run) })];
  },
};

const verifiers: Form = {
  name: "verifiers",
  help: "traces.jsonl, the written-down conversations as verifiers keeps rollouts",
  isOfConversations: true,
  files({ runId, config, begun, conversations }) {
    const origin = { task: config.task, runId, version: VERSION, begun };
    return [textFile("traces.jsonl", jsonLines((conversations ?? []).map((line) => episodeOf(trajectoryLine.parse(line), origin))))];
  },
};

const report: Form = {
  name: "report",
  help: "report.html, one page with curves, settings and samples",
  files: (run) => [textFile("report.html", reportOf(run))],
};

export const forms: readonly Form[] = [jsonl, csv, tensorboard, mlflow, wandb, verifiers, report];
