"""Runs train.py of an exported folder, all completions of a step in one batch; tells rewards and seconds of each step as JSON."""

import json
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import yaml

folder, steps, learning_rate = sys.argv[1:]
settings = Path(folder, "grpo.yaml")
plan = yaml.safe_load(settings.read_text())
options = plan["grpo"]
# The folder takes a group at a time, which any device can hold; one batch is what TRL is fastest with here.
options["per_device_train_batch_size"] *= options["gradient_accumulation_steps"]
options["gradient_accumulation_steps"] = options["steps_per_generation"] = 1
options["learning_rate"] = float(learning_rate)
settings.write_text(yaml.safe_dump(plan))
command = [sys.executable, str(Path(folder, "train.py")), "--cpu", "--max-steps", steps]
done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
if done.returncode != 0:
    sys.exit(f"{' '.join(command)}: {done.stderr[-2500:]}")
told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{\"step\"")]
if len(told) != int(steps):
    sys.exit(f"{steps} steps were asked for, {len(told)} told")
times = [record["wallTime"] for record in told]
rewards = [record["metrics"]["reward"] for record in told]
print(json.dumps({"rewards": rewards, "seconds": [after - before for before, after in pairwise(times)]}))
