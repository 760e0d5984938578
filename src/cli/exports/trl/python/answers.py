"""Whether two written answers mean the same, as the lab reads them: numbers as exact fractions with units, other text without its dress."""

import re
from fractions import Fraction

# What JavaScript takes for a blank; letters and digits of \w are ASCII there.
BLANK = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
BLANKS = re.sub(r"(.)-(.)", lambda found: "".join(map(chr, range(ord(found[1]), ord(found[2]) + 1))), BLANK)


def regex(source, flags=0):
    return re.compile(source.replace(r"\s", f"[{BLANK}]"), re.ASCII | flags)


def length(text):
    """Signs as JavaScript counts them."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def ending(text, count):
    return text.encode("utf-16-le", "surrogatepass")[-2 * count :].decode("utf-16-le", "surrogatepass") if length(text) > count else text


def trimmed(text):
    return text.strip(BLANKS)


def last_boxed(text):
    """Content of the last complete \\boxed{...}, braces nested; None where there is none."""
    openings, is_box, content, at = [], False, None, 0
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            is_box = text.startswith("\\boxed", at)
            at += 5 if is_box else 1
        elif sign == "{":
            openings.append(at + 1 if is_box else -1)
            is_box = False
        elif sign == "}":
            start = openings.pop() if openings else None
            if start is not None and start >= 0:
                content = text[start:at]
            is_box = False
        elif sign != " ":
            is_box = False
        at += 1
    return content


def last_tagged(text):
    close = text.rfind("</answer>")
    start = -1 if close < 0 else text.rfind("<answer>", 0, close + len("<answer>"))
    return None if start < 0 else trimmed(text[start + 8 : close])


# --- units

ORDINALS = "half third fourth fifth sixth seventh eighth ninth".split()
POWERS = {"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}
MULTIPLES = {
    **{word: Fraction(1, below) for below, word in enumerate(ORDINALS, 2)},
    "halve": Fraction(1, 2),
    "tenth": Fraction(1, 10),
    **{word: Fraction(10**zeros) for word, zeros in POWERS.items()},
    **{f"{word}th": Fraction(1, 10**zeros) for word, zeros in POWERS.items()},
}
SPELLINGS = """mm millimeter millimetre,cm centimeter centimetre,m meter metre,km kilometer kilometre,in inch,ft foot feet,yd yard,mi mile
mg milligram,g gram,kg kilogram kilo,lb pound,oz ounce,ml milliliter millilitre,l liter litre,s sec second,min minute,h hr hour,am,pm
dollar usd,euro eur,gbp,yen jpy,degree deg,/ per,%"""
CANONICAL = {word: line.split()[0] for line in re.split("[,\n]", SPELLINGS) for word in line.split()}
GLUED = re.compile(r"(?:%|[mgshl]|[mck]m|ft|yd|mi|[mk]g|lbs?|oz|ml|sec|min|hrs?|[ap]m|[mk]ph)(?:\Z|[ /^²³])")
JOINING = set("or and to plus minus times over by not but than if pi sqrt sin cos tan log squared cubed mod choose factorial".split())


def singular(word):
    return re.sub(r"([a-z]{2})s\Z", r"\1", re.sub(r"(x|ch|sh|ss)es\Z", r"\1", word))


def unit_word(word):
    found = re.fullmatch(r"([a-z]{1,20}|[/%])(?:\^([23]))?", word)
    letters, power = (found[1], found[2] or "") if found else ("", "")
    known = CANONICAL.get(letters, CANONICAL.get(singular(letters)))
    if known is None and (len(letters) < 3 or letters in JOINING):
        return None
    return (known or singular(letters)) + (power and f"^{power}")


def unit_behind(rest):
    """What multiplies a number and its unit, or None where more stands behind it."""
    text = trimmed(rest).lower()
    if text == "":
        return Fraction(1), ""
    if not rest.startswith(" ") and not GLUED.match(text):
        return None
    text = re.sub(r"\^\{([23])\}", r"^\1", text).replace("²", "^2").replace("³", "^3")
    text = re.sub(r"\bkph\b", "km/h", re.sub(r"\bmph\b", "mi/h", text, count=1, flags=re.ASCII), count=1, flags=re.ASCII)
    words = re.split(" +", trimmed(text.replace("/", " / ")))
    multiple = Fraction(1)
    while words and singular(words[0]) in MULTIPLES:
        multiple *= MULTIPLES[singular(words.pop(0))]
    units = [unit_word(word) for word in words]
    if len(units) > 4 or None in units:
        return None
    unit = re.sub(rf"^(?:square|sq) ([^{BLANK}]+)\Z", r"\1^2", " ".join(units))
    return multiple, re.sub(rf"^cubic ([^{BLANK}]+)\Z", r"\1^3", unit)


# --- numbers

NUMBER = re.compile(
    r"(?:[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|[1-9]\d{0,2}(?: \d{3})+(?![\d,])|[1-9]\d{0,2}(?:'\d{3})+(?![\d'])|\d+)(?:\.\d*)?|\.\d+", re.ASCII
)
REPEATING = re.compile(r"\\(?:overline|bar) ?\{(\d{1,20})\}", re.ASCII)
EXPONENT = re.compile(r" ?[×x*] ?10 ?\^ ?(?:\{ ?([-+]?\d{1,3}) ?\}|([-+]?\d{1,3}))|[eE]([-+]?\d{1,3})", re.ASCII)
POWER = re.compile(r" ?\^ ?(?:\{ ?(-?\d{1,2}) ?\}|(-?\d{1,2}))(?![\d.])", re.ASCII)
MIXED = re.compile(r" (\d{1,9}) ?/ ?(\d{1,9})", re.ASCII)


DIGIT, FRACTION, OVER = re.compile(r"[0-9]"), re.compile(r" ?\\frac"), re.compile(r" ?/ ?")


def divided(a, b):
    if a is None or b is None or b[0] == 0:
        return None
    sign = -1 if b[0] < 0 else 1
    return a[0] * b[1] * sign, a[1] * b[0] * sign


class Reader:
    """A written number as numerator and denominator, not reduced: what may follow a whole number hangs on it. None where it is no number."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def spaces(self):
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1

    def take(self, literal):
        if not self.text.startswith(literal, self.at):
            return False
        self.at += len(literal)
        return True

    def match(self, pattern):
        found = pattern.match(self.text, self.at)
        if found:
            self.at = found.end()
        return found

    def decimal(self):
        found = self.match(NUMBER)
        if not found:
            return None
        digits = re.sub("[, ']", "", found[0])
        whole, point, decimals = digits.partition(".")
        base = self.fractional(whole, decimals) if point else (int(whole), 1)
        scientific = self.match(EXPONENT)
        if not scientific:
            return self.power(base) if len(digits) <= 9 else base
        exponent = int(scientific[1] or scientific[2] or scientific[3])
        if abs(exponent) > 99:
            return None
        return (base[0] * 10**exponent, base[1]) if exponent >= 0 else (base[0], base[1] * 10**-exponent)

    def fractional(self, whole, decimals):
        top, below = int(whole + decimals), 10 ** len(decimals)
        found = self.match(REPEATING)
        if not found:
            return top, below
        nines = 10 ** len(found[1]) - 1
        return top * nines + int(found[1]), below * nines

    def power(self, base):
        found = self.match(POWER)
        if not found:
            return base
        exponent = int(found[1] or found[2])
        raised = base[0] ** abs(exponent), base[1] ** abs(exponent)
        return raised if exponent >= 0 else divided((1, 1), raised)

    def argument(self):
        self.spaces()
        if self.take("{"):
            return self.closed("}")
        found = self.match(DIGIT)
        return (int(found[0]), 1) if found else None

    def closed(self, close):
        inner = self.value()
        self.spaces()
        return inner if inner is not None and self.take(close) else None

    def fraction(self):
        top = self.argument()
        return None if top is None else divided(top, self.argument())

    def atom(self):
        if self.take("\\frac"):
            return self.fraction()
        if self.take("("):
            return self.closed(")")
        if self.take("{"):
            return self.closed("}")
        return self.decimal()

    def mixed_part(self):
        found = self.match(MIXED)
        if found:
            return divided((int(found[1]), 1), (int(found[2]), 1))
        return self.fraction() if self.match(FRACTION) else (0, 1)

    def signed_atom(self):
        negative = self.take("-")
        found = self.atom()
        return (-found[0], found[1]) if found is not None and negative else found

    def value(self):
        self.spaces()
        sign = -1 if self.take("-") else 1
        if sign == 1:
            self.take("+")
        self.spaces()
        first = self.atom()
        if first is None:
            return None
        if self.match(OVER):
            result = divided(first, self.signed_atom())
        else:
            rest = self.mixed_part() if first[1] == 1 else (0, 1)
            result = None if rest is None else (first[0] * rest[1] + rest[0], first[1] * rest[1])
        return None if result is None else (sign * result[0], result[1])


