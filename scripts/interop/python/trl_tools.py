"""Holds conversations of an exported folder again, and looks at a batch that TRL itself makes: its masks, its own rendering of what tools say."""

import json
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

folder, made_up = sys.argv[1:]
sys.path.insert(0, folder)
import conversation  # noqa: E402
import rewards  # noqa: E402
import train  # noqa: E402

trainer, _ = train.trainer_of(train.arguments(["--cpu", "--max-steps", "1", "--out", str(Path(made_up, "output"))]))
renderer = conversation.Renderer(trainer.processing_class)
held = conversation.check(made_up, renderer)
values = rewards.check(made_up)
rows = [json.loads(line) for line in Path(made_up, "rollouts.jsonl").read_text(encoding="utf-8").split("\n")[:-1]]
ends = Counter(row["stopReason"] for row in rows)
calls, failed = (sum(row["figures"][name] for row in rows) for name in ("calls", "tool_errors"))
seen = (
    f"{held} made-up conversations go as in the lab, to the id, the mask and {values} reward values ({calls} calls, {failed} of them failed; "
    f"ended by {', '.join(f'{name} {count}' for name, count in sorted(ends.items()))})."
)
if conversation.PLAN["announces"]:
    # The shipped checkpoints were trained without the announcement and call nothing after one.
    print(seen)
    sys.exit()

batches = []
score = trainer._generate_and_score_completions


def watched(inputs):
    output = score(inputs)
    batches.append((output, [each.conversation for each in trainer.environments]))
    return output


trainer._generate_and_score_completions = watched
trainer.train()

inserted = 0
for output, talks in batches:
    for ids, mask, counted, talk in zip(output["completion_ids"].tolist(), output["tool_mask"].tolist(), output["completion_mask"].tolist(), talks):
        length = sum(counted)
        if ids[:length] != talk.ids or mask[:length] != talk.mask or not talk.mask[-1]:
            sys.exit(f"a completion is {ids[:length]} masked {mask[:length]}, its conversation {talk.ids} masked {talk.mask}")
        at = 0
        for sampled, run in groupby(talk.mask):
            span = talk.ids[at : at + len(list(run))]
            at += len(span)
            if sampled:
                continue
            # What stands between the marks of a result, each ended by a line break.
            starts = [i for i, token in enumerate(span) if token == renderer.result]
            texts = [renderer.decode(span[i + 1 : span.index(renderer.closed, i)])[1:-1] for i in starts]
            name = conversation.PLAN["tools"][0]["name"]
            wanted = trainer._get_tool_suffix_ids([{"role": "tool", "name": name, "content": text} for text in texts])
            if span != list(wanted):
                sys.exit(f"{span} is inserted, TRL's template has {wanted}")
            inserted += len(span)
if inserted == 0:
    sys.exit("no tool was called in the batch that TRL sampled")
count = sum(len(talks) for _, talks in batches)
print(f"{seen} In a batch of {count} that TRL samples, {inserted} tokens of tools are masked, and no other; they are what TRL itself renders.")
