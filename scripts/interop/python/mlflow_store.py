"""Moves the exported file store into a database with MLflow's own tool, and reads the run from there."""

import os
import subprocess
import sys
from pathlib import Path

import mlflow
from records import compare, recorded

path, out = sys.argv[1:]
target = f"sqlite:///{Path('mlflow.db').resolve()}"
moved = [sys.executable, "-m", "mlflow", "migrate-filestore", "--source", out, "--target", target]
done = subprocess.run(moved, capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(f"migrate-filestore: {done.stderr[-2000:]}")
client = mlflow.MlflowClient(tracking_uri=target)
(experiment,) = [each for each in client.search_experiments() if each.name != "Default"]
(run,) = client.search_runs([experiment.experiment_id])
# The folder as it is: get_run looks for more in it than the migration does.
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
if mlflow.MlflowClient(tracking_uri=Path(out).resolve().as_uri()).get_run(run.info.run_id).data.params != run.data.params:
    sys.exit("get_run reads other settings from the folder")
histories = {name: {point.step: point.value for point in client.get_metric_history(run.info.run_id, name)} for name in run.data.metrics}

def read(step, name):
    # A name that others begin with has a last part of its own there.
    return histories.get(name, histories.get(f"{name}/total", {})).get(step)


count = compare(recorded(path), read, 1e-12)
if run.data.params.get("learningRate") != "0.0005":
    sys.exit(f"learningRate reads back as {run.data.params.get('learningRate')}")
print(
    f"mlflow migrate-filestore takes the exported store into SQLite. Experiment {experiment.name}, run {run.info.run_name}, {run.info.status}: "
    f"{count} values of {len(histories)} metrics are those of metrics.jsonl, with {len(run.data.params)} settings."
)
