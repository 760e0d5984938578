"""Pairs of a text and a gold answer with what math-verify says of them: kinds that it knows, drawn from a seed, right and wrong."""

import json
import random
from importlib.metadata import version
from pathlib import Path

from math_verify import parse, verify

COUNT = 500


def fraction(a, b):
    return rf"\frac{{{a}}}{{{b}}}"


def matrix(kind, rows, blank):
    cells = r" \\ ".join(" & ".join(map(str, row)) for row in rows)
    return rf"\begin{{{kind}}}{blank}{cells if blank else cells.replace(' ', '')}{blank}\end{{{kind}}}"


def drawn(random):
    """Spellings of one value, and of other values that look like it, by kind."""
    a, b, c, d = random.sample(range(2, 30), 4)
    n, k = random.randrange(1000, 9999), random.randrange(2, 7)
    lower, upper = min(b, c), max(b, c)
    return {
        "whole numbers": ([f"{n}", f"{n}.0", f"+{n}", f"{n:,}", rf"{n // 1000}\,{n % 1000:03d}", rf"{n // 1000}{{,}}{n % 1000:03d}"], [f"-{n}", f"{n}1", f"{n % 1000:03d}"]),
        "decimals": ([f"{a}.5", f"{a}.50", fraction(2 * a + 1, 2), f"{2 * a + 1}/2"], [f"{a}.05", f"{a}5", f"-{a}.5"]),
        "fractions": ([fraction(a, b), fraction(2 * a, 2 * b), rf"\dfrac{{{a}}}{{{b}}}", rf"\tfrac{{{a}}}{{{b}}}", f"{a}/{b}"], [fraction(b, a), fraction(-a, b), f"{a}{b}"]),
        "mixed numbers": ([rf"{a}{fraction(lower, upper)}", fraction(a * upper + lower, upper), rf"{a} {fraction(lower, upper)}"], [fraction(lower, upper), f"{a}", fraction(a * lower, upper)]),
        "mixed numbers in plain signs": ([f"{a} {lower}/{upper}", f"{a * upper + lower}/{upper}"], [f"{lower}/{upper}", f"{a}"]),
        "percent": ([rf"{a}\%", f"{a}%", f"{a / 100}", fraction(a, 100)], [f"{a / 10}", rf"{b}\%"]),
        "roots": ([rf"\sqrt{{{a * a * k}}}", rf"{a}\sqrt{{{k}}}", rf"{a} \cdot \sqrt{{{k}}}", rf"\frac{{{a * k}}}{{\sqrt{{{k}}}}}"], [f"{k}", f"{a * k}", rf"\sqrt{{{a}}}"]),
        "multiples of π": ([rf"{a}\pi", rf"\frac{{{2 * a}\pi}}{{2}}", rf"{a} \pi"], [f"{a}", rf"{b}\pi", rf"\frac{{\pi}}{{{a}}}"]),
        "powers": ([rf"{a}^{k}", rf"{a}^{{{k}}}", f"{a**k}"], [f"{a * k}", f"{k}", f"{a}"]),
        "scientific notation": ([rf"{a} \times 10^{{{k}}}", rf"{a} \cdot 10^{k}", f"{a}{'0' * k}"], [f"{a}", rf"{a} \times 10^{{{k + 1}}}", rf"10^{{{k}}}"]),
        "factorials": ([f"{k}!", f"{[1, 1, 2, 6, 24, 120, 720][k]}"], [f"{k}"]),
        "units": ([rf"{a}\text{{ cm}}", f"{a}", rf"{a} \text{{cm}}", rf"{a}\mathrm{{cm}}"], [rf"{b}\text{{ cm}}", f"{a}0"]),
        "units of one kind and another": ([rf"{a}\text{{ cm}}"], [rf"{a}\text{{ kg}}"]),
        "money": ([rf"\${a}.50", f"{a}.50", f"{a}.5"], [rf"\${a}", f"{a}50"]),
        "degrees": ([rf"{a}^\circ", f"{a}", rf"{a}^{{\circ}}"], [rf"{b}^\circ"]),
        "names": ([f"x = {a}", f"{a}", f"x={a}"], [f"x = {b}", f"{b}"]),
        "names that differ": ([f"x = {a}"], [f"y = {a}"]),
        "points": ([f"({a}, {b})", f"({a},{b})", rf"\left({a}, {b}\right)", f"({a}.0, {b})"], [f"({b}, {a})", f"{a}", f"({a}, {c})"]),
        "points that look like thousands": ([f"({k}, {n % 900 + 100})", f"({k},{n % 900 + 100})"], [f"{k}{n % 900 + 100}"]),
        "intervals": ([f"[{lower}, {upper})", f"[{lower},{upper})", rf"\left[{lower}, {upper}\right)"], [f"({lower}, {upper})", f"[{lower}, {upper}]", f"{upper}"]),
        "unions of intervals": ([rf"(-\infty, {lower}) \cup ({upper}, \infty)", rf"(-\infty,{lower})\cup({upper},\infty)"], [rf"(-\infty, {lower}) \cup [{upper}, \infty)"]),
        "sets": ([rf"\{{{a}, {b}\}}", rf"\{{{b}, {a}\}}", rf"\{{{a},{b}\}}"], [rf"\{{{a}, {c}\}}", f"{a}", rf"\{{{a}, {b}, {c}\}}"]),
        "matrices": ([matrix("pmatrix", [[a, b], [c, d]], " "), matrix("pmatrix", [[a, b], [c, d]], ""), matrix("bmatrix", [[a, b], [c, d]], " ")], [matrix("pmatrix", [[a, c], [b, d]], " "), f"{d}"]),
        "sums": ([f"{a} + {b}", f"{a + b}", f"{b} + {a}"], [f"{a}", f"{b}"]),
        "polynomials": ([f"x^2 + {a}x", f"x^2+{a}x", f"x^{{2}} + {a}x"], [f"x^2 + {b}x", "2", f"x^3 + {a}x"]),
        "polynomials in another order": ([f"x^2 + {a}x", f"{a}x + x^2", f"x(x + {a})"], [f"x^2 - {a}x"]),
        "inequalities": ([f"x > {a}", rf"x>{a}"], [f"x < {a}", f"{a}"]),
        "equations in an unknown": ([f"x^2 = {a * a}"], [f"{a * a}", "2"]),
        "letters of choices": ([r"\text{(B)}", "B", "(B)"], ["C", "(A)"]),
    }


