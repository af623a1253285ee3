"""A tiny corpus with gold labels, and judges that say what they are told."""

from collections.abc import Callable

import pytest

from assay.core import Example, Response, Source, Span, Unit, Verdict, taxonomy
from assay.core.verdicts import Failure, Outcome

GRAY7 = taxonomy("gray7")
BINARY = taxonomy("binary")


def sentences_of(text: str) -> list[Unit]:
    """One unit for each sentence that ends in a full stop and a space."""
    units, start = [], 0
    for piece in text.split(". "):
        end = start + len(piece) + (not piece.endswith("."))
        units.append(Unit.at("sentence", Span.cut(text, start, min(end, len(text)), "response")))
        start = end + 1
    return units


def make(name: str, labels: str, scores: str, source: str = "") -> Example:
    """An example with a sentence per gold label, and the recorded scores of a judge `j`.

    A score of `-` is a failure, `.` is nothing at all.
    """
    names = labels.split()
    text = " ".join(f"Sentence {number} of {name}." for number in range(len(names)))
    units = sentences_of(text)
    gold = tuple(Verdict(u, GRAY7[label]) for u, label in zip(units, names, strict=True))
    recorded: list[Outcome] = []
    for unit, score in zip(units, scores.split(), strict=True):
        if score == "-":
            recorded.append(Failure(unit, "parse", judge="j"))
        elif score != ".":
            recorded.append(Verdict(unit, score=float(score), judge="j"))
    return Example(
        name,
        Source("The source.", id=source or name),
        Response(text, "m"),
        units=tuple(units),
        gold=gold,
        recorded=tuple(recorded),
    )


@pytest.fixture
def make_example() -> Callable[..., Example]:
    """Makes an example from words; see `make`."""
    return make
