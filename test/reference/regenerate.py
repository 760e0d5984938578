"""Makes all reference numbers again and compares them with those committed, or writes them.

Run by `npm run reference`; in an environment that has requirements.txt: python regenerate.py [--write].
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from safetensors.torch import load_file

import llama_folders
import lora_folders
import math_verify_answers
import tinker_messages
import tokenizer_ids
import trl_losses
import verl_advantages

HERE = Path(__file__).parent
# Float64 arithmetic differs in its last digits between processors; transformers computes parts in float32.
TOLERANCE = {"trl-losses.json": 1e-9, "verl-advantages.json": 1e-9}
FLOAT32_TOLERANCE = 1e-5


def differences(found, committed, tolerance, place=""):
    """Where two JSON values differ: numbers by more than tolerance * max(1, size), all else at all."""
    if isinstance(committed, dict) and isinstance(found, dict):
        if found.keys() != committed.keys():
            return [f"{place}: keys {sorted(found.keys() ^ committed.keys())}"]
        return [line for key in committed for line in differences(found[key], committed[key], tolerance, f"{place}/{key}")]
    if isinstance(committed, list) and isinstance(found, list):
        if len(found) != len(committed):
            return [f"{place}: length {len(found)}, committed {len(committed)}"]
        return [line for i, pair in enumerate(zip(found, committed)) for line in differences(*pair, tolerance, f"{place}/{i}")]
    if isinstance(committed, float) and isinstance(found, float):
        if abs(found - committed) <= tolerance * max(1, abs(committed)):
            return []
    elif found == committed:
        return []
    return [f"{place}: {found}, committed {committed}"]


def compare_file(made: Path, committed: Path, name: str):
    if not committed.exists():
        return [f"{name}: not committed"]
    if made.suffix == ".safetensors":
        one, other = load_file(made), load_file(committed)
        if one.keys() != other.keys():
            return [f"{name}: tensors {sorted(one.keys() ^ other.keys())}"]
        return [f"{name}: {key} differs" for key in one if one[key].dtype != other[key].dtype or not one[key].equal(other[key])]
    tolerance = TOLERANCE.get(name, FLOAT32_TOLERANCE)
    return differences(json.loads(made.read_text("utf-8")), json.loads(committed.read_text("utf-8")), tolerance, name)


def make_all(folder: Path):
    programs = (trl_losses, verl_advantages, llama_folders, lora_folders, tinker_messages, math_verify_answers, tokenizer_ids)
    for program in programs:
        program.make(folder)


def compare() -> int:
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        make_all(made)
        names = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
        failed = 0
        for name in names:
            lines = compare_file(made / name, HERE / name, name)
            failed += bool(lines)
            print(f"{name}: {'agrees' if not lines else f'{len(lines)} differences'}")
            print("".join(f"  {line}\n" for line in lines[:10]), end="")
    print(f"{len(names) - failed} files agree, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the numbers here instead of comparing")
    if parser.parse_args().write:
        make_all(HERE)
        print(f"wrote {HERE}")
    else:
        sys.exit(compare())
