"""What a text comes to, read whole or not at all: signs that belong together ("2 2/3", "x^2", "17 or 18") are one run, and a run that is no
number equals none."""

import re
from dataclasses import dataclass

from answers import is_numeric, quantity_of, same_answer
from quantities import CHANGING, is_multiple, is_numeral, is_unit
from texts import BLANK, beginning, ending, last_boxed, last_tagged, length, regex

LOOK_BACK, MAX_LENGTH, MAX_REMARK = 2000, 256, 20
PIECE = re.compile(
    r"(?:\\[^\n\r\u2028\u2029]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|[(\[](?:\\[a-zA-Z]+|\([^()\[\]]*\)|(?![a-zA-Z]{2})[^()\[\]]){0,60}[)\]]"
    + f"|[^{BLANK}])+"
)
QUOTES = re.compile(r"(?:[\"'“”‘’_`]|\*\*)+")
MARKS = re.compile(r"(?:[.,;:!?…\"'“”’_`]|\*\*)+\Z")
KINDS = [
    (re.compile(r"[0-9%°½⅓⅔¼¾⅕-⅚⅛-⅞√π∞]|\\[a-zA-Z]"), "number"),
    (re.compile("[-+*/×·÷^=!<>≤≥≈≠±|()\\[\\]{}$€£¥:,&\u2212\u2012-\u2014]*\\Z"), "sign"),
    (re.compile(r"\$?[b-zB-HJ-Z]\$?\Z"), "letter"),
]
JOINS = set("and or to plus minus times over by of out than less more divided multiplied raised the power remainder".split())
LOOSE = re.compile("[-*=:,&\u2012-\u2014]*\\Z")
MINUS = re.compile("[-\u2212]\\Z")
WORDED = re.compile(r"\(?[a-zA-Z]{2,}\W*\Z", re.ASCII)

ANSWER_IS = regex(r"\banswer(?:\s+is\b|\s*[:=])(?:\s*[:=])?(?:\s+(?:therefore|thus|then|simply|exactly|just|about|equal to)\b)?", re.IGNORECASE)
FUNCTION_WORDS = set(
    """a an the is are was were be been has have had do does did will would can could should may might must in on at of for from with without
    to by as so if or and but because since that which who when where while after before until than then there here not it its he his she
    her they their them we our you your i my this these those into onto out through during between each""".split()
)
JOINED = set("and or to plus minus times over under above below by than of off from less".split())
CHANGED = re.compile(
    r"(?:\b(?:root|half|thirds?|quarters?|fourths?|fifths?|tenths?|power|square|cube|log|logarithm|reciprocal|inverse|negative|percent)|%)"
    r" of(?: an?| the)?\Z|\b(?:log|ln|sin|cos|tan|twice|thrice|double|triple|times|than|plus|minus|under|below|over|above|base|most|least"
    r"|or equal to|up to|no longer|(?:not|never|cannot|\w+n['’]t)(?: be)?)\Z",
    re.ASCII,
)
BOUND = re.compile(
    r"(?:or|and) (?:more|less|fewer|greater|larger|smaller|higher|lower|older|younger|above|below|over|under|up)\b|at (?:most|least)\b|than\Z",
    re.ASCII,
)
NAMED = re.compile(r"[^a-zA-Z]*\Z|[a-zA-Z]+'?(?:_\w+)?(?:\([^\n\r\u2028\u2029]*\))?\Z", re.ASCII)
MATHEMATICS = re.compile(r"[\\^_{}()\[\]<>=+*/|$%&~]|[-.,;:'’][0-9]|(?<!\w)-", re.ASCII)


@dataclass
class Chunk:
    """Text between blanks that stand outside braces; what ends behind it: "", "clause" or "sentence"."""

    text: str
    kind: str
    ends: str
    loud: bool


@dataclass
class Run:
    """An expression with the words around it, up to the ends of its clause."""

    text: str
    loud: bool
    before: list
    after: list
    first: bool
    listed: bool


def chunk_of(piece, is_last):
    if length(piece) > MAX_LENGTH:
        return Chunk(piece, "number", "sentence" if is_last else "", False)
    text, marks, before = QUOTES.sub("", piece, count=1) if QUOTES.match(piece) else piece, "", ""
    while before != text:
        before = text
        found = None if text == ":" else MARKS.search(text)
        marks = (found[0] if found else "") + marks
        text = re.sub(r"^\*([^*]+)\*\Z", r"\1", text[: found.start()] if found else text)
        if text.startswith("(") and text.count("(") > text.count(")"):
            text = text[1:]
        if text.endswith(")") and text.count(")") > text.count("("):
            text = text[:-1]
    kind = next((kind for pattern, kind in KINDS if (pattern.search if kind == "number" else pattern.match)(text)), "word")
    ends = "sentence" if is_last or re.search("[.!?…]", marks) else "clause" if re.search("[,;:]", marks) else ""
    return Chunk(text, kind, ends, re.match("!(?!!)", marks) is not None)


