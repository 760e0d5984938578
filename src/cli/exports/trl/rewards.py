"""The rewards of the run as TRL calls them. check() holds them to rollouts.jsonl, which the lab has scored."""

import json
import re
from fractions import Fraction
from pathlib import Path

PUNCTUATION = re.compile(r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~]")
NUMBER = re.compile(r"([-+]?)(\d+(?:\.\d+)?|\.\d+)(?:/(\d+))?(%?)")


def last_boxed(text):
    """Content of the last complete \\boxed{...}, braces nested; None where there is none."""
    found, openings, at = None, [], 0
    while at < len(text):
        if text.startswith("\\boxed{", at):
            openings.append(at + 7)
            at += 7
            continue
        if text[at] == "{":
            openings.append(-1)
        elif text[at] == "}" and openings:
            start = openings.pop()
            if start >= 0:
                found = text[start:at]
        at += 1
    return found


def last_tagged(text):
    close = text.rfind("</answer>")
    start = -1 if close < 0 else text.rfind("<answer>", 0, close)
    return None if start < 0 else text[start + 8 : close].strip()


def quantity(text):
    """A whole, signed or decimal number, a fraction, or percent, as (fraction, whether percent); else None."""
    plain = text.strip().replace("$", "").replace("\u2212", "-").strip()
    plain = re.sub(r"\\[dt]?frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", plain)
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain).replace(" ", "").replace("\\%", "%")
    found = NUMBER.fullmatch(plain)
    if not found or found[3] == "0":
        return None
    sign, digits, below, percent = found.groups()
    value = Fraction(digits) / (int(below) if below else 1)
    return (-value if sign == "-" else value), percent == "%"


def same_answer(answer, gold):
    if answer.strip() == "" or gold.strip() == "":
        return False
    a, b = quantity(answer), quantity(gold)
    if a and b:
        return a[0] == b[0] or (a[1] and not b[1] and a[0] == 100 * b[0]) or (b[1] and not a[1] and b[0] == 100 * a[0])
    if a or b:
        return False
    return answer.replace(" ", "").lower() == gold.replace(" ", "").lower()


def words(text):
    plain = PUNCTUATION.sub("", text.lower())
    return re.sub(r"\b(?:a|an|the)\b", " ", plain).split()


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


def right_box(text, gold, completed):
    boxed = last_boxed(text)
    return float(boxed is not None and same_answer(boxed, gold))


def right_tag(text, gold, completed):
    answer = last_tagged(text)
    return float(answer is not None and same_answer(answer, gold))


def same_words(text, gold, completed):
    answer = last_tagged(text)
    return float(answer is not None and words(answer) == words(gold))


def shared_words(text, gold, completed):
    answer = last_tagged(text)
    return 0.0 if answer is None else f1_of(answer, gold)


def box_form(text, gold, completed):
    boxed = last_boxed(text)
    return float(completed and boxed is not None and quantity(boxed) is not None)


def tag_form(text, gold, completed):
    return float(completed and (last_tagged(text) or "") != "")


PARTS = {
    "boxedAnswer": right_box,
    "boxedForm": box_form,
    "taggedAnswer": right_tag,
    "taggedForm": tag_form,
    "em": same_words,
    "f1": shared_words,
}


# Parts that count what came of the calls of tools.
FIGURES = {"toolErrors": "tool_errors", "repeatedCalls": "repeated_calls"}


def score(name, text, gold, completed, figures):
    """A part of one conversation: the policy's last text, whether it ended by itself, and figures of its tools."""
    return float(figures[FIGURES[name]]) if name in FIGURES else PARTS[name](text, gold, completed)


def reward_function(name, end_token):
    """A function as TRL calls it: one number for each completion."""

    def reward(completions, answer, completion_ids, environments=None, **_):
        if environments:
            talks = [each.conversation for each in environments]
            return [score(name, talk.text, gold, talk.stop == "completed", talk.calls.figures) for talk, gold in zip(talks, answer)]
        texts = [each[-1]["content"] if isinstance(each, list) else each for each in completions]
        ended = [len(ids) > 0 and int(ids[-1]) == end_token for ids in completion_ids]
        return [score(name, text, gold, completed, {}) for text, gold, completed in zip(texts, answer, ended)]

    reward.__name__ = name
    return reward


def check(folder):
    """Raises where a part differs from what the lab gave on its own rollouts; returns how many numbers agree."""
    count = 0
    for line in Path(folder, "rollouts.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for name, value in row["parts"].items():
            got = score(name, row["text"], row["answer"], row["completed"], row.get("figures", {}))
            if abs(got - value) > 1e-9:
                raise SystemExit(f"{name} of {row['text']!r} for {row['answer']!r} is {got} here and {value} in the lab")
            count += 1
    return count


if __name__ == "__main__":
    print(f"{check(Path(__file__).parent)} reward values agree with the lab's")