# --- answers

VULGAR = dict(zip("½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞", "12 13 23 14 34 15 25 35 45 16 56 18 38 58 78".split()))
CURRENCIES = {"$": "dollar", "€": "euro", "£": "gbp", "¥": "yen"}
SYMBOLS = {"times": "×", "cdot": "×", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "pm": "±", "pi": "π", "infty": "∞"}
STEPS = [
    (r"\\boxed|\\!", ""),
    ("[\u2212\u2012\u2013\ufe63\uff0d]", "-"),
    ("[\u2044\u2215]", "/"),
    ("\u2019", "'"),
    (f"[{''.join(VULGAR)}]", lambda found: f"\\frac{VULGAR[found[0]]}"),
    ("[\u00a0\u2009\u202f]" + r"|\\[,;: ]|\\q?quad(?![a-zA-Z])|~", " "),
    (r"\\[()\[\]]", ""),
    (r"\\(?:left|right|displaystyle|textstyle)(?![a-zA-Z])", ""),
    (r"\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox)(?: ?)\{([^{}]*)\}", r" \1 "),
    (r"\\(?:[dtcs]frac|nicefrac)", r"\\frac"),
    (r"\\%|per ?cent(?![a-z])", "%"),
    (
        r"(?:\^\{?\\circ\}?|°) ?(?:([CF])(?![a-zA-Z]))?",
        lambda found: f" degrees {'celsius' if found[1] == 'C' else 'fahrenheit'} " if found[1] else " degrees ",
    ),
    (r"\\(times|cdot|leq?|geq?|neq?|pm|pi|infty)(?![a-zA-Z])", lambda found: SYMBOLS[found[1]]),
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


def plain_text(answer):
    """Without what does not change a meaning: delimiters, spacing and font commands, typographic variants."""
    plain = without_delimiters(answer)
    for pattern, replacement in PLAIN:
        plain = pattern.sub(replacement, plain)
    plain = PUNCTUATED.sub("", trimmed(plain), count=1)
    plain = re.sub(r"^(\*\*|`)(.*)\1\Z", r"\2", plain)
    return currency_behind(trimmed(PUNCTUATED.sub("", plain, count=1)))


def quantity(plain):
    """A number and its unit, or None."""
    if length(plain) > 256:
        return None
    plain = re.sub(r"^[a-zA-Z] ?= ?", "", plain)
    reader = Reader(re.sub(r"^(?:minus|negative) (?=[0-9.\\])", "-", plain, flags=re.IGNORECASE | re.ASCII))
    number = reader.value()
    behind = None if number is None else unit_behind(reader.text[reader.at :])
    return None if behind is None else (Fraction(*number) * behind[0], behind[1])


def text_key(plain):
    key = re.sub(r"\{([^{}\\])\}", r"\1", plain.replace(" ", ""))
    key = re.sub(r"^\{([^{}]*)\}\Z", r"\1", key).lower()
    return re.sub(r"^\(([a-z])\)\Z", r"\1", key)


def same_answer(answer, gold):
    plain, plain_gold = plain_text(answer), plain_text(gold)
    if plain == "" or plain_gold == "":
        return False
    a, b = quantity(plain), quantity(plain_gold)
    if a and b:
        if a[1] != b[1] and a[1] != "" and b[1] != "":
            return False
        share = a[1] == "%" and b[1] == "" and a[0] == 100 * b[0]
        return a[0] == b[0] or share or (b[1] == "%" and a[1] == "" and 100 * a[0] == b[0])
    return False if a or b else text_key(plain) == text_key(plain_gold)


def is_numeric(answer):
    return quantity(plain_text(answer)) is not None
