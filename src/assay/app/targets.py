"""Files that a command writes next to data: nothing that is read, and no work of people, is lost.

Work is a form that somebody signed or wrote in, a decision, a label in a plan of batches, a project
of the studio, and whatever cannot be read: nobody knows what that is.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from assay.audit.forms import is_form, without_forms
from assay.bench.batches import COLUMNS
from assay.core.codec import read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgement
from assay.core.problems import Problem
from assay.core.system.files import is_file, refuse_as_output, require_writable, writing
from assay.core.system.lines import TooLong
from assay.core.verdicts import Verdict
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.columnar import is_columnar
from assay.datasets.conversion import PROJECT_LINE, is_converted, read_converted, read_lines
from assay.datasets.encodings import open_binary
from assay.decisions.forms import NOBODY
from assay.decisions.proposals import OPEN
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldUnit

_LINES = (".jsonl", ".jsonl.gz")
_TABLES = (".csv", ".tsv")
_PLAN = ("batch", "annotator", "id")  # what the first row of every plan names
_KINDS: tuple[GoldUnit, ...] = ("sentence", "response")
_PLANNED = frozenset((*COLUMNS, "model"))
_MARKED = b'"decision"'  # a form has it, unless somebody deleted it
_BY_NOBODY = (b'"name":""', b'"name": ""')

Work = tuple[str, ...]  # who said what of which unit of which example


def require_targets(
    outputs: Mapping[str, str | None],
    *inputs: str | Path | None,
    carried: Iterable[Annotated] = (),
) -> None:
    """Raises if a file, by its field, cannot be written, or if something would be lost by it.

    An output without a name, or `-` for standard output, is none. What people decided in a line
    that is `carried` over into the output is not lost.
    """
    given = {field: path for field, path in outputs.items() if path and path != "-"}
    for field, path in given.items():
        try:
            refuse_as_output(path, *inputs)
        except InputError as error:
            raise InputError(error.message, field=field, code="is-input") from None
    for place, (field, path) in enumerate(given.items()):
        if any(_is_same(path, other) for other in list(given.values())[:place]):
            raise InputError(f"two outputs would go to one file, {path}; name another", field=field)
    kept = {work for line in carried for work in work_of(line)} if given else set()
    for field, path in given.items():
        held = next(_held(path, kept), "")
        if held:
            raise InputError(
                f"{path} has {held} that would be lost; write to another file",
                field=field,
                code="work-of-people",
            )
        require_writable(path)


def write_examples(path: str, annotated: Iterable[Annotated]) -> None:
    """Writes examples with all that was said of them, a line each."""
    with writing(path) as file:
        for each in annotated:
            file.write(write_example(each) + b"\n")


def work_of(line: Annotated) -> Iterator[Work]:
    """The decisions, signatures and notes of people in the forms of an example, for each unit."""
    for form in _touched(line):
        yield line.id, form.author.name
        for said in form.verdicts:
            if _has_words(said) or form.author == NOBODY:
                label, state, note = str(said.label), said.attributes.decision, said.note.strip()
                quotes = [span.text for span in said.evidence], said.attributes.cited
                shown = " ".join(" ".join((*quotes[0], quotes[1])).split())
                yield line.id, form.author.name, said.unit, label, state, note, shown


def _is_same(one: str, other: str) -> bool:
    try:
        refuse_as_output(one, other)
    except InputError:
        return True
    return False


def _held(path: str, kept: set[Work]) -> Iterator[str]:
    """The work in a file that must not be lost, in words."""
    if not is_file(path):
        return
    if is_columnar(path):
        yield from _held_in_columns(path, kept)
    elif path.endswith(_TABLES):
        yield from _held_in_table(path)
    elif path.endswith(_LINES) or _looks_like_lines(path):
        yield from _held_in_lines(path, kept)


def _looks_like_lines(path: str) -> bool:
    """True if a file of another name begins like one of ours."""
    with open_binary(path) as file:
        return EXAMPLE_SCHEMA.encode() in file.read(1000)


def _held_in_lines(path: str, kept: set[Work]) -> Iterator[str]:
    try:
        for number, line in enumerate(read_lines(path), start=1):
            if isinstance(line, TooLong):
                yield f"an unreadable line ({number:,})"
                continue
            if number == 1 and PROJECT_LINE.match(line):
                yield "a project of the studio"
            yield from _held_in_line(line, number, kept)
    except InputError:
        yield "something that cannot be read"


def _held_in_columns(path: str, kept: set[Work]) -> Iterator[str]:
    """Decisions in examples; other columns are made by programs."""
    with open_binary(path) as file:
        if not file.read(1):
            return
    try:
        rows = read_converted(path) if is_converted(path) else ()
        for number, row in enumerate(rows, start=1):
            if isinstance(row, Problem):
                yield f"an unreadable row ({number:,})"
            else:
                yield from _held_in_line(write_example(row), number, kept)
    except InputError:
        yield "something that cannot be read"


def _held_in_line(line: bytes, number: int, kept: set[Work]) -> Iterator[str]:
    unreadable = f"an unreadable line ({number:,})"
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        yield unreadable
        return
    if isinstance(row, dict) and all(name in row for name in _PLAN):
        if any(_is_filled(name, value) for name, value in row.items()):
            yield "labels of annotators"
    elif _MARKED in line or any(mark in line for mark in _BY_NOBODY):
        try:
            found = read_example(line, "the line")
        except InputError:
            yield unreadable
            return
        if not set(work_of(found)) <= kept:
            yield "decisions of people"


def _held_in_table(path: str) -> Iterator[str]:
    """Labels in a plan of batches, as spreadsheets write tables."""
    try:
        with TextIOWrapper(open_binary(path), "utf-8-sig", newline="") as file:
            head = file.readline()
            sign = max(",;\t", key=head.count)
            names = next(csv.reader([head], delimiter=sign), [])
            if not all(name in names for name in _PLAN):
                return
            for row in csv.reader(file, delimiter=sign):
                cells = dict(zip(names, row, strict=False))
                if len(row) > len(names) or any(_is_filled(*each) for each in cells.items()):
                    yield "labels of annotators"
    except (UnicodeDecodeError, csv.Error):
        yield "something that cannot be read"


def _is_filled(name: str, value: Any) -> bool:
    """True if somebody wrote a value in a plan, in a column of their own."""
    return name not in _PLANNED and value is not None and bool(str(value).strip())


def _touched(line: Annotated) -> list[Judgement]:
    """The forms of an example in which somebody decided, signed or wrote something."""
    return [
        each
        for each in line.gold
        if _is_signed(each) or (each.author == NOBODY and _is_written(each, line))
    ]


def _is_signed(judgement: Judgement) -> bool:
    """True if a form has a name; a judgement that came of a form supersedes another."""
    return (
        judgement.author.kind == "person"
        and judgement.author != NOBODY
        and not judgement.supersedes
        and (is_form(judgement) or any(each.attributes.decision for each in judgement.verdicts))
    )


def _is_written(form: Judgement, line: Annotated) -> bool:
    """True if there is something in a form that nobody has signed."""
    if not is_form(form):  # one about errors, whose labels and evidence are proposals
        return any(_has_words(replace(each, evidence=())) for each in form.verdicts)
    if any(map(_has_words, form.verdicts)):
        return True
    gold = {
        unit.id: label
        for kind in _KINDS
        for unit, label in gold_labels(without_forms(line), kind, "corpus")
    }
    pairs = [(each.label, gold.get(each.unit)) for each in form.verdicts]
    return any(one and two and one != two for one, two in pairs)


def _has_words(verdict: Verdict) -> bool:
    given = verdict.attributes
    written = (verdict.note, given.cited, given.decision.removeprefix(OPEN))
    return bool(verdict.evidence or given.nothing_found or any(map(str.strip, written)))
