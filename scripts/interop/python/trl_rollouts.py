"""Asks the lab's server for conversations of several tasks and samples their turns by the rule of heldTwice.ts; tells how many turns there were."""

import json
import sys
from pathlib import Path

folders = [Path(each) for each in sys.argv[1:]]
sys.path.insert(0, str(folders[0]))
import lab  # noqa: E402


def sum_of(context):
    total = 0
    for place, token in enumerate(context, 1):
        total = (total + token * place) % 1_000_003
    return total


def turns_of(order, known, turns):
    said = []
    for context, place in zip(order["contexts"], order["sequences"]):
        total = sum_of(context)
        right = known.get(str(total)) if place % 2 == 1 else None
        said.append(right if right is not None else turns[(total + place) % len(turns)])
    return said


count = 0
for folder in folders:
    asked = json.loads((folder / "asked.json").read_text(encoding="utf-8"))
    sampled = []

    def sample(order, sayings=asked["sayings"], sampled=sampled):
        sampled.extend(turns_of(order, **sayings))
        return sampled[-len(order["contexts"]) :]

    lab.HERE = folder
    held = lab.Lab().answer(sample, what="rollouts", problems=asked["places"])
    for place, (here, there) in enumerate(zip(held, asked["held"], strict=True)):
        if here != there:
            sys.exit(f"{folder.name}: conversation {place} is {json.dumps(here)[:600]}, the lab's {json.dumps(there)[:600]}")
    count += len(sampled)
print(count)
