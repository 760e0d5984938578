"""Reads exported traces as verifiers' replay does, and holds their branches to the lab's records."""

import json
import sys
from pathlib import Path

from verifiers.v1.configs.agent import WireAgentConfig
from verifiers.v1.state import State
from verifiers.v1.task import WireTaskData
from verifiers.v1.trace import Trace
from verifiers.v1.utils.trace_store import read_episodes

path, out = sys.argv[1:]
lines = [json.loads(line) for line in Path(path, "trajectories.jsonl").read_text().splitlines()]
episodes = read_episodes(Path(out), Trace[WireTaskData, State, WireAgentConfig])
if len(episodes) != len(lines):
    sys.exit(f"{len(episodes)} episodes of {len(lines)} conversations")
tokens, calls = 0, 0
for line, episode in zip(lines, episodes):
    (trace,) = episode.traces
    (branch,) = trace.branches
    flags = [False] * len(line["promptTokens"]) + [flag == 1 for flag in line["sampled"]]
    wanted = {
        "token_ids": line["promptTokens"] + line["tokens"],
        "sampled_mask": flags,
        "logprobs": [0.0] * len(line["promptTokens"]) + [value if flag else 0.0 for value, flag in zip(line["logprobs"], line["sampled"])],
    }
    for name, values in wanted.items():
        if getattr(branch, name) != values:
            sys.exit(f"{name} of {trace.id} is {getattr(branch, name)}, the lab has {values}")
    if abs(trace.reward - line["reward"]) > 1e-9:
        sys.exit(f"the reward of {trace.id} is {trace.reward}, the lab has {line['reward']}")
    tokens += len(branch.token_ids)
    calls += sum(len(getattr(message, "tool_calls", None) or []) for message in branch.messages)
print(
    f"read_episodes takes {len(episodes)} conversations of the calculator with {calls} tool calls. Each is one branch; its {tokens} tokens "
    "in all, their masks and log-probs, and the rewards are the lab's."
)
