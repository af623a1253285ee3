"""A tiny corpus with gold labels, and a recorded detector that says what it is told."""

from collections.abc import Callable

import pytest

from assay import Annotated, Author, Example, Response, Source, taxonomy
from assay.text.sentences import find_sentences
from tests.evaluation.opinions import annotate, says, scores

GRAY7 = taxonomy("gray7")


def make(name: str, labels: str, recorded: str = "", source: str = "") -> Annotated:
    """An example with a sentence per gold label, and the recorded scores of a detector `j`.

    A score of `-` is a failure, `.` is nothing at all.
    """
    names = labels.split()
    text = " ".join(f"Sentence {number} of {name} ends." for number in range(len(names)))
    units = find_sentences(text)
    example = Example(
        name, Source("The source.", id=source or name), Response(text, "m"), units=units
    )
    gold = [says(unit, GRAY7[label]) for unit, label in zip(units, names, strict=True)]
    say = scores(recorded or " ".join("." for _ in names))
    said = [(Author("j"), unit, outcome) for unit in units if (outcome := say(unit))]
    return annotate(example, *gold, *said)


@pytest.fixture
def make_annotated() -> Callable[..., Annotated]:
    """Makes an annotated example from words; see `make`."""
    return make
