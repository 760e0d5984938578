"""Ids that the library `tokenizers` gives: every part that splits or normalises a text, over one small vocabulary."""

import json

import numpy as np
import tokenizers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

from reference_io import write_json

SEED, CASES, TEXTS = 3900, 60, 8
WORDS = [
    *"abls'tSK7!?$+_()[{|-½Ⅳ٣éſΣςİßﬁ中あ…¿😀", " ", "  ", "\n", "\t", "\r", "e\u0301", "\u212a", "12", "\u00a0", "\u0085", "\ufeff",
    "\u200d", "\u3000", "don't", "we'll", "IT'S", "'ſ", " the", "ing", "a ½ cup", " Ⅳ",
]  # fmt: skip
CONTRACTED = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
PATTERNS = [
    CONTRACTED + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+" + CONTRACTED + r"?|\p{N}{1,3}|\s+",
    r" ?[^(\s|[.,!?…。])]+", r"\p{N}{1,3}", r"[0-9][0-9]", r"[一-龥぀-ゟ゠-ヿ]+", r"\s+", r"\w+", r".", r"^.", r"\s+$",
    r"[a-z&&[^b]]+", r"\p{Han}+", r"(a|b)+?l", r"(?<=a)b|l(?=s)", r"(?>a+)b|a", r"\x{41}|\x20",
]  # fmt: skip
BEHAVIOURS = ["isolated", "removed", "contiguous", "merged_with_previous", "merged_with_next"]
NORMALIZERS = [
    None, None, None, normalizers.NFC(), normalizers.NFD(), normalizers.NFKC(), normalizers.NFKD(), normalizers.Lowercase(),
    normalizers.Prepend("a"), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Replace("a", "$&b"),
    normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]),
]  # fmt: skip


def byte_characters():
    """The character that spells each byte, as GPT-2 has it."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    shifted = iter(range(256, 512))
    return [chr(byte if byte in printable else next(shifted)) for byte in range(256)]


def vocabulary():
    vocab = {char: id for id, char in enumerate(byte_characters())}
    merges = [("h", "e"), ("Ġ", "t"), ("i", "n"), ("in", "g"), ("Ġ", "a"), ("Ã", "©"), ("1", "2"), ("Ċ", "Ċ"), ("Ġ", "Ġ"), ("a", "b"), ("l", "l")]
    for first, second in merges:
        vocab[first + second] = len(vocab)
    return vocab, merges


def pre_tokenizer(random):
    """Up to two parts, the spelling of bytes, and sometimes a part behind it."""
    pick = lambda values: values[random.randint(len(values))]  # noqa: E731

    def part():
        kind = random.random_sample()
        if kind < 0.5:
            return pre_tokenizers.Split(Regex(pick(PATTERNS)), pick(BEHAVIOURS), bool(random.random_sample() < 0.25))
        if kind < 0.6:
            return pre_tokenizers.Split(pick([" ", "a", "'", "(", "\n"]), pick(BEHAVIOURS), bool(random.random_sample() < 0.25))
        if kind < 0.75:
            return pre_tokenizers.Digits(bool(random.random_sample() < 0.5))
        if kind < 0.9:
            return pre_tokenizers.Punctuation(pick(BEHAVIOURS))
        return pick([pre_tokenizers.Whitespace(), pre_tokenizers.WhitespaceSplit()])

    bytes_spelled = pre_tokenizers.ByteLevel(add_prefix_space=bool(random.random_sample() < 0.2), use_regex=bool(random.random_sample() < 0.5))
    before = [part() for _ in range(random.randint(3))]
    behind = [part()] if random.random_sample() < 0.1 else []
    return pre_tokenizers.Sequence([*before, bytes_spelled, *behind])


def make(folder):
    random = np.random.RandomState(SEED)
    vocab, merges = vocabulary()
    cases = []
    for index in range(CASES):
        tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
        if NORMALIZERS[index % len(NORMALIZERS)] is not None:
            tokenizer.normalizer = NORMALIZERS[index % len(NORMALIZERS)]
        tokenizer.pre_tokenizer = pre_tokenizer(random)
        texts = ["".join(WORDS[at] for at in random.randint(len(WORDS), size=random.randint(1, 14))) for _ in range(TEXTS)]
        parts = json.loads(tokenizer.to_str())
        ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
        cases.append({"normalizer": parts["normalizer"], "pre_tokenizer": parts["pre_tokenizer"], "texts": texts, "ids": ids})
    merged = [" ".join(pair) for pair in merges]
    write_json(folder / "tokenizer-ids.json", {"source": f"tokenizers {tokenizers.__version__}", "merges": merged, "cases": cases})
