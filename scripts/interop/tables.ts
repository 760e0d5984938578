// What a run has recorded, in the programs that people read such records with: TensorBoard, MLflow,
// Weights & Biases and pandas.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Check, hold, type Interop, trainSums } from "./check.ts";

const readBack =
  (form: string, program: string, settings: Readonly<Record<string, unknown>> = {}) =>
  async (interop: Interop): Promise<string> => {
    const { path } = await trainSums(interop, settings);
    const { out } = await interop.lab("export", path, "--to", form);
    return interop.python(program, path, String(out));
  };

export const tensorboard: Check = {
  name: "tensorboard",
  title: "Event files in TensorBoard",
  packages: ["tensorboard"],
  run: readBack("tensorboard", "tensorboard_events.py", { steps: 3 }),
};

export const mlflow: Check = {
  name: "mlflow",
  title: "A run in MLflow",
  packages: ["mlflow"],
  run: readBack("mlflow", "mlflow_store.py", { steps: 3 }),
};

export const wandb: Check = {
  name: "wandb",
  title: "An offline run in Weights & Biases",
  packages: ["wandb"],
  // Enough steps that records are cut where blocks of the log end.
  run: readBack("wandb", "wandb_sync.py", { steps: 24 }),
};

const LIVE = "jsonl,csv,tensorboard,mlflow,wandb";

export const liveLogs: Check = {
  name: "live-logs",
  title: "Logs of a run that goes on",
  packages: ["tensorboard", "mlflow", "wandb", "pandas"],
  async run(interop) {
    const config = { task: "boxed-arithmetic", backend: "wasm", threads: 1, steps: 400, promptsPerStep: 8, groupSize: 8, evalEvery: 2 };
    await writeFile(join(interop.folder, "live.json"), JSON.stringify({ ...config, evalProblems: 8 }));
    let isOver = false;
    const training = interop.lab("train", "live.json", "--out", "live", "--log", LIVE).finally(() => {
      isOver = true;
    });
    const logs = join(interop.folder, "live", "logs");
    const rows = async () => (await readFile(join(logs, "jsonl", "metrics.jsonl"), "utf8").catch(() => "")).split("\n").length - 1;
    while (!isOver && (await rows()) < 6) await new Promise((resolve) => setTimeout(resolve, 200));
    const said = await interop.python("live_logs.py", logs);
    hold(!isOver, "the run was over before its logs were read");
    await stopTraining(interop.folder);
    await training.catch(() => {});
    return said;
  },
};

/** Ends the run as Ctrl-C does. */
async function stopTraining(folder: string): Promise<void> {
  process.kill(Number(await readFile(join(folder, "live", ".pid"), "utf8")), "SIGINT");
}

export const dataFrames: Check = {
  name: "data-frames",
  title: "CSV and JSON lines in pandas",
  packages: ["pandas"],
  async run(interop) {
    const { path } = await trainSums(interop, { steps: 3 });
    const [csv, jsonl] = [await interop.lab("export", path, "--to", "csv"), await interop.lab("export", path, "--to", "jsonl")];
    return interop.python("data_frames.py", path, String(csv.out), String(jsonl.out));
  },
};
