"""The run's tools, with the answers that the lab gives: calculate, search, and what is said of a call that cannot be run."""

import json
import math
import re
from decimal import ROUND_HALF_UP, Decimal

NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
# Letters and digits of any script.
WORD = re.compile(r"[^\W_]+")
KINDS = {"string": str, "number": float}


def to_json(value, separators=None):
    """JSON as JavaScript spells numbers: those read from a call are all floats."""

    def plain(each):
        if isinstance(each, dict):
            return {key: plain(part) for key, part in each.items()}
        if isinstance(each, list):
            return [plain(part) for part in each]
        return int(each) if isinstance(each, float) and each.is_integer() and abs(each) < 1e21 else each

    return json.dumps(plain(value), ensure_ascii=False, separators=separators)


class Reader:
    """Value of an expression from left to right; NaN where it is none or divides by zero."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def take(self, signs):
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1
        sign = self.text[self.at : self.at + 1]
        if sign == "" or sign not in signs:
            return None
        self.at += 1
        return sign

    def primary(self):
        if self.take("-"):
            return -self.primary()
        if self.take("("):
            value = self.sum()
            return value if self.take(")") else math.nan
        found = NUMBER.match(self.text, self.at)
        if not found:
            return math.nan
        self.at = found.end()
        return float(found[0])

    def product(self):
        value = self.primary()
        while sign := self.take("*/"):
            other = self.primary()
            value = value * other if sign == "*" else math.nan if other == 0 else value / other
        return value

    def sum(self):
        value = self.product()
        while sign := self.take("+-"):
            other = self.product()
            value = value + other if sign == "+" else value - other
        return value

    def read(self):
        value = self.sum()
        self.take("")
        return value if self.at == len(self.text) else math.nan


def written(value):
    """At most six decimals, halves away from zero, no exponent, no negative zero."""
    if abs(value) >= 1e15:
        return str(int(value) if abs(value) >= 2**52 else math.floor(value + 0.5))
    rounded = float(Decimal(value).quantize(Decimal("0.000001"), ROUND_HALF_UP))
    return format(Decimal(repr(rounded or 0.0)), "f").removesuffix(".0")


def calculate(expression):
    """The tool's answer, and whether it failed."""
    value = Reader(expression).read() if len(expression) <= 200 else math.nan
    return (written(value), False) if math.isfinite(value) else ("not an expression", True)


def words_of(text):
    return WORD.findall(text.lower())


def search(documents, returned, query):
    """Lines of the best documents by BM25 (k1 1.2, b 0.75), in the order of the collection."""
    counts = []
    for text in documents:
        words = words_of(text)
        counts.append({word: words.count(word) for word in words})
    lengths = [sum(each.values()) for each in counts]
    mean = sum(lengths) / max(1, len(documents))
    queried = words_of(query)
    weights = {}
    for word in queried:
        holders = sum(word in each for each in counts)
        weights[word] = math.log(1 + (len(documents) - holders + 0.5) / (holders + 0.5))
    ranked = []
    for place, (each, length) in enumerate(zip(counts, lengths)):
        score = 0.0
        for word in queried:
            f = each.get(word, 0)
            score += (weights[word] * f * 2.2) / (f + 1.2 * (0.25 + (0.75 * length) / mean))
        if any(word in each for word in weights):
            ranked.append((-score, place))
    found = sorted(place for _, place in sorted(ranked)[:returned])
    return ("\n".join(documents[place] for place in found) if found else "nothing found"), False


class Calls:
    """Runs the calls of one conversation, and counts."""

    def __init__(self, plan, row):
        self.plan, self.row, self.earlier = plan, row, {}
        self.figures = {"calls": 0, "tool_errors": 0, "repeated_calls": 0}

    def problem(self, name, given):
        """What is wrong with a call, or None."""
        spec = next((each for each in self.plan["tools"] if each["name"] == name), None)
        if spec is None:
            return f"no tool {name[:20]}, only {', '.join(each['name'] for each in self.plan['tools'])}"
        wanted = spec["parameters"]["properties"]
        for key, kind in wanted.items():
            if key not in given:
                return f"{name} needs {key}"
            if not isinstance(given[key], KINDS[kind["type"]]):
                return f"{key} must be a {kind['type']}"
        extra = next((key for key in given if key not in wanted), None)
        return None if extra is None else f"{name} takes no {extra[:20]}"

    def run(self, name, given):
        key = f"{name} {to_json(given)}"
        if key in self.earlier:
            self.figures["repeated_calls"] += 1
            content, failed = self.earlier[key]
            return f"as before: {content}", failed
        problem = self.problem(name, given)
        if problem is not None:
            result = problem, True
        elif name == "calculate":
            result = calculate(given["expression"])
        else:
            result = search(self.row["documents"], self.plan["returned"], given["query"])
        if any(each["name"] == name for each in self.plan["tools"]):
            self.earlier[key] = result
        return result

    def take(self, result):
        """Counts a call and takes its result, unless the limit has been reached."""
        self.figures["calls"] += 1
        over = self.figures["calls"] > self.plan["maxCalls"]
        content, failed = (f"not run, the limit is {self.plan['maxCalls']} calls", True) if over else result()
        self.figures["tool_errors"] += failed
        return content
