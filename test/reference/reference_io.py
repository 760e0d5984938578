"""Inputs from a frozen random stream and JSON that a diff can be read of.

numpy.random.RandomState is frozen by NumPy's compatibility policy, so a seed gives the same inputs in
every later version. Inputs are rounded before use: what is written is what was computed with.
"""

import json
from pathlib import Path

import numpy as np


def rounded(array, decimals=6):
    """The array as float64 numbers of few decimals, with 0 for -0."""
    return np.round(np.asarray(array, dtype=np.float64), decimals) + 0.0


def lists(tensor, digits=None):
    """A tensor as nested lists, to so many significant digits where asked."""
    values = tensor.detach().cpu().tolist() if hasattr(tensor, "detach") else np.asarray(tensor).tolist()
    return values if digits is None else significant(values, digits)


def significant(value, digits):
    if isinstance(value, list):
        return [significant(one, digits) for one in value]
    return float(f"{value:.{digits}g}") + 0.0 if isinstance(value, float) else value


def response_mask(random, sequences, tokens, holes):
    """1 for trained tokens: completions of at least two tokens, the first of full length, some with a tool's answer inside."""
    lengths = random.randint(2, tokens + 1, size=sequences)
    lengths[0] = tokens
    mask = (np.arange(tokens)[None, :] < lengths[:, None]).astype(np.int64)
    for row in range(0, sequences, holes):
        if lengths[row] >= 6:
            mask[row, 2:4] = 0
    return mask


def write_json(path: Path, value) -> None:
    """One entry of the outer objects a line, each array of numbers on one."""
    path.write_text(_format(value, "") + "\n", encoding="utf-8")


def _format(value, indent):
    inner = indent + " "
    if isinstance(value, dict):
        lines = [f"{inner}{json.dumps(key)}: {_format(one, inner)}" for key, one in value.items()]
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(inner + _format(one, inner) for one in value) + f"\n{indent}]"
    return json.dumps(value, separators=(",", ":"))
