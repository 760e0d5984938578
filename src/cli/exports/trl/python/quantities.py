"""Written numbers as exact values with units: a fraction times the root of a whole number times a power of π. What is not read to its last
sign is no number."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import factorial

from texts import BLANK, length, trimmed

# --- units

ORDINALS = """half third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
    seventeenth eighteenth nineteenth twentieth""".split()
POWERS = dict(hundred=2, thousand=3, lakh=5, million=6, crore=7, billion=9, trillion=12, quadrillion=15, quintillion=18)
MULTIPLES = {
    **{word: Fraction(1, below) for below, word in enumerate(ORDINALS, 2)},
    "halve": Fraction(1, 2),
    "quarter": Fraction(1, 4),
    "dozen": Fraction(12),
    **{word: Fraction(10**zeros) for word, zeros in POWERS.items()},
    **{f"{word}th": Fraction(1, 10**zeros) for word, zeros in POWERS.items()},
}
SPELLINGS = """mm millimeter millimetre,cm centimeter centimetre,m meter metre,km kilometer kilometre,in inch,ft foot feet,yd yard,mi mile
mg milligram,g gram,kg kilogram kilo,lb pound,oz ounce,ml milliliter millilitre,l liter litre,s sec second,min minute,h hr hour,am,pm
dollar usd,euro eur,gbp,yen jpy,degree deg,/ per,%"""
CANONICAL = {word: line.split()[0] for line in re.split("[,\n]", SPELLINGS) for word in line.split()}
GLUED = re.compile(r"(?:%|[mgshl]|[mck]m|ft|yd|mi|[mk]g|lbs?|oz|ml|sec|min|hrs?|[ap]m|[mk]ph)(?:\Z|[ /^])")
NUMERALS = set(
    "zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety half couple".split()
)
# Words that make of a number another one, or more than one.
CHANGING = set(
    """or and to plus minus times over under above below by not but than if of off from less until pi sqrt sin cos tan log root power squared
    cubed mod modulo choose factorial base binary ternary octal decimal hex hexadecimal negative positive freezing short score gross
    reciprocal inverse divided multiplied raised exponent remainder""".split()
)


def singular(word):
    return re.sub(r"([a-z]{2})s\Z", r"\1", re.sub(r"(x|ch|sh|ss)es\Z", r"\1", word))


def is_multiple(word):
    return singular(word) in MULTIPLES


def is_numeral(word):
    return word in NUMERALS


def is_unit(word):
    return word in CANONICAL or singular(word) in CANONICAL


def unit_word(word):
    found = re.fullmatch(r"([a-z]{1,20}|[/%])(?:\^([23]))?", word)
    letters, power = (found[1], found[2] or "") if found else ("", "")
    known = CANONICAL.get(letters, CANONICAL.get(singular(letters)))
    if known is None and (len(letters) < 3 or letters in CHANGING or letters in NUMERALS or is_multiple(letters)):
        return None
    return (known or singular(letters)) + (power and f"^{power}")


def unit_behind(rest):
    """What multiplies a number and its unit, or None where more stands behind it."""
    text = trimmed(rest).lower()
    if text == "":
        return Fraction(1), ""
    # "4M" is four million, and no four metres.
    if not rest.startswith(" ") and (not GLUED.match(text) or re.match("M(?![a-zA-Z])", rest)):
        return None
    text = re.sub(r"\^\{([23])\}", r"^\1", text)
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
EXPONENT = re.compile(r" ?[×x*] ?10 ?\^ ?(?:[{(] ?([-+]?\d{1,3}) ?[)}]|([-+]?\d{1,3}))|[eE]([-+]?\d{1,3})", re.ASCII)
POWER = re.compile(r" ?\^ ?(?:[{(] ?(-?\d{1,2}) ?[)}]|(-?\d{1,2}))(?![\d.])", re.ASCII)
MIXED = re.compile(r" (?:and )?(\d{1,9}) ?/ ?(\d{1,9})", re.ASCII)
MIXED_FRACTION, FACTOR, OVER = re.compile(r" ?(?:and )?\\frac"), re.compile(r" ?(?:[×*·] ?)?(?=\\sqrt|π)"), re.compile(" ?[/÷] ?")
DIGIT = re.compile("[0-9]")
NAME = re.compile(r"([a-zA-Z](?:_\{?\w\}?)?|\\(?:alpha|beta|gamma|theta|phi|lambda|mu|sigma|omega)) ?= ?", re.ASCII)
# Bounds, so that nothing grows out of hand.
MAX_LENGTH, MAX_EXPONENT, MAX_DIGITS, MAX_FACTORIAL = 256, 99, 300, 170


@dataclass
class Value:
    """part · √root · π^pi."""

    part: Fraction
    root: int = 1
    pi: int = 0

    def plain(self):
        return self.root == 1 and self.pi == 0

    def key(self):
        """The same for all spellings: the square with its sign."""
        square = self.part * self.part * self.root
        return "0" if not square else ("-" if self.part < 0 else "") + f"{square.numerator:x}/{square.denominator:x}π{self.pi}"


def times(a, b):
    return Value(a.part * b.part, a.root * b.root, a.pi + b.pi)


def divided(a, b):
    if a is None or b is None or b.part * b.root == 0:
        return None
    return times(a, Value(1 / (b.part * b.root), b.root, -b.pi))


class Reader:
    """A small recursive-descent parser; None is what is no number."""

    def __init__(self, text):
        self.text, self.at, self.brackets = text, 0, 0

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
        # (1,234) is a point.
        if not found or (self.brackets and "," in found[0]):
            return None
        whole, point, decimals = re.sub("[, ']", "", found[0]).partition(".")
        base = Value(self.fractional(whole, decimals) if point else Fraction(int(whole)))
        scientific = self.match(EXPONENT)
        if not scientific:
            return base
        exponent = int(scientific[1] or scientific[2] or scientific[3])
        return None if abs(exponent) > MAX_EXPONENT else times(base, Value(Fraction(10) ** exponent))

    def fractional(self, whole, decimals):
        top, below = int(whole + decimals), 10 ** len(decimals)
        found = self.match(REPEATING)
        nines = 10 ** len(found[1]) - 1 if found else 1
        return Fraction(top * nines + int(found[1]), below * nines) if found else Fraction(top, below)

    def raised(self, base):
        if self.take("!"):
            fits = base.plain() and base.part.denominator == 1 and 0 <= base.part <= MAX_FACTORIAL
            return Value(Fraction(factorial(base.part.numerator))) if fits else None
        found = self.match(POWER)
        if not found:
            return base
        exponent = int(found[1] or found[2])
        if any(len(str(each)) * abs(exponent) > MAX_DIGITS for each in (base.part.numerator, base.part.denominator, base.root)):
            return None
        power = Value(base.part ** abs(exponent), base.root ** abs(exponent), base.pi * abs(exponent))
        return power if exponent >= 0 else divided(Value(Fraction(1)), power)

    def argument(self):
        self.spaces()
        if self.take("{"):
            return self.closed("}")
        if self.take("("):
            return self.closed(")")
        found = self.match(DIGIT)
        return Value(Fraction(int(found[0]))) if found else None

    def closed(self, close):
        self.brackets += close == ")"
        inner = self.value()
        self.brackets -= close == ")"
        self.spaces()
        return inner if inner is not None and self.take(close) else None

    def fraction(self):
        top = self.argument()
        return None if top is None else divided(top, self.argument())

    def square_root(self):
        inner = self.argument()
        if inner is None or not inner.plain() or inner.part < 0:
            return None
        below = inner.part.denominator
        return Value(Fraction(1, below), inner.part.numerator * below)

    def atom(self):
        if self.take("\\frac"):
            found = self.fraction()
        elif self.take("("):
            found = self.closed(")")
        elif self.take("{"):
            found = self.closed("}")
        else:
            found = self.irrational() if self.irrational_here() else self.decimal()
        return None if found is None else self.raised(found)

    def irrational_here(self):
        return self.text.startswith(("\\sqrt", "π"), self.at)

    def irrational(self):
        return Value(Fraction(1), pi=1) if self.take("π") else self.take("\\sqrt") and self.square_root() or None

    def mixed_part(self):
        found = self.match(MIXED)
        if not found and not self.match(MIXED_FRACTION):
            return Fraction(0)
        part = divided(Value(Fraction(int(found[1]))), Value(Fraction(int(found[2])))) if found else self.fraction()
        return part.part if part is not None and part.plain() and 0 <= part.part < 1 else None

    def product(self):
        is_digit = DIGIT.match(self.text, self.at)
        first = self.atom()
        if first is None:
            return None
        rest = self.mixed_part() if is_digit and first.part.denominator == 1 and first.plain() else Fraction(0)
        if rest is None:
            return None
        result = replace(first, part=first.part + rest)
        while self.match(FACTOR):
            found = self.irrational()
            factor = None if found is None else self.raised(found)
            if factor is None:
                return None
            result = times(result, factor)
        return result

    def value(self):
        self.spaces()
        sign = -1 if self.take("-") else 1
        if sign == 1:
            self.take("+")
        self.spaces()
        result = self.product()
        if result is not None and self.match(OVER):
            below_sign = -1 if self.take("-") else 1
            below = self.atom()
            result = None if below is None else divided(result, replace(below, part=below.part * below_sign))
        return None if result is None else replace(result, part=result.part * sign)


@dataclass
class Quantity:
    key: str
    hundredth: str
    unit: str
    name: str


def quantity(plain):
    """The number with its unit and its name, or None."""
    if length(plain) > MAX_LENGTH:
        return None
    named = NAME.match(plain)
    rest = plain[named.end() :] if named else plain
    reader = Reader(re.sub(r"^(?:minus|negative) (?=[0-9.\\√π])", "-", rest, flags=re.IGNORECASE | re.ASCII))
    number = reader.value()
    behind = None if number is None else unit_behind(reader.text[reader.at :])
    if behind is None:
        return None
    size = replace(number, part=number.part * behind[0])
    return Quantity(size.key(), replace(size, part=size.part / 100).key(), behind[1], named[1].lower() if named else "")
