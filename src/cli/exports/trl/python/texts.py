"""Texts as JavaScript has them, and the places where answers stand."""

import re

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


def beginning(text, count):
    return text.encode("utf-16-le", "surrogatepass")[: 2 * count].decode("utf-16-le", "surrogatepass") if length(text) > count else text


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
