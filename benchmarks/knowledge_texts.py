"""Short passages for knowledge.py: sentences of the released corpora, or text made here."""

import csv
import gzip
import json
import os
import random
import re
from collections.abc import Iterable, Iterator
from itertools import accumulate, islice, pairwise
from pathlib import Path
from typing import Any

from shared_data import BESIDE

FUNCTION_WORDS = """the of and in to a was is for on as with by he that at from his it an were are
which be this had or has its their not also first but one she have who they been her after more new
other two when there all""".split()
HELD_OUT = 1_500  # every so many sentences one is not indexed but asked for
_END = re.compile(r"(?<=[.!?])\s+|\n+")


def real_sentences() -> list[str]:
    """The different sentences in the texts of the corpora beside the checkout; none if absent."""
    folder = Path(os.environ.get("ASSAY_DATA", BESIDE))
    csv.field_size_limit(2**31 - 1)
    found: dict[str, None] = {}
    for path in sorted(folder.rglob("*")):
        for text in _texts(_rows(path)):
            for sentence in _END.split(text):
                if 8 <= len(sentence.split()) <= 80:
                    found[" ".join(sentence.split())] = None
    return list(found)


def real_passages(sentences: list[str], count: int) -> tuple[list[str], list[str]]:
    """Sentences, then pairs of neighbours until there are enough; and those that were held out."""
    held = sentences[::HELD_OUT]
    left_out = set(held)
    passages = [each for each in sentences if each not in left_out][:count]
    pairs = (
        f"{one} {other}"
        for one, other in pairwise(sentences)
        if one not in left_out and other not in left_out
    )
    passages += islice(pairs, count - len(passages))
    for each in (passages, held):
        random.Random(0).shuffle(each)
    return passages, held


def made_passages(count: int, seed: int) -> Iterator[str]:
    """Passages of 10 to 36 made-up words, as frequent as words of a language are."""
    words = _vocabulary(300_000)
    frequencies = list(accumulate((n + 3.7) ** -1.05 for n in range(len(words))))
    pick = random.Random(seed)
    for _ in range(count):
        chosen = pick.choices(words, cum_weights=frequencies, k=pick.randint(10, 36))
        yield " ".join(chosen).capitalize() + "."


def _vocabulary(size: int) -> list[str]:
    pick = random.Random(1)
    onsets = "b c d f g h j k l m n p r s t v w z br ch cl dr fl gr pl pr sh st th tr".split()
    vowels, codas = "a e i o u ai ea ou".split(), ["", "", *"n r s t l m nd st".split()]
    words = dict.fromkeys(FUNCTION_WORDS)
    while len(words) < size:
        syllables = range(pick.randint(1, 3))
        words["".join(pick.choice(part) for _ in syllables for part in (onsets, vowels, codas))] = (
            None
        )
    return list(words)


def _rows(path: Path) -> Iterator[Any]:
    """The values in a file, as far as it is one of the known kinds and whole."""
    kind = path.name.removesuffix(".gz").rpartition(".")[2]
    if kind not in ("json", "jsonl", "csv") or not path.is_file():
        return
    packed = path.name.endswith(".gz")
    with gzip.open(path, "rt", encoding="utf-8") if packed else path.open(encoding="utf-8") as file:
        try:
            if kind == "csv":
                yield from csv.DictReader(file)
            elif kind == "jsonl":
                yield from map(json.loads, file)
            else:
                yield json.load(file)
        except ValueError:
            return


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and len(value) > 150:
            yield value
        elif isinstance(value, dict):
            yield from _texts(value.values())
        elif isinstance(value, list):
            yield from _texts(value)
