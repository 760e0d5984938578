"""Whether two written answers mean the same, as the lab reads them: numbers by their exact value, points, sets, intervals and matrices
part by part, other text without its dress."""

import re

from quantities import quantity
from texts import regex, trimmed

VULGAR = dict(zip("½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞", "12 13 23 14 34 15 25 35 45 16 56 18 38 58 78".split()))
CURRENCIES = {"$": "dollar", "€": "euro", "£": "gbp", "¥": "yen"}
SYMBOLS = {"times": "×", "cdot": "×", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "pm": "±", "pi": "π", "infty": "∞"}
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
ROW = "⏎"
STEPS = [
    (r"\\\\(?:\[\w{1,9}\])?", ROW),
    (r"(\d)(?:\{,\}|,\\!)(?=\d{3}(?!\d))", r"\1"),
    (r"\\boxed|\\!", ""),
    ("[\u2212\u2012\u2013\ufe63\uff0d]", "-"),
    ("[\u2044\u2215]", "/"),
    ("\u2019", "'"),
    (f"[{''.join(VULGAR)}]", lambda found: f"\\frac{VULGAR[found[0]]}"),
    ("[\u00a0\u2009\u202f]" + r"|\\[,;: ]|\\q?quad(?![a-zA-Z])|~", " "),
    (r"\\[()\[\]]", ""),
    (r"\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle)(?![a-zA-Z])", ""),
    (r"[pbB]matrix(?=\*?\})", "matrix"),
    (r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|boldsymbol|bm|mbox)(?: ?)\{([^{}]*)\}", r" \1 "),
    (r"\\(?:[dtcs]frac|nicefrac)", r"\\frac"),
    (r"√ ?(\d+(?:\.\d+)?)|√", lambda found: f"\\sqrt{{{found[1]}}}" if found[1] else "\\sqrt"),
    (r"(?<![a-zA-Z\\])sqrt(?= ?[({])", r"\\sqrt"),
    ("⁻?[⁰¹²³⁴-⁹]+", lambda found: "^{" + "".join(SUPERSCRIPTS[sign] for sign in found[0]) + "}"),
    (r"(\d) ?\*\* ?(?=[\d({])", r"\1^"),
    (r"\\%|per ?cent(?![a-z])", "%"),
    (
        r"(?:\^ ?\{? ?\\circ ?\}?|\\degree(?![a-zA-Z])|°) ?(?:([CF])(?![a-zA-Z]))?",
        lambda found: f" degrees {'celsius' if found[1] == 'C' else 'fahrenheit'} " if found[1] else " degrees ",
    ),
    (r"\\(times|cdot|leq?|geq?|neq?|pm|pi|infty)(?![a-zA-Z])", lambda found: SYMBOLS[found[1]]),
    (r"(?<![a-zA-Z\\])pi(?![a-zA-Z])", "π"),
    (r"\{,\}", ","),
    (r"\s+", " "),
    (r" \^", "^"),
]
PLAIN = [(regex(pattern), replacement) for pattern, replacement in STEPS]
PUNCTUATED = re.compile(r"[.,;:!]{1,8}\Z")


def without_delimiters(answer):
    marks = re.findall(r"\\?\$", answer)
    paired = marks.count("$") % 2 == 0
    return re.sub(r"\\?\$", lambda found: "" if found[0] == "$" and paired else "$", answer)


def currency_behind(plain):
    found = re.search(r"^([-+]? ?)([$€£¥]) ?([-+]?[0-9.\\][^$€£¥]*)\Z", plain)
    sign, before, amount, behind = (*found.groups(), None) if found else (None,) * 4
    if not found:
        found = re.search(r"^([-+]?)([$€£¥])?([^$€£¥]*)([$€£¥])\Z", plain)
        if not found:
            return plain
        sign, before, amount, behind = found.groups()
    if before and behind:
        return plain
    return f"{sign}{trimmed(amount)} {CURRENCIES[before or behind]}"


def without_marks(plain):
    """Without the punctuation of a sentence. A single ! behind a digit, a bracket or a letter alone is a factorial."""
    cut = PUNCTUATED.sub("", plain, count=1)
    marks = re.match("!*", plain[len(cut) :])[0]
    return cut + marks if re.search(r"[0-9)}\]]\Z|(?:^|[^a-zA-Z])[a-zA-Z]\Z", cut) else cut


def plain_text(answer):
    """Without what does not change a meaning: delimiters, spacing and font commands, typographic variants."""
    plain = without_delimiters(answer)
    for pattern, replacement in PLAIN:
        plain = pattern.sub(replacement, plain)
    return currency_behind(trimmed(without_marks(re.sub(r"^(\*\*|`)(.*)\1\Z", r"\2", without_marks(trimmed(plain))))))


SEPARATOR = re.compile(r"(\\(?:begin|end)\{\w{1,20}\*?\}|\\[{}|]|[()\[\],;&|" + ROW + r"]|\\cup|∪)", re.ASCII)


def part_key(part):
    found = quantity(trimmed(part))
    if found:
        return f"{found.key} {found.unit} {found.name}"
    return re.sub(r"^\{([^{}]*)\}\Z", r"\1", re.sub(r"\{([^{}\\])\}", r"\1", part.replace(" ", ""))).lower()


def ordered(keys):
    is_set = len(keys) > 3 and keys[0] == "" and keys[1] == "\\{" and keys[-2] == "\\}" and keys[-1] == ""
    inner = keys[2:-2]
    return sorted(inner[::2]) if is_set and all(key == "," for key in inner[1::2]) else keys


def same_text(a, b):
    first, other = (SEPARATOR.split(re.sub(r"^\(([a-zA-Z])\)\Z", r"\1", plain)) for plain in (a, b))
    if len(first) != len(other):
        return False
    keys, other_keys = ([part if i % 2 else part_key(part) for i, part in enumerate(parts)] for parts in (first, other))
    return ROW.join(ordered(keys)) == ROW.join(ordered(other_keys))


def same_quantity(a, b):
    if (a.unit != b.unit and a.unit and b.unit) or (a.name != b.name and a.name and b.name):
        return False
    if a.key == b.key:
        return True
    # 50% is 50 where the question asks for percent, and 1/2 where it does not.
    if a.unit == "%" and b.unit == "":
        return a.hundredth == b.key
    return b.unit == "%" and a.unit == "" and a.key == b.hundredth


def same_answer(answer, gold):
    plain, plain_gold = plain_text(answer), plain_text(gold)
    if plain == "" or plain_gold == "":
        return False
    a, b = quantity(plain), quantity(plain_gold)
    if a and b:
        return same_quantity(a, b)
    return False if a or b else same_text(plain, plain_gold)


def quantity_of(answer):
    return quantity(plain_text(answer))


def is_numeric(answer):
    return quantity_of(answer) is not None
