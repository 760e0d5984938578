"""The run's reward as verl calls it, with each part beside it. Both are those of rewards.py."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import rewards  # noqa: E402


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    # verl gives text without special tokens, so that a turn that was cut off looks like one that ended.
    parts, total = rewards.verdict(rewards.Judged(solution_str, ground_truth, True, [solution_str]))
    # verl knows no answer without a score.
    return {"score": total or 0.0, **{name: 0.0 if value is None else value for name, value in parts.items()}}