def remark_length(pieces):
    """How many pieces a remark in brackets takes, which says something in words; 0 where none begins."""
    if not pieces[0].startswith("("):
        return 0
    depth, inside = 0, []
    for piece in pieces:
        inside.append(piece)
        depth += piece.count("(") - piece.count(")")
        if depth <= 0:
            break
    return len(inside) if any(WORDED.match(piece) or "=" in piece for piece in inside) else 0


def chunks_of(text):
    chunks = []
    # A dash between words ends a clause; between numbers it may be a sign.
    plain = re.sub(" ?—(?! ?[0-9]) ?", ", ", re.sub(r"<<[^<>\n]*>>", "", text))
    for line in re.sub(r"(\\\\)|\\[()\[\]]", lambda found: found[1] or " ", plain).split("\n"):
        pieces, remarks = PIECE.findall(line), 0
        for i, piece in enumerate(pieces):
            if i > 0 and remarks == 0 and chunks[-1].kind == "number" and chunks[-1].ends == "":
                remarks = remark_length(pieces[i : i + MAX_REMARK])
            chunk = chunk_of(piece, i == len(pieces) - 1)
            if remarks > 0 or (i == 0 and len(pieces) > 1 and re.fullmatch(r"[0-9]+\)", piece)):
                chunk.kind = "word"
            chunks.append(chunk)
            remarks = max(0, remarks - 1)
    return chunks


def is_word(chunks, k, fits):
    return k < len(chunks) and chunks[k].kind == "word" and fits(chunks[k].text.lower())


def is_minus(word):
    return word in ("minus", "negative")


def next_place(chunks, k):
    """The next place that belongs to the run which has come to place k, or k where it ends."""
    if chunks[k].ends or k + 1 == len(chunks):
        return k
    here, following = chunks[k], chunks[k + 1]
    if following.kind in ("number", "sign"):
        return k + 1
    if following.kind == "letter":
        goes_on = k + 2 < len(chunks) and chunks[k + 2].kind in ("sign", "number")
        return k + 1 if here.kind == "sign" or following.ends or goes_on else k
    if here.kind != "number":
        return k
    m, units = k + 1, 0
    while m < len(chunks) and chunks[m].ends == "" and is_word(chunks, m, lambda word: word in JOINS or is_multiple(word) or is_unit(word)):
        units += is_word(chunks, m, is_unit)
        m += 1
    if m == len(chunks):
        return k
    if units == 0:
        return m if m > k + 1 and chunks[m].kind != "word" else k
    # "6 feet 2" and "5 cm by 6 cm", not "5 cm or 3 of them".
    return m if chunks[m].kind == "number" and (m == k + 2 or is_word(chunks, m + 1, is_unit)) else k


def words_from(chunks, start):
    words, i = [], start
    while len(words) < 5 and i < len(chunks) and chunks[i].kind == "word" and (i == start or chunks[i - 1].ends == ""):
        words.append(chunks[i].text.lower())
        i += 1
    return words


def words_before(chunks, start):
    i = start
    while i > 0 and start - i < 3 and chunks[i - 1].kind == "word" and chunks[i - 1].ends == "":
        i -= 1
    return [chunk.text.lower() for chunk in chunks[i:start]]


def run_of(chunks, start, end):
    before, first, last = words_before(chunks, start), start, end

    def loose(i):
        return chunks[i].kind == "sign" and LOOSE.match(chunks[i].text)

    # "is - 5" is a number with its sign, "- 5" in a line of its own one of a list.
    while first < last and loose(first) and not (first == start and MINUS.match(chunks[first].text) and before):
        first += 1
    while last > first and loose(last):
        last -= 1
    ends = chunks[end].ends
    listed = ends == "clause" and end + 1 < len(chunks) and (chunks[end + 1].kind != "word" or chunks[end + 1].text.lower() in ("and", "or"))
    text = " ".join(chunk.text for chunk in chunks[first : last + 1])
    return Run(text, chunks[end].loud, before, [] if ends else words_from(chunks, end + 1), start == 0, listed)


def runs_of(text):
    """The runs of a text that hold a number, in their order."""
    chunks, runs, start = chunks_of(text), [], 0
    while start < len(chunks):
        kind = chunks[start].kind
        if kind == "letter":
            begins = start + 1 < len(chunks) and chunks[start + 1].kind == "sign"
        else:
            begins = kind != "word" or is_word(chunks, start, is_minus)
        if begins:
            end, following = start, next_place(chunks, start)
            while following > end:
                end, following = following, next_place(chunks, following)
            if any(chunk.kind == "number" for chunk in chunks[start : end + 1]):
                runs.append(run_of(chunks, start, end))
            start = end
        start += 1
    return runs


