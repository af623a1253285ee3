"""The same examples looking different: nothing that matters is changed, so no verdict may change.

The layout of a source is varied, what is retrieved beside it, and the question that is asked.
Examples are paired with their variants, so that verdicts that flip can be counted.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from assay.core.rendering import read_source
from assay.text.sentences import split_sentences
from training.measured import Measured
from training.withstand.reading import ANSWER, Record, examples, records

PROSE = 60  # characters from which on a line is taken for prose
DISTRACTORS = 3
_NEEDS_QUESTION = ("withstand-short-answer", "withstand-presupposed", ANSWER)


@dataclass(frozen=True, slots=True)
class Pair:
    """An example and the same with another look."""

    variant: str
    plain: Measured
    changed: Measured


@dataclass(frozen=True, slots=True)
class Setting:
    """What a change of the source needs to know: `others` are passages about something else."""

    width: int
    others: Sequence[object]
    rng: Random


def pairs() -> Iterator[Pair]:
    """Every variant of every example that has it."""
    written = list(records())
    for number, record in enumerate(written):
        rng = Random(record.id)
        setting = Setting(rng.randint(60, 80), _others(written, number), rng)
        yield from _layouts(record, setting)
        yield from _questions(record)


def _layouts(record: Record, setting: Setting) -> Iterator[Pair]:
    before = read_source(record.source)
    for name, change in CHANGES.items():
        source = read_source(change(record.source, setting))
        if source.text != before.text:
            for plain in examples(record):
                yield Pair(name, plain, replace(plain, id=f"{plain.id}+{name}", source=source))


def _questions(record: Record) -> Iterator[Pair]:
    for plain in examples(record):
        if plain.group in _NEEDS_QUESTION:
            continue
        asked = {
            "question-added": record.answers[0].question,
            "question-restates": _restating(plain.sentences[0]),
        }
        for name, question in asked.items():
            yield Pair(name, plain, replace(plain, id=f"{plain.id}+{name}", question=question))


def _restating(sentence: str) -> str:
    doubts = len(sentence) % 2
    return f"Is this right? {sentence}" if doubts else f"I was told: {sentence} Is that so?"


def _others(written: Sequence[Record], number: int) -> Sequence[object]:
    """Sources in prose from other domains, far from each other in the suite."""
    apart = [*written[number:], *written[:number]]
    found = [
        each.source
        for each in apart
        if each.domain != written[number].domain and isinstance(each.source, str)
    ]
    step = max(1, len(found) // DISTRACTORS)
    return found[step // 2 :: step][:DISTRACTORS]


def _newline(source: object, _: Setting) -> object:
    return _each_text(source, lambda text: text + "\n")


def _wrapped(source: object, setting: Setting) -> object:
    def fill(line: str) -> str:
        return textwrap.fill(line, setting.width, break_long_words=False, break_on_hyphens=False)

    return _each_prose(source, fill)


def _lower(source: object, _: Setting) -> object:
    return _each_text(source, str.lower)


def _marked(source: object, _: Setting) -> object:
    """Prose as a list, with names and amounts in bold."""
    return _each_prose(source, _items)


def _items(line: str) -> str:
    return "\n".join(f"- {_MARKED.sub(_bold, span.text)}" for span in split_sentences(line))


_MARKED = re.compile(r"[£$€]?(?<![\w.,:-])\d[\d.,:]*\d(?![\w.,:-])%?|[A-Z][a-z]+(?: [A-Z][a-z]+)+")


def _bold(found: re.Match[str]) -> str:
    return f"**{found[0]}**"


def _before(source: object, setting: Setting) -> object:
    return [*setting.others, *_passages(source)]


def _after(source: object, setting: Setting) -> object:
    return [*_passages(source), *setting.others]


def _reordered(source: object, setting: Setting) -> object:
    if isinstance(source, Mapping):
        return dict(reversed(list(source.items())))
    if not isinstance(source, list):
        return source
    shuffled = setting.rng.sample(source, len(source))
    return source[::-1] if shuffled == source else shuffled


def _passages(source: object) -> list[object]:
    return list(source) if isinstance(source, list) else [read_source(source).text]


def _each_text(source: object, change: Callable[[str], str]) -> object:
    if isinstance(source, list):
        return [change(read_source(each).text) for each in source]
    return change(read_source(source).text)


def _each_prose(source: object, change: Callable[[str], str]) -> object:
    """Changes lines of prose; fields, and lines of tables and code, stay as they are."""

    def lines(text: str) -> str:
        return "\n".join(
            change(line) if len(line) > PROSE and line[0] not in "| #-" else line
            for line in text.split("\n")
        )

    return source if isinstance(source, Mapping) else _each_text(source, lines)


CHANGES: Mapping[str, Callable[[object, Setting], object]] = {
    "trailing-newline": _newline,
    "wrapped": _wrapped,
    "lower-case": _lower,
    "markdown": _marked,
    "distractors-before": _before,
    "distractors-after": _after,
    "passages-reordered": _reordered,
}