def made_pairs():
    """Text, gold answer and kind; the gold one is a spelling of the value, the text another or that of another value."""
    random_state, pairs, seen = random.Random(11), [], set()
    while len(pairs) < COUNT:
        for kind, (same, others) in drawn(random_state).items():
            gold = random_state.choice(same)
            answer = random_state.choice(others if random_state.random() < 0.4 else [each for each in same if each != gold] or others)
            if random_state.random() < 0.5:
                gold, answer = answer, gold
            text = f"The answer is ${answer}$." if random_state.random() < 0.5 else rf"So it is $\boxed{{{answer}}}$."
            if (answer, gold) not in seen and len(pairs) < COUNT:
                seen.add((answer, gold))
                pairs.append((kind, text, gold))
    return pairs


def make(folder: Path):
    rows = [
        {"kind": kind, "text": text, "gold": gold, "right": bool(verify(parse(f"${gold}$"), parse(text)))}
        for kind, text, gold in made_pairs()
    ]
    packages = ("math-verify", "latex2sympy2_extended", "sympy")
    source = ", ".join(f"{name} {version(name)}" for name in packages)
    lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    text = f'{{\n  "source": {json.dumps(source)},\n  "pairs": [\n{lines}\n  ]\n}}\n'
    (folder / "math-verify-answers.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    make(Path(__file__).parent)
