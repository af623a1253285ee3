"""The values of a sentence in other forms: the same value stays true, another one is false.

"It cost $4.2 million." -> "It cost 4.2 million dollars.", or falsely "It cost $42,000,000."
"""

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from training.items import CONTRADICTED, ENTAILED, Item, Sentence
from training.values import Value, other, value_of

_MONTHS = (
    "January February March April May June July August September October November December".split()
)
_MONTH = "|".join(_MONTHS)
_SIGNS = {"$": 0, "£": 1, "€": 2}
_WORDS = {
    word: number
    for number, word in enumerate(
        "three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split(),
        3,
    )
}
MOST = 6  # sentences in a row


def _number(text: str) -> int:
    return int(text.replace(",", ""))


def _large(found: re.Match[str]) -> tuple[int, int]:
    tenths = round(float(found[2]) * (10 if found[3] == "million" else 10_000))
    return tenths, _SIGNS[found[1]]


def _time(found: re.Match[str]) -> int:
    hour, minute = int(found[1]) % 12, int(found[2] or 0)
    return (hour + (12 if found[3].lower() == "p" else 0)) * 60 + minute


_NUMBERED = r"(?<!passage )(?<!Passage )"  # the number of a passage is no value
_END = r"(?![\w%]|[.,:]\d)"
_READERS: tuple[tuple[str, str, Callable[[re.Match[str]], Any]], ...] = (
    ("millions", rf"([$£€])(\d{{1,4}}(?:\.\d)?) (million|billion){_END}", _large),
    (
        "money",
        rf"([$£€])(\d{{1,3}}(?:,\d{{3}})+|\d{{2,6}}){_END}(?! (?:million|billion|trillion))",
        lambda m: (_number(m[2]), _SIGNS[m[1]]),
    ),
    (
        "percent",
        r"(?<![\d.,])(\d{1,2}(?:\.\d)?)(?:%| percent\b| per cent\b)",
        lambda m: round(float(m[1]) * 10),
    ),
    (
        "date",
        rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}}){_END}",
        lambda m: (int(m[3]), _MONTHS.index(m[1]) + 1, int(m[2])),
    ),
    (
        "date",
        rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}}){_END}",
        lambda m: (int(m[3]), _MONTHS.index(m[2]) + 1, int(m[1])),
    ),
    (
        "day",
        rf"\b({_MONTH}) (\d{{1,2}}){_END}(?!, \d{{4}})",
        lambda m: (_MONTHS.index(m[1]) + 1, int(m[2])),
    ),
    (
        "day",
        rf"\b(\d{{1,2}}) ({_MONTH}){_END}(?! \d{{4}})",
        lambda m: (_MONTHS.index(m[2]) + 1, int(m[1])),
    ),
    ("time", r"\b(\d{1,2})(?:[:.](\d{2}))? ?([APap])\.?[Mm]\b\.?", _time),
    ("many", rf"(?<![\w$£€.,])(\d{{1,3}}(?:,\d{{3}})+){_END}", lambda m: _number(m[1])),
    ("few", rf"\b({'|'.join(_WORDS)})\b(?!-)", lambda m: _WORDS[m[1]]),
    ("few", _NUMBERED + r"(?<![\w$£€.,:/-])([3-9]|1\d|20)(?= [a-z]{3,})", lambda m: int(m[1])),
)
_PATTERNS = [(kind, re.compile(pattern), read) for kind, pattern, read in _READERS]


def values_in(sentence: str) -> list[tuple[int, int, Value]]:
    """Where values stand in a sentence, and which; those that overlap come once."""
    found: list[tuple[int, int, Value]] = []
    for kind, pattern, read in _PATTERNS:
        for match in pattern.finditer(sentence):
            if all(match.end() <= start or end <= match.start() for start, end, _ in found):
                key = read(match)
                if not (kind in ("date", "day") and key[-1] > 28):
                    found.append((match.start(), match.end(), value_of(kind, key)))
    return found


def reformatted(sentence: str, rng: random.Random, *, true: bool) -> Sentence | None:
    """The sentence with one value in another form, or with another value; None without any."""
    places = values_in(sentence)
    if not places:
        return None
    start, end, value = rng.choice(places)
    shown = value if true else other(value, [each for _, _, each in places], rng)
    forms = [form for form in shown.forms if form != sentence[start:end]]
    if not forms:
        return None
    text = sentence[:start] + rng.choice(forms) + sentence[end:]
    return Sentence(text[0].upper() + text[1:], ENTAILED if true else CONTRADICTED)


def formatted(
    truths: Mapping[tuple[str, str], Sequence[str]], most: int, rng: random.Random
) -> Iterator[Item]:
    """True sentences about sources with their values in other forms, or with other values."""
    fitting = []
    for (source, question), texts in truths.items():
        known = dict.fromkeys(text for text in texts if len(text) < 400)
        with_values = [text for text in known if values_in(text)]
        if with_values:
            fitting.append((source, question, with_values))
    for source, question, texts in rng.sample(fitting, min(most, len(fitting))):
        chosen = rng.sample(texts, min(MOST, len(texts)))
        made = [reformatted(text, rng, true=rng.random() < 0.5) for text in chosen]
        if sentences := tuple(filter(None, made)):
            yield Item("formats", source, sentences, question)
