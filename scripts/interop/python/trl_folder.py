"""Runs train.py of an exported folder on two processes, ended by SIGTERM after a quarter of the steps and by SIGKILL after a half, each time begun again
by the same command; tells the rewards of all steps, where it went on and how it ended as JSON."""

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

folder, steps = sys.argv[1], int(sys.argv[2])
command = [sys.executable, str(Path(folder, "train.py")), "--cpu", "--processes", "2", "--max-steps", str(steps)]


def run(ending=None, at=None):
    """Where it began, the rewards that it told by step, its exit code and what it said for people."""
    rewards, people, begun = {}, [], None
    with open(Path(folder, "stderr.txt"), "w+") as errors:
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True) as program:
            for line in program.stdout:
                if not line.startswith('{"'):
                    people.append(line)
                    continue
                record = json.loads(line)
                if "from" in record:
                    begun = record["from"]
                    rewards = {each["step"]: each["metrics"]["reward"] for each in record["steps"]}
                elif "step" in record:
                    rewards[record["step"]] = record["metrics"]["reward"]
                    if record["step"] == at:
                        program.send_signal(ending)
                        if ending == signal.SIGKILL:
                            break
        errors.seek(0)
        if ending is None and program.returncode != 0:
            sys.exit(f"{' '.join(command)}: {errors.read()[-2500:]}")
    return begun, rewards, program.returncode, "".join(people)


run(signal.SIGTERM, steps // 4)
told_to_end, *_ = run(signal.SIGKILL, steps // 2)
killed, rewards, _, said = run()
if list(rewards) != list(range(1, steps + 1)):
    sys.exit(f"{steps} steps were asked for, {list(rewards)} told")
agreed = int(re.search(r"(\d+) reward values agree", said)[1])
print(json.dumps({"rewards": list(rewards.values()), "agreed": agreed, "wentOn": [told_to_end, killed]}))
