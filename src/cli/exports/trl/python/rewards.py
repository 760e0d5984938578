"""The rewards of the run as TRL calls them. check() holds them to rollouts.jsonl, which the lab has scored."""

import json
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path

from answers import is_numeric, same_answer
from statements import is_number, numbers_in, states_number, states_text
from texts import BLANKS, last_boxed, last_tagged, regex, trimmed

# What makes another number of digits stays.
GROUP = re.compile(r"(?<=[0-9]),(?=[0-9]{3}(?![0-9]))")
PUNCTUATION = regex(r"(?:(?<=\s)|(?<=[0-9])|^)([-+.,/:^*](?=[0-9]))|[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]")
ARTICLE = re.compile(r"\b(?:a|an|the)\b", re.ASCII)
SPACES = regex(r"\s+")


@dataclass
class Judged:
    """A finished conversation: the policy's last text, all that it said, the tokens of each turn, what came of calls."""

    text: str
    gold: str
    completed: bool
    said: list = field(default_factory=list)
    sampled: list = field(default_factory=list)
    figures: dict = field(default_factory=dict)


def split(text):
    return [word for word in SPACES.split(text) if word]


def words(text):
    return split(ARTICLE.sub(" ", PUNCTUATION.sub(lambda found: found[1] or "", GROUP.sub("", text.lower()))))


def f1_of(answer, gold):
    said, wanted = words(answer), words(gold)
    if not said or not wanted:
        return float(len(said) == len(wanted))
    total, common = len(wanted), 0
    for word in said:
        if word in wanted:
            wanted.remove(word)
            common += 1
    return 2 * common / (len(said) + total)


def same_words(answer, gold):
    return float(words(answer) == words(gold))


def placed(judged, place):
    """What counts as the answer, or None."""
    return {"message": lambda text: text, "box": last_boxed, "tag": last_tagged}[place](judged.text)


def of_answer(answer, gold, compare):
    return 0.0 if answer is None else float(compare(answer, gold))


def overlong(count, limit, buffer):
    return max(-1.0, (limit - buffer - count) / buffer) if count > limit - buffer else 0.0


def box_form(judged):
    boxed = last_boxed(judged.text)
    return float(judged.completed and boxed is not None and is_numeric(boxed))


# Rules by name; each is given the conversation and its settings.
RULES = {
    "boxedAnswer": lambda judged: of_answer(last_boxed(judged.text), judged.gold, same_answer),
    "boxedForm": box_form,
    "taggedAnswer": lambda judged: of_answer(last_tagged(judged.text), judged.gold, same_answer),
    "taggedForm": lambda judged: float(judged.completed and (last_tagged(judged.text) or "") != ""),
    "em": lambda judged: of_answer(last_tagged(judged.text), judged.gold, same_words),
    "f1": lambda judged: of_answer(last_tagged(judged.text), judged.gold, f1_of),
    "toolErrors": lambda judged: float(judged.figures["tool_errors"]),
    "repeatedCalls": lambda judged: float(judged.figures["repeated_calls"]),
}
PLAN = json.loads(Path(__file__).with_name("rewards.json").read_text(encoding="utf-8"))


def verdict(judged):
    """The parts by name and the reward, each None where nothing could judge."""
    parts = {name: RULES[part["rule"]](judged, **part["settings"]) for name, part in PLAN["parts"].items()}
    return parts, total_of(parts, judged)


def total_of(parts, judged):
    weights = {name: part["weight"] for name, part in PLAN["parts"].items()}
    gates = PLAN["gates"]
    if any(parts[name] is None for name in gates):
        return None
    closed = [value for name, value in gates.items() if parts[name] < 1]
    # With every weight 0 there is nothing to learn but also nothing wrong.
    counted = [name for name, weight in weights.items() if weight != 0] or list(weights)
    scored = [weights[name] * parts[name] for name in counted if parts[name] is not None]
    if not closed and not scored:
        return None
    total = min(closed) if closed else sum(scored)
    if PLAN["overlongBuffer"]:
        total += overlong(max(judged.sampled, default=0), PLAN["maxTokens"], PLAN["overlongBuffer"])
    return max(-PLAN["clip"], min(PLAN["clip"], total)) if PLAN["clip"] else total


def judged_of(completions, answer, completion_ids, environments, end_token):
    """The conversations of a batch."""
    if environments:
        talks = [each.conversation for each in environments]
        return [
            Judged(talk.text, gold, talk.stop == "completed", talk.said, talk.sampled, talk.calls.figures)
            for talk, gold in zip(talks, answer)
        ]
    texts = [each[-1]["content"] if isinstance(each, list) else each for each in completions]
    ended = [len(ids) > 0 and int(ids[-1]) == end_token for ids in completion_ids]
    return [Judged(text, gold, end, [text], [len(ids)]) for text, gold, end, ids in zip(texts, answer, ended, completion_ids)]


def reward_function(name, end_token):
    """A function as TRL calls it: a number for each completion, of a part or of all of them ("total"). What has no reward is None in
    every function, so that TRL leaves it out of its group."""

    def reward(completions, answer, completion_ids, environments=None, **_):
        verdicts = [verdict(judged) for judged in judged_of(completions, answer, completion_ids, environments, end_token)]
        return [None if total is None else total if name == "total" else parts[name] for parts, total in verdicts]

    reward.__name__ = name
    return reward


def differs(value, wanted):
    return value is not wanted if value is None or wanted is None else abs(value - wanted) > 1e-9


def check(folder):
    """Raises where a part or a reward differs from what the lab gave on its own rollouts; returns how many numbers agree."""
    count = 0
    # Other signs than these end a line for splitlines, and may stand in a text.
    for line in Path(folder, "rollouts.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        row = json.loads(line)
        judged = Judged(row["text"], row["answer"], row["completed"], row["said"], row["sampled"], row.get("figures", {}))
        parts, total = verdict(judged)
        for name, value in {**row["parts"], **({"total": row["total"]} if "total" in row else {})}.items():
            got = total if name == "total" else parts[name]
            if differs(got, value):
                raise SystemExit(f"{name} of {row['text']!r} for {row['answer']!r} is {got} here and {value} in the lab")
            count += 1
    return count


if __name__ == "__main__":
    print(f"{check(Path(__file__).parent)} reward values agree with the lab's")
