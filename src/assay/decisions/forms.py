"""Forms in which people decide, on the lines of a file, and what can be wrong with any of them.

A form is a judgement by nobody, with an open decision on each of its units. A person writes their
name as its author and decides. Whatever is wrong is told with its place, all of it together.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.codec import read_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding, Judgement
from assay.core.problems import Problem
from assay.core.units import Unit
from assay.core.verdicts import Outcome
from assay.decisions.proposals import OPEN

NOBODY = Author("", "person")  # the author of a form that nobody has filled in
_NO_LINES = (".parquet", ".arrow", ".feather", ".gz")
ReadLine = Callable[[bytes], tuple[Annotated | None, list[str]]]


@dataclass(frozen=True, slots=True)
class FormLine:
    """An example that people worked on, and where it stands: its file and line."""

    annotated: Annotated
    where: str = ""


def read_form_lines(
    path: str, *, field: str = "", read: ReadLine | None = None
) -> tuple[list[FormLine], list[Problem]]:
    """The lines of a file that can be read, and what is wrong with the others.

    `read` gives as much of a line as can be used, and what is wrong with the rest of it.
    """
    if path.lower().endswith(_NO_LINES):
        raise InputError(
            f"{path} cannot hold decisions: people decide in JSON lines, so give the .jsonl file",
            code="not-lines",
            field=field,
        )
    found: list[FormLine] = []
    problems: list[Problem] = []
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    where = f"{path} line {number}"
                    try:
                        known, wrong = (read or _read_line)(line)
                    except InputError as error:
                        known, wrong = None, [str(error).removeprefix("the line: ")]
                    found += [FormLine(known, where)] if known else []
                    problems += [Problem(where, each) for each in wrong]
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field=field) from None
    return found, problems


def _read_line(line: bytes) -> tuple[Annotated | None, list[str]]:
    return read_example(line, "the line"), []


def refuse_problems(problems: Sequence[Problem], *, field: str = "", code: str = "") -> None:
    """Raises with all problems, one on each line, if there are any."""
    if problems:
        raise InputError("\n".join(map(str, problems)), field=field, code=code)


def other_text(given: Example, example: Example) -> str:
    """The fault of an example that has another text than the same one in the data, or nothing."""
    pairs = {
        "response": (given.response.text, example.response.text),
        "source": (given.source.text, example.source.text),
    }
    for name, (one, other) in pairs.items():
        if one != other:
            return (
                f"the {name} of example '{example.id}' is another text than in the data; use the "
                "data that the file was made for"
            )
    return ""


def judgement_of(
    example: str, author: Author, said: Iterable[tuple[Unit, Outcome]], **more: Any
) -> Judgement:
    """A judgement of an example with some units and what the author says of each."""
    given = list(said)
    units, outcomes = tuple(unit for unit, _ in given), tuple(outcome for _, outcome in given)
    return Judgement(example, author, units, outcomes, **more)


def name_of(form: Judgement) -> str:
    """The name of the person who filled in a form; empty where it has none."""
    return " ".join(form.author.name.split())


def state_of(finding: Finding) -> str:
    """The decision about a unit of a form; `open` where nothing is said."""
    verdict = finding.verdict
    return (verdict.attributes.decision if verdict else "") or OPEN


def unknown_decision(state: str, menu: Iterable[str]) -> str:
    """The fault of a decision that is not on the menu."""
    return f"the decision is one of {', '.join((OPEN, *menu))}, not '{state}'"


def signature_faults(finding: Finding, form: Judgement, menu: Sequence[str]) -> Iterator[str]:
    """Faults of a decision on any form: it is not on the menu, or nobody has signed it."""
    state = state_of(finding)
    if state not in (OPEN, *menu):
        yield unknown_decision(state, menu)
    if name_of(form) == GOLD.name:
        yield f"'{GOLD.name}' is the name of the corpus; write your own"
    elif state != OPEN and not name_of(form):
        yield f"it is {state}, but its author has no name"
