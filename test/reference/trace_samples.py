"""Samples of rollouts as other programs write them, written into the folder that is named.

verifiers and the Tinker cookbook write theirs by their own code. verl and prime-rl need a GPU, and results of verifiers v0 its old version:
those are written out here after their sources, field by field. Chats are anybody's: the same rows as lines, as a list and as Parquet.

Needs verifiers==0.4.0 and tinker-cookbook==0.6.1 (installed without its dependencies but chz and tinker), which nothing else here does.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

out = Path(sys.argv[1])


def lines(path: str, records: list) -> None:
    target = out / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(json.dumps(record) + "\n" for record in records))


def verifiers_traces() -> list:
    from verifiers.v1.configs.agent import WireAgentConfig
    from verifiers.v1.graph import MessageNode
    from verifiers.v1.state import State
    from verifiers.v1.task import WireTaskData
    from verifiers.v1.trace import AgentInfo, Error, ModelCall, Reward, Trace, TraceTask
    from verifiers.v1.types import AssistantMessage, SystemMessage, ToolCall, ToolMessage, UserMessage

    def trace(number: int, right: float, form: float | None, branches: bool, tokens: bool) -> Trace:
        def ids(first: int, count: int, sampled: int) -> dict:
            if not tokens:
                return {}
            flags = [k >= count - sampled for k in range(count)]
            own = {"token_ids": [first + k for k in range(count)], "mask": flags}
            if sampled:
                own["logprobs"] = [-0.1 * (k + 1) - 0.01 * number for k in range(sampled)]
                own["trainer_logprobs"] = [-0.1 * (k + 1) - 0.02 * number for k in range(sampled)]
                own["advantages"] = [right - 0.5] * sampled
                own["entropies"] = [0.3 + 0.05 * k for k in range(sampled)]
            return own

        call = ToolCall(id="call-1", name="add", arguments='{"a": 2, "b": 2}')
        nodes = [
            MessageNode(message=SystemMessage(content="Use the tool."), timestamp=1.0, **ids(10, 3, 0)),
            MessageNode(parent=0, message=UserMessage(content="What is 2 + 2?"), timestamp=1.0, **ids(20, 4, 0)),
            MessageNode(parent=1, message=AssistantMessage(content="", tool_calls=[call]), sampled=True, timestamp=2.0, **ids(30, 5, 3)),
            MessageNode(parent=2, message=ToolMessage(content="4", tool_call_id="call-1"), timestamp=3.0, **ids(40, 2, 0)),
            MessageNode(parent=3, message=AssistantMessage(content=f"It is {number}."), sampled=True, timestamp=4.0, **ids(50, 6, 4)),
        ]
        if branches:
            nodes.append(
                MessageNode(parent=3, message=AssistantMessage(content="Four."), sampled=True, timestamp=5.0, **ids(60, 4, 2))
            )
        made = Trace[WireTaskData, State, WireAgentConfig](
            id=f"trace-{number}",
            task=TraceTask(type="sums", data=WireTaskData(), key="sum-2-2"),
            agent=AgentInfo(config=WireAgentConfig()),
            nodes=nodes,
            calls=[ModelCall(node=4, finish_reason="length" if number == 3 else "stop")],
        )
        made.rewards = {"right": Reward(score=right), "form": None if form is None else Reward(score=form, weight=0.5)}
        made.metrics = {"turns": 2.0}
        if number == 2:
            made.errors = [Error(type="ToolError", message="the tool was late")]
        return made

    full = [trace(number, right, form, number == 1, True) for number, right, form in ((1, 1.0, 0.25), (2, 0.0, None), (3, 0.0, 1.0))]
    lines("verifiers/traces.jsonl", [each.to_record(float_decimals=None) for each in full])
    words = [trace(number, right, form, False, False) for number, right, form in ((1, 1.0, 0.25), (2, 0.0, None))]
    lines("verifiers-words/traces.jsonl", [each.to_record() for each in words])


def tinker_summaries() -> None:
    from tinker_cookbook.rl.rollout_logging import serialize_rollout_summaries

    def turn(ob: int, ac: int, reward: float, done: bool):
        return SimpleNamespace(
            ob=SimpleNamespace(length=ob), ac=SimpleNamespace(tokens=list(range(ac))), reward=reward, episode_done=done,
            metrics={"format": 1.0}, logs={},
        )

    def group(first: int):
        paths = [
            SimpleNamespace(transitions=[turn(12, 5 + k, 0.1 * k, False), turn(21 + k, 3, 0.0, True)], final_ob=SimpleNamespace(length=24 + k))
            for k in range(3)
        ]
        finals = [float(k == first) for k in range(3)]
        totals = [final + sum(step.reward for step in path.transitions) for final, path in zip(finals, paths)]
        return SimpleNamespace(
            trajectories_G=paths, final_rewards_G=finals, metrics_G=[{"correct": final} for final in finals],
            get_total_rewards=lambda totals=totals: totals,
        )

    for iteration in (0, 1):
        records = serialize_rollout_summaries(
            split="train", iteration=iteration, trajectory_groups_P=[group(0), group(2)], taglist_P=[["sums"], ["sums"]],
            sampling_client_steps_P=[iteration, iteration],
        )
        lines(f"tinker/iteration_{iteration:06d}/train_rollout_summaries.jsonl", records)


def verl_rollouts() -> None:
    """DIR/12.jsonl: texts as the tokenizer decodes them, marks included, and what the reward function returned beside its score."""

    def prompt(question: str) -> str:
        return f"<|im_start|>system\nBox the answer.<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n"

    said = [
        ("What is 2 + 3?", "5", "It is \\boxed{5}.<|im_end|>", 1.0, True),
        ("What is 4 + 4?", "8", "4 + 4 is 8, so \\boxed{", 0.0, False),
        ("What is 2 + 3?", "5", "\\boxed{6}<|im_end|>", 0.0, False),
        (
            "What is 4 + 4?", "8",
            '<tool_call>\n{"name": "add", "arguments": {"a": 4, "b": 4}}\n</tool_call><|im_end|>\n<|im_start|>user\n<tool_response>\n8\n'
            "</tool_response><|im_end|>\n<|im_start|>assistant\n\\boxed{8}<|im_end|>",
            1.0, True,
        ),
    ]
    for step in (12, 13):
        lines(
            f"verl/{step}.jsonl",
            [
                {
                    "input": prompt(question), "output": output, "gts": gold, "score": score, "step": step, "acc": right,
                    "format_reward": float("nan") if index == 2 and step == 13 else 0.25 * index, "pred": output[-6:],
                }
                for index, (question, gold, output, score, right) in enumerate(said)
            ],
        )


def prime_rl_exports() -> None:
    """token_exports/step_12/rank_0.jsonl, and STABLE beside it once a step is whole."""
    from math import exp

    for step in (12, 13):
        for rank in (0, 1):
            rows = []
            for index in range(2):
                prompt, answer = ([7, 8, 9], [11 + k for k in range(4 + index)]) if index == 0 else ([7, 8, 10], [21 + k for k in range(5)])
                count = len(prompt) + len(answer)
                mask = [False] * len(prompt) + [True] * len(answer)
                advantage = (0.5 if rank == 0 else -0.5) * (index + 1)
                inference = [0.0] * len(prompt) + [-0.25 * (k + 1) for k in range(len(answer))]
                trainer = [None] * len(prompt) + [-0.25 * (k + 1) - 0.01 * (rank + k) for k in range(len(answer))]
                ratios = [None if t is None else t - i for t, i in zip(trainer, inference)]
                rows.append(
                    {
                        "schema_version": 1, "step": step, "export_step": step, "rank": rank, "micro_step": 0, "micro_sequence_idx": index,
                        "export_sequence_idx": 2 * rank + index, "run_id": "run-1", "env_name": "sums",
                        "token_ids": prompt + answer, "position_ids": list(range(count)), "loss_mask": mask,
                        "advantages": [0.0] * len(prompt) + [advantage] * len(answer),
                        "losses": [{"policy": {"advantage": advantage, "mask": flag}} for flag in mask],
                        "rewards": [float(rank == 0)] * count, "inference_logprobs": inference, "trainer_logprobs": trainer,
                        "entropy": [None] * len(prompt) + [0.5 + 0.1 * k for k in range(len(answer))],
                        "mismatch_kl": [None if r is None else exp(r) - r - 1 for r in ratios],
                        "log_importance_ratio": ratios, "importance_ratio": [None if r is None else exp(r) for r in ratios],
                        "prob_delta": [None if r is None else exp(t) - exp(i) for r, t, i in zip(ratios, trainer, inference)],
                        "is_masked": [None if r is None else k == count - 1 for k, r in enumerate(ratios)],
                        "is_masked_high": [None if r is None else False for r in ratios],
                        "is_masked_low": [None if r is None else k == count - 1 for k, r in enumerate(ratios)],
                    }
                )
            lines(f"prime-rl/token_exports/step_{step}/rank_{rank}.jsonl", rows)
        if step == 12:
            (out / "prime-rl/token_exports/step_12/STABLE").write_text("1\n")


def verifiers_results() -> None:
    """results.jsonl of vf-eval -s."""
    rows = []
    for example in range(2):
        for attempt in range(2):
            text = f"<answer>{example + attempt}</answer>"
            rows.append(
                {
                    "example_id": example, "prompt": [{"role": "user", "content": f"Say {example}."}],
                    "completion": [{"role": "assistant", "content": text}], "answer": str(example), "task": "say", "info": {},
                    "reward": float(attempt == 0), "exact": float(attempt == 0), "format": 1.0, "generation_ms": 12.5, "is_completed": True,
                    "stop_condition": "max_turns_reached" if attempt else "completed",
                }
            )
    lines("verifiers-v0/results.jsonl", rows)


def chats() -> None:
    """Conversations of anyone, with parts of a reward in an object, and ids of tokens with their log-probs."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {
            "prompt_id": f"p{prompt}", "step": step, "prompt": f"What is {prompt} + 1?", "response": f"It is {prompt + attempt}.",
            "reward": 0.75 * (attempt == 1) + 0.125 * attempt, "rewards": {"right": float(attempt == 1), "brief": 0.5 * attempt},
            "advantage": (-0.375, 0.5, -0.125)[attempt], "finish_reason": "length" if attempt == 2 else "stop", "correct": attempt == 1,
        }
        for step in (4, 5) for prompt in (1, 2) for attempt in range(3)
    ]
    lines("chat-lines/chats.jsonl", rows)
    (out / "chat-list").mkdir(exist_ok=True)
    (out / "chat-list/chats.json").write_text(json.dumps(rows, indent=1) + "\n")
    (out / "chat-parquet").mkdir(exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), out / "chat-parquet/chats.parquet", row_group_size=4)
    ids = [
        {
            "prompt": "Say.", "completion": "x" * count, "prompt_ids": [3, 4], "completion_ids": [7 + k for k in range(count)],
            "logprobs": [-0.25 * (k + 1) for k in range(count)], "reward": 0.5 * count,
        }
        for count in (2, 3)
    ]
    lines("chat-ids/chats.jsonl", ids)


verifiers_traces()
tinker_summaries()
chats()
verl_rollouts()
prime_rl_exports()
verifiers_results()
