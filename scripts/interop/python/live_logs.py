"""Reads the logs of a run that goes on with the programs they are written for, and compares what they say of its steps."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
import mlflow
import pandas
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

logs = Path(sys.argv[1])
# The other files may be a row further by the time they are read.
rows = [json.loads(line) for line in (logs / "jsonl" / "metrics.jsonl").read_text().split("\n")[:-1]]

events = EventAccumulator(str(logs / "tensorboard"))
events.Reload()
scalars = {(event.step, tag): event.value for tag in events.Tags()["scalars"] for event in events.Scalars(tag)}

table = pandas.read_csv(logs / "csv" / "metrics.csv").set_index("step")

(run_folder,) = [path.parent.parent for path in logs.glob("mlflow/*/*/tags/mlflow.runName")]
client = mlflow.MlflowClient(tracking_uri=(logs / "mlflow").resolve().as_uri())
run = client.get_run(run_folder.name)
histories = {}


def of_mlflow(step, name):
    key = name if name in run.data.metrics else f"{name}/total"
    if key not in histories:
        histories[key] = {point.step: point.value for point in client.get_metric_history(run_folder.name, key)}
    return histories[key].get(step)


# What wandb sync gets is a copy, as somebody takes one of a run that goes on; the rows it is held to were read before.
copy = Path("copied").resolve()
shutil.copytree(logs / "wandb", copy / "wandb")
(copy / "metrics.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
synced = subprocess.run(
    [sys.executable, str(Path(__file__).with_name("wandb_sync.py")), str(copy), str(copy / "wandb"), "goes-on"], capture_output=True, text=True
)
if synced.returncode != 0:
    sys.exit(synced.stderr[-2000:])

count = 0
for row in rows:
    step = row["step"]
    for name, value in row.items():
        if name == "step" or value is None:
            continue
        others = {
            "TensorBoard": (scalars.get((step, name)), 1e-6),
            "pandas": (table.at[step, name] if name in table else None, 1e-12),
            "MLflow": (of_mlflow(step, name), 1e-12),
        }
        for program, (got, tolerance) in others.items():
            if got is None or abs(got - value) > tolerance * max(1, abs(value)):
                sys.exit(f"{program} reads {name} at step {step} as {got}, the JSON lines say {value}")
            count += 1
if run.info.status != "RUNNING":
    sys.exit(f"MLflow says of a run that goes on that it is {run.info.status}")
print(
    f"While a run goes on ({len(rows)} rows so far), TensorBoard's EventAccumulator, pandas and MlflowClient (which says {run.info.status}) "
    f"read its logs: {count} values are those of the JSON lines, to float32 in TensorBoard; {synced.stdout.strip().splitlines()[-1]}"
)
