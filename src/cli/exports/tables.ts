// The records of a run as tables that other programs read: comma-separated values, JSON lines, TensorBoard.

import { stat } from "node:fs/promises";
import { eventFile } from "../../export/eventFile.ts";
import { metricRows, metricsTable } from "../../export/metricsTable.ts";
import { metricsLine, readConversations, readRecords } from "../runs/recordedRun.ts";
import { pathOf, type RunFolder, readJson } from "../runs/runFolder.ts";
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
  help: "trajectories.jsonl (of a run's folder) and metrics.jsonl, whole lines only",
  async files({ folder }) {
    const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
    const metrics = textFile("metrics.jsonl", lines((await readRecords(folder)).steps.map(metricsLine)));
    return folder.isFile ? [metrics] : [textFile("trajectories.jsonl", lines(await readConversations(folder))), metrics];
  },
};

/** Seconds since 1970 at which a run began; of one file, when it was written. */
async function begunAt(folder: RunFolder): Promise<number> {
  if (folder.isFile) return Math.floor((await stat(folder.path)).mtimeMs / 1000);
  const { created } = (await readJson(pathOf(folder, "run.json"))) as { readonly created?: unknown };
  const time = typeof created === "string" ? Date.parse(created) : Number.NaN;
  return Number.isNaN(time) ? 0 : time / 1000;
}

export const tensorboard: Exporter = {
  name: "tensorboard",
  help: "an event file with every metric: tensorboard --logdir FOLDER",
  async files({ folder }) {
    const { steps, evaluations } = await readRecords(folder);
    const begun = await begunAt(folder);
    let seconds = 0;
    const events = metricRows(steps, evaluations).map(([step, values]) => {
      seconds += values.step_time || 0;
      return { step, wallTime: begun + seconds, values };
    });
    return [{ name: `events.out.tfevents.${Math.floor(begun)}.rollout-lab`, bytes: eventFile(events, begun) }];
  },
};
