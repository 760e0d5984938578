"""Conversations with tools as the lab holds them, for GRPOTrainer's rollout_func. Its own loop of tools would announce
them in every prompt, count their answers against max_completion_length, and say nothing of a call that it cannot read.

Sampled ids are kept as sampled. What the tools say goes between them and is masked."""

import json
from pathlib import Path

from tokenizers import Tokenizer
from tools import Calls, to_json

MARKS = ("<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
BLANKS = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
PLAN = json.loads(Path(__file__).with_name("tools.json").read_text(encoding="utf-8"))


class Renderer:
    """Ids of what is inserted, and the message that a sampled turn spells. Marks are placed here alone: in the text of a tool they are text."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        plain = json.loads(tokenizer.backend_tokenizer.to_str())
        self.plain = Tokenizer.from_str(json.dumps({**plain, "added_tokens": [], "truncation": None, "padding": None}))
        vocabulary = tokenizer.get_vocab()
        missing = [mark for mark in MARKS if mark not in vocabulary]
        if missing:
            raise SystemExit(f"the model's tokenizer has no {', '.join(missing)}: the conversations of this run are made of them")
        self.start, self.end, self.open, self.close, self.result, self.closed = (vocabulary[mark] for mark in MARKS)

    def encode(self, text):
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self.plain.encode(whole, add_special_tokens=False).ids

    def prompt(self, messages):
        announced = [{"type": "function", "function": spec} for spec in PLAN["tools"]] if PLAN["announces"] else None
        options = {"tools": announced, "add_generation_prompt": True, "tokenize": True, "return_dict": False}
        return list(self.tokenizer.apply_chat_template(messages, **options))

    def inserted(self, results):
        ids = [*self.encode("\n"), self.start]
        before = "user\n"
        for content in results:
            ids += [*self.encode(before), self.result, *self.encode(f"\n{content}\n"), self.closed]
            before = "\n"
        return [*ids, self.end, *self.encode("\n"), self.start, *self.encode("assistant\n")]

    def decode(self, ids):
        return self.tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)

    def parse(self, ids):
        """What is said, the calls that can be read, and a sentence about each other one."""
        ids = ids[:-1] if ids[-1] == self.end else ids
        content, calls, problems, at = "", [], [], 0
        while self.open in ids[at:]:
            opened = ids.index(self.open, at)
            closed = ids.index(self.close, opened) if self.close in ids[opened:] else len(ids)
            number = len(calls) + len(problems) + 1
            unclosed = f"tool call {number} must be closed, got the end of the turn"
            call = read_call(self.decode(ids[opened + 1 : closed]), number) if closed < len(ids) else unclosed
            before = self.decode(ids[at:opened])
            if isinstance(call, str):
                content += before + self.decode(ids[opened : closed + 1])
                problems.append(call)
            else:
                content += before.removesuffix("\n")
                calls.append(call)
            at = closed + 1
        return content + self.decode(ids[at:]), calls, problems


def refused(name):
    raise ValueError(name)


def read_call(text, number):
    """Name and arguments, or the sentence that says why they are none."""
    try:
        value = json.loads(text, parse_int=float, parse_constant=refused)
    except (ValueError, RecursionError):
        return f"tool call {number} must be JSON, got {to_json(text.strip(BLANKS)[:24])}"
    fields = value if isinstance(value, dict) else {}
    name, given = fields.get("name"), fields.get("arguments")
    said = {key: to_json(fields[key], (",", ":")) if key in fields else "none" for key in ("name", "arguments")}
    if not isinstance(name, str) or name == "":
        return f"tool call {number} must have a name, got {said['name']}"
    if not isinstance(given, dict):
        return f"tool call {number} must have arguments that are an object, got {said['arguments']}"
    return name, given


class Conversation:
    """One live conversation: its ids, which of them were sampled, and why it ended."""

    def __init__(self, renderer, row):
        self.renderer = renderer
        self.calls = Calls(PLAN, row)
        self.prompt = renderer.prompt(row["prompt"])
        self.ids, self.mask, self.text, self.stop = [], [], "", None
        self.said, self.sampled, self.told = [], [], False

    def take(self, sampled):
        """Goes on from a sampled turn; returns what is inserted before the next, None where the conversation has ended."""
        self.ids += sampled
        self.mask += [1] * len(sampled)
        self.text, calls, problems = self.renderer.parse(sampled)
        self.said.append(self.text)
        self.sampled.append(len(sampled))
        if sampled[-1] != self.renderer.end:
            # Cut off by the limit of tokens: nobody answers, and no call is run.
            self.stop = "max-tokens"
            return None
        hopeless = self.told
        results = [self.calls.take(lambda call=call: self.calls.run(*call)) for call in calls]
        results += [self.calls.take(lambda problem=problem: (problem, True)) for problem in problems]
        self.told = self.calls.figures["calls"] > PLAN["maxCalls"]
        if not results:
            self.stop = "completed"
        elif hopeless:
            self.stop = "max-calls"
        elif len(self.said) >= PLAN["maxTurns"]:
            self.stop = "max-turns"
        else:
            inserted = self.renderer.inserted(results)
            if len(self.prompt) + len(self.ids) + len(inserted) + PLAN["maxTokens"] <= PLAN["positions"]:
                self.ids += inserted
                self.mask += [0] * len(inserted)
                return inserted
            self.stop = "max-context"
        return None


class Environment:
    """Carries a row to its conversation: GRPOTrainer makes one for each completion. No method of it is a tool."""

    def reset(self, **row):
        self.row = row


def rollout(prompts, trainer):
    """Holds all conversations of a batch, a turn of each at a time."""
    renderer = Renderer(trainer.processing_class)
    talks = [Conversation(renderer, environment.row) for environment in trainer.environments]
    logprobs = [[] for _ in talks]
    live = list(range(len(talks)))
    while live:
        contexts = [talks[i].prompt + talks[i].ids for i in live]
        turns, told = trainer._generate_single_turn(contexts, None, {}, 1)
        for n, i in enumerate(live):
            inserted = talks[i].take(list(turns[n]))
            if told is not None:
                logprobs[i] += [*told[n], *[0.0] * len(inserted or [])]
        live = [i for i in live if talks[i].stop is None]
    for environment, talk in zip(trainer.environments, talks):
        environment.conversation = talk
    ids = {"prompt_ids": [talk.prompt for talk in talks], "completion_ids": [talk.ids for talk in talks]}
    return {**ids, "logprobs": logprobs if trainer.use_vllm else None, "env_mask": [talk.mask for talk in talks]}


def check(folder, renderer):
    """Raises where a conversation that the lab has held goes another way here; returns how many conversations agree."""
    lines = Path(folder, "rollouts.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    for row in map(json.loads, lines):
        talk = Conversation(renderer, row)
        at = 0
        while talk.stop is None and at < len(row["tokens"]):
            end = next((i for i in range(at, len(row["mask"])) if row["mask"][i] == 0), len(row["mask"]))
            talk.take(row["tokens"][at:end])
            at = len(talk.ids)
        got = {"promptTokens": talk.prompt, "tokens": talk.ids, "mask": talk.mask, "stopReason": talk.stop, "text": talk.text}
        for name, value in {**got, "figures": talk.calls.figures}.items():
            if row[name] != value:
                raise SystemExit(f"{name} of {row['prompt'][-1]['content']!r} is {value} here and {row[name]} in the lab")
    return len(lines)
