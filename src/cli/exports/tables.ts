// The records of a run as tables that other programs read: comma-separated values, JSON lines, TensorBoard,
// MLflow, Weights & Biases.

import { stat } from "node:fs/promises";
import { eventFile } from "../../export/eventFile.ts";
import { metricRows, metricsTable } from "../../export/metricsTable.ts";
import { mlflowStore } from "../../export/mlflowStore.ts";
import { episodeOf, trajectoryLine } from "../../export/verifiersTrace.ts";
import { wandbRun } from "../../export/wandbRun.ts";
import { isRecord } from "../../protocol/problems.ts";
import { messagesWritten } from "../../rl/tools/chatMessages.ts";
import { metricsLine, type RecordedRun, readConversations, readRecords } from "../folder/recordedRun.ts";
import { pathOf, type RunFolder, readJson } from "../folder/runFolder.ts";
import { CommandError } from "../lab/exit.ts";
import { packagePath } from "../nodeHost.ts";
import { type Exporter, textFile } from "./exporter.ts";

export const csv: Exporter = {
  name: "csv",
  help: "metrics.csv, one row a step with its evaluation",
  async files({ folder }) {
    const { steps, evaluations } = await readRecords(folder);
    return [textFile("metrics.csv", metricsTable(steps, evaluations))];
  },
};

export const jsonl: Exporter = {
  name: "jsonl",
  help: "trajectories.jsonl (of a run's folder), metrics.jsonl and evaluations.jsonl with each problem, whole lines only",
  async files({ folder }) {
    const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
    const { steps, evaluations } = await readRecords(folder);
    const tables = [textFile("metrics.jsonl", lines(steps.map(metricsLine))), textFile("evaluations.jsonl", lines(evaluations))];
    return folder.isFile ? tables : [textFile("trajectories.jsonl", lines((await readConversations(folder)).map(writtenLine))), ...tables];
  },
};

/** Seconds since 1970 at which a run began; of one file, when it was written. */
async function begunAt(folder: RunFolder): Promise<number> {
  if (folder.isFile) return Math.floor((await stat(folder.path)).mtimeMs / 1000);
  const { created } = (await readJson(pathOf(folder, "run.json"))) as { readonly created?: unknown };
  const time = typeof created === "string" ? Date.parse(created) : Number.NaN;
  return Number.isNaN(time) ? 0 : time / 1000;
}

/** Rows of steps with the seconds since 1970 at which each was over. */
function timedRows({ steps, evaluations }: RecordedRun, begun: number) {
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

export const tensorboard: Exporter = {
  name: "tensorboard",
  help: "an event file with every metric: tensorboard --logdir FOLDER",
  async files({ folder }) {
    const begun = await begunAt(folder);
    const events = timedRows(await readRecords(folder), begun);
    return [{ name: `events.out.tfevents.${Math.floor(begun)}.rollout-lab`, bytes: eventFile(events, begun) }];
  },
};

export const mlflow: Exporter = {
  name: "mlflow",
  help: "MLflow's file store: mlflow migrate-filestore --source FOLDER --target sqlite:///mlflow.db",
  async files({ folder }) {
    const begun = await begunAt(folder);
    const recorded = await readRecords(folder);
    const { config } = recorded;
    const rows = timedRows(recorded, begun).map(({ wallTime, ...row }) => ({ ...row, timeMs: 1000 * wallTime }));
    const settings = settingsOf(recorded.config);
    const named = { name: folder.runId, experiment: config.task, identity: `${folder.runId} ${begun}` };
    return mlflowStore({ ...named, config: `${JSON.stringify(config, null, 2)}\n`, begunMs: 1000 * begun, settings, rows }).map(
      ([path, text]) => textFile(path, text),
    );
  },
};

export const wandb: Exporter = {
  name: "wandb",
  help: "an offline run of Weights & Biases: wandb sync FOLDER/offline-run-*",
  async files({ folder }) {
    const begun = await begunAt(folder);
    const recorded = await readRecords(folder);
    const settings = settingsOf(recorded.config);
    const named = { name: folder.runId, project: recorded.config.task, identity: `${folder.runId} ${begun}` };
    return [wandbRun({ ...named, begun, begunAt: new Date(begun * 1000).toISOString(), settings, rows: timedRows(recorded, begun) })];
  },
};

/** A line of trajectories.jsonl as it stands there. */
const writtenLine = (line: unknown) =>
  isRecord(line) && Array.isArray(line.messages) ? { ...line, messages: messagesWritten(line.messages) } : line;

/** Of this package. */
async function version(): Promise<string> {
  return ((await readJson(packagePath("package.json"))) as { readonly version: string }).version;
}

export const verifiers: Exporter = {
  name: "verifiers",
  help: "traces.jsonl, the written-down conversations as verifiers keeps rollouts",
  async files({ folder }) {
    const conversations = await readConversations(folder);
    if (conversations.length === 0)
      throw new CommandError(`${folder.path} has no conversations written down, which only a run's folder has`);
    const begun = await begunAt(folder);
    const { config } = await readRecords(folder);
    const origin = { task: config.task, runId: folder.runId, version: await version(), begun };
    const lines = conversations.map((line) => `${JSON.stringify(episodeOf(trajectoryLine.parse(line), origin))}\n`);
    return [textFile("traces.jsonl", lines.join(""))];
  },
};
