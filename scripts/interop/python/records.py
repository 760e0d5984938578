"""The records of a run's folder, as the lab wrote them: what other readers are held to."""

import json
import sys
from pathlib import Path


def recorded(path):
    """Metrics by step, what is not a number left out."""
    lines = [json.loads(line) for line in Path(path, "metrics.jsonl").read_text().splitlines()]
    return {line["step"]: {key: value for key, value in line.items() if key != "step" and value is not None} for line in lines}


def compare(steps, read, tolerance):
    """How many values read(step, metric) gives as the lab wrote them; ends the program where one is another."""
    count = 0
    for step, metrics in steps.items():
        for name, value in metrics.items():
            got = read(step, name)
            if got is None or abs(got - value) > tolerance * max(1, abs(value)):
                sys.exit(f"{name} at step {step} reads back as {got}, the lab wrote {value}")
            count += 1
    return count
