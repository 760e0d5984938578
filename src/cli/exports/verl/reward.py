"""The run's reward as verl calls it: the weighted sum, with each part beside it. The parts are those of rewards.py."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import rewards  # noqa: E402

WEIGHTS = json.loads((HERE / "weights.json").read_text(encoding="utf-8"))


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    # verl gives text without special tokens, so that a turn that was cut off looks like one that ended.
    parts = {name: rewards.PARTS[name](solution_str, ground_truth, True) for name in WEIGHTS}
    return {"score": sum(WEIGHTS[name] * value for name, value in parts.items()), **parts}
