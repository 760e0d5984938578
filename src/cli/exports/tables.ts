// The records of a run as tables that other programs read: comma-separated values, JSON lines, TensorBoard.
import { eventFile } from "../../export/eventFile.ts";
import { metricRows, metricsTable } from "../../export/metricsTable.ts";
import { readLines } from "../runs/jsonLines.ts";
import { readRecords } from "../runs/recordedRun.ts";
import { pathOf, readJson } from "../runs/runFolder.ts";
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
  help: "trajectories.jsonl and metrics.jsonl, as the run's folder has them, whole lines only",
  async files({ folder }) {
    const names = ["trajectories.jsonl", "metrics.jsonl"] as const;
    return Promise.all(
      names.map(async (name) =>
        textFile(name, (await readLines(pathOf(folder, name))).map((line) => `${JSON.stringify(line)}\n`).join("")),
      ),
    );
  },
};

/** Seconds since 1970 at which a run began. */
async function begunAt(path: string): Promise<number> {
  const { created } = (await readJson(path)) as { readonly created?: unknown };
  const time = typeof created === "string" ? Date.parse(created) : Number.NaN;
  return Number.isNaN(time) ? 0 : time / 1000;
}

export const tensorboard: Exporter = {
  name: "tensorboard",
  help: "an event file with every metric: tensorboard --logdir FOLDER",
  async files({ folder }) {
    const { steps, evaluations } = await readRecords(folder);
    const begun = await begunAt(pathOf(folder, "run.json"));
    let seconds = 0;
    const events = metricRows(steps, evaluations).map(([step, values]) => {
      seconds += values.step_time || 0;
      return { step, wallTime: begun + seconds, values };
    });
    return [{ name: `events.out.tfevents.${Math.floor(begun)}.rollout-lab`, bytes: eventFile(events, begun) }];
  },
};
