"""Reads the tables with pandas."""

import sys
from pathlib import Path

import pandas
from records import compare, recorded

path, csv, jsonl = sys.argv[1:]
table = pandas.read_csv(Path(csv, "metrics.csv")).set_index("step")
lines = pandas.read_json(Path(jsonl, "metrics.jsonl"), lines=True).set_index("step")
for frame in (table, lines):
    count = compare(recorded(path), lambda step, name: frame.at[step, name] if name in frame else None, 1e-12)
conversations = pandas.read_json(Path(jsonl, "trajectories.jsonl"), lines=True)
for row in conversations.itertuples():
    if not len(row.tokens) == len(row.mask) == len(row.logprobs):
        sys.exit(f"a conversation of step {row.step} has {len(row.tokens)} tokens, {len(row.mask)} of a mask, {len(row.logprobs)} log-probs")
print(f"{count} values of metrics.csv and of metrics.jsonl are what the lab wrote; trajectories.jsonl has {len(conversations)} conversations with a mask and a log-prob for each token.")
