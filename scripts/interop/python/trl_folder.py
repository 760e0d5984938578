"""Runs train.py of an exported folder with a launcher; tells the rewards of all steps as JSON."""

import json
import re
import subprocess
import sys
from pathlib import Path

folder, steps, *launcher = sys.argv[1:]
command = [sys.executable, *launcher, str(Path(folder, "train.py")), "--cpu", "--max-steps", steps]
done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
if done.returncode != 0:
    sys.exit(f"{' '.join(command)}: {done.stderr[-2500:]}")
rewards = [json.loads(line)["metrics"]["reward"] for line in done.stdout.splitlines() if line.startswith("{\"step\"")]
if len(rewards) != int(steps):
    sys.exit(f"{steps} steps were asked for, {len(rewards)} told")
agreed = int(re.search(r"(\d+) reward values agree", done.stdout)[1])
print(json.dumps({"rewards": rewards, "agreed": agreed}))
