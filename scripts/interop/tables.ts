// What a run has recorded, in the programs that people read such records with: TensorBoard, MLflow,
// Weights & Biases and pandas.
import type { Check, Interop } from "./check.ts";
import { trainSums } from "./check.ts";

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