def marked_answer(text):
    found = last_boxed(text)
    found = last_tagged(text) if found is None else found
    at = text.rfind("####")
    return found if found is not None or at < 0 else text[at + 4 :].split("\n", 1)[0]


def behind_answer_is(text):
    """The rest of the line behind the last "the answer is"."""
    end = next(iter([found.end() for found in ANSWER_IS.finditer(text)][::-1]), None)
    return None if end is None else text[end:].split("\n", 1)[0]


def is_changed(run):
    """Whether the words around a number make another one of it."""

    def is_number(word):
        return is_numeral(word) or is_multiple(word) or re.search(r"^(?:freezing|nothing|power)\Z|[0-9]", word)

    written = [word for word in run.after if word not in ("a", "an", "the")]
    behind = [re.sub(r"\W", "", word, flags=re.ASCII) for word in written]
    start = next((i for i, word in enumerate(behind) if word in FUNCTION_WORDS), len(behind))
    if BOUND.match(" ".join(behind[start:])):
        return True
    last = next((word for word in run.before[::-1] if word != "and"), "")
    ends = behind[:1] + behind[-1:]
    # "7 (seven)" and "seven (7)" say one number twice.
    numeral = (is_numeral(last) and not run.text.startswith("(")) or is_numeral("".join(written[:1]))
    if CHANGED.search(" ".join(run.before)) or numeral or "below" in ends or "under" in ends:
        return True
    joined = any(word in JOINED and is_number(after) for word, after in zip(behind, [*behind[1:], ""]))
    return joined or any(word in CHANGING and word not in JOINED and word not in FUNCTION_WORDS for word in behind)


def last_side(text):
    """What stands behind the last = of an expression; None where that is one of several or of an unknown."""
    plain = re.sub(r"^\$([^$]*)\$\Z", r"\1", text)
    sides = re.split(r"(?<![<>!])=|≈|\\approx(?![a-zA-Z])", plain)
    if len(sides) == 1 or (len(sides) == 2 and is_numeric(plain)):
        return plain
    named = re.sub(r"([0-9%)])x(?=[0-9(])", r"\1*", regex(r"\\[a-zA-Z]+|[${}]|\s").sub("", sides[0]))
    listed = any(re.search(r"(?<!\\)[,;](?![0-9]{3}|\})", side) for side in sides[1:-1])  # "x=1,y=2"
    return sides[-1] if NAMED.match(named) and not listed and not regex(r"\s(?:and|or)\s", re.IGNORECASE).search(plain) else None


def is_number(run, gold):
    """Whether an expression, with the words behind it, is the number gold."""
    side = last_side(run.text)
    if side is None or is_changed(run):
        return False
    end = next((i for i, word in enumerate(run.after) if word in FUNCTION_WORDS), len(run.after))
    words = run.after[:end]
    multiples = next((i for i, word in enumerate(words) if not is_multiple(word) and word != "percent"), len(words))
    wanted = quantity_of(gold)
    # Where the gold answer has a unit, the one here must be it, whatever is said of it further on.
    has_unit = wanted and wanted.unit and len(words) > multiples
    counts = range(multiples + 1, len(words) + 1) if has_unit else [multiples]

    def same(text):
        return any(same_answer(" ".join([text, *words[:count]]), gold) for count in counts)

    return same(side) or (run.loud and same(f"{side}!"))


def numbers_in(text):
    """The expressions with a number in them that stand near the end of a text; what is cut is not read."""
    return runs_of(re.sub(f"^[^{BLANK}]+", "", ending(text, LOOK_BACK)) if length(text) > LOOK_BACK else text)


def states_number(text, gold):
    marked = marked_answer(text)
    if marked is not None and (same_answer(marked, gold) or is_numeric(marked)):
        return same_answer(marked, gold)
    behind = behind_answer_is(text) if marked is None else marked
    first = next(iter(runs_of(beginning(behind or "", LOOK_BACK))), None)
    if first and first.first:
        return not first.listed and is_number(first, gold)
    last = next(iter(numbers_in(text)[::-1]), None) if marked is None else None
    return last is not None and is_number(last, gold)


def states_text(text, gold, same_words):
    """Whether a text comes to gold, which is no number."""
    marked, behind = marked_answer(text), behind_answer_is(text)
    sentence = text if behind is None else regex(r"[.!?](?:\s|\Z)").split(behind, 1)[0]
    clause = regex(r",\s(?![0-9])|\s(?:because|since|so|as)\s|\s\((?=[a-z]{2})").split(sentence, 1)[0]

    def same(answer):
        prose = not MATHEMATICS.search(answer) and not MATHEMATICS.search(gold)
        return same_answer(answer, gold) or (prose and same_words(answer, gold))

    read = [marked] if marked is not None else [text] if behind is None else [text, behind, sentence, clause]
    return any(same(answer) for answer in read)
