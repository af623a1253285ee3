"""Examples as files: lines or columns that hold everything, or flat tables with one label a row.

Reading the lines or columns back gives equal examples. Their plain fields (`source`, `response`,
`question`, `model`, `id`) are those that every command reads.

Between the examples of an annotation project stand lines that tell annotators from later people.
Reviewers and adjudicators have seen what annotators said. What they say settles the label of an
item and is no annotation: in the examples that are read, the label that the project settled on
supersedes it, as a revision does after an audit.
"""

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import msgspec

from assay.core.codec import read_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement, current
from assay.core.problems import Problem
from assay.core.system.files import is_file, replacing
from assay.core.system.formulas import write_table
from assay.core.system.lines import TooLong, document_limit, limited_lines, row_limit
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.columnar import COLUMNAR, is_columnar, open_columns
from assay.datasets.encodings import open_binary
from assay.datasets.example_columns import (
    FLAT,
    Labelling,
    flat_row,
    holds_examples,
    read_example_columns,
    refuse_no_text,
)
from assay.datasets.example_files import EXAMPLE_FILES, LINES, either, write_example_file
from assay.datasets.part_writing import ROWS_PER_PART, is_parts_target, write_example_set

ITEM_LINE = re.compile(rb'\{"schema": ?"urn:assay:project-item:')
_LATER = ("review", "adjudicate")  # stages in the order in which they come


class _Stage(msgspec.Struct):
    author: str = ""
    round: int = 0
    stage: str = ""


class _Item(msgspec.Struct):
    example: str = ""
    state: str = ""
    is_settled: bool = False
    stages: list[_Stage] = []


_items = msgspec.json.Decoder(_Item)


def with_settled(annotated: Annotated, line: bytes) -> Annotated:
    """The example in which only annotators are such, by the line of the project that follows it.

    Of an item that is not done, what a reviewer or adjudicator said so far is left out.
    """
    try:
        item = _items.decode(line)
    except msgspec.DecodeError:  # whoever imports the project says what is wrong with the line
        return annotated
    stages = {(each.author, each.round): each.stage for each in item.stages}
    staged = [(stages.get((e.author.name, e.round), ""), e) for e in annotated.judgements]
    later = [each for stage in _LATER for said, each in staged if said == stage]
    if item.example != annotated.id or not later:
        return annotated
    if item.state != "done":
        kept = tuple(each for stage, each in staged if stage not in _LATER)
        return replace(annotated, judgements=kept)
    golds = [each for each in annotated.judgements if each.author == GOLD]
    is_audited = any(stage == "audit" and e.at >= later[-1].at for stage, e in staged)
    is_newest = item.is_settled or is_audited
    if golds and is_newest:
        known = {each.key for each in golds}
        first = next(each for each in golds if each.supersedes not in known)
        return _chained(annotated, ["", *later, first])
    # The data came with a label of its own, and the project settled on another one.
    before = current(golds)[-1].key if golds else ""
    newer = replace(later[-1], author=GOLD, round=max((e.round for e in golds), default=0) + 1)
    return _chained(annotated.with_judgements(newer), [before, *later, newer])


def _chained(annotated: Annotated, chain: Sequence[str | Judgement]) -> Annotated:
    """The example in which each judgement of a chain supersedes the one before, and no other."""
    keys = [each if isinstance(each, str) else each.key for each in chain]
    said = [each for each in chain if isinstance(each, Judgement)]
    new = {id(each): replace(each, supersedes=key) for each, key in zip(said, keys, strict=False)}
    return replace(
        annotated, judgements=tuple(new.get(id(each), each) for each in annotated.judgements)
    )


_OLDER = "assay-example-1"  # the form that version 0.1 wrote
_ANY_VERSION = EXAMPLE_SCHEMA.rpartition(":")[0] + ":"
# An annotation project has lines of its own between its examples, and begins with one.
PROJECT_SCHEMA = "urn:assay:project:1"
_ANY_PROJECT = PROJECT_SCHEMA.rpartition(":")[0] + ":"
PROJECT_LINE = re.compile(rb'\{"schema": ?"urn:assay:project[:-]')


def convert(
    examples: Iterable[Annotated],
    target: str,
    labelling: Labelling,
    *,
    rows_per_part: int = ROWS_PER_PART,
) -> int:
    """Writes examples to a file, or a folder of parts, whose name says its form; gives how many."""
    if is_parts_target(target):
        return write_example_set(examples, target, labelling, rows=rows_per_part)
    if not target.endswith(".csv"):
        if not target.endswith(EXAMPLE_FILES):
            endings = either((*LINES, ".csv", *COLUMNAR))
            raise InputError(
                f"cannot tell what {target} should be: end its name in {endings}", field="to"
            )
        return write_example_file(examples, target, labelling)
    with replacing(target) as part:
        return write_table((_row(each, labelling) for each in examples), FLAT, part)


def _row(annotated: Annotated, labelling: Labelling) -> dict[str, str]:
    row = flat_row(annotated, labelling)
    refuse_no_text(row, annotated.id)
    return row


def is_converted(path: str) -> bool:
    """True if a file is one that `convert` wrote with everything in it, in whatever version."""
    if not is_file(path):  # a pipe can be read only once
        return False
    if is_columnar(path):
        return holds_examples(open_columns(path))
    if not path.endswith(LINES):
        return False
    form = _first_form(path)
    return form == _OLDER or form.startswith((_ANY_VERSION, _ANY_PROJECT))


def project_schema(path: str) -> str:
    """The form of a file that holds an annotation project; empty for any other file."""
    if not path.endswith(LINES) or not is_file(path):
        return ""
    form = _first_form(path)
    return form if form.startswith(_ANY_PROJECT) else ""


def _first_form(path: str) -> str:
    try:
        line = next(read_lines(path), b"")
    except InputError:  # whoever reads the file says what is wrong
        return ""
    return "" if isinstance(line, TooLong) else _form(line)


def read_converted(path: str, *, with_judgements: bool = True) -> Iterator[Annotated | Problem]:
    """The examples in a file that `convert` wrote; a damaged one is a problem with its place.

    In a file of a project the line after an example says who annotated it. What was said may be
    left out where the file is of columns.
    """
    if is_columnar(path):
        yield from read_example_columns(open_columns(path), with_judgements=with_judgements)
        return
    waiting: Annotated | None = None
    for number, line in enumerate(read_lines(path), start=1):
        if waiting is not None:
            if isinstance(line, bytes) and ITEM_LINE.match(line):
                waiting = with_settled(waiting, line)
            yield waiting
            waiting = None
        if isinstance(line, TooLong):
            yield Problem(f"{path} record {number}", str(line))
            continue
        if PROJECT_LINE.match(line):
            continue
        try:
            waiting = read_example(line, "the record")
        except InputError as error:
            if number == 1 and (form := _form(line)) not in ("", EXAMPLE_SCHEMA):
                raise InputError(
                    f"{path} has the form '{form}', and this version reads '{EXAMPLE_SCHEMA}': "
                    "convert it again from its corpus"
                ) from None
            yield Problem(f"{path} record {number}", str(error))
    if waiting is not None:
        yield waiting


def _form(line: bytes) -> str:
    """The schema that a line names; empty for one that is not ours."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ""
    form = value.get("schema") or value.get("format") if isinstance(value, dict) else None
    return form if isinstance(form, str) else ""


def read_lines(path: str) -> Iterator[bytes | TooLong]:
    """The lines of a file; ours may be longer than a user's row, since judgements go with it."""
    try:
        with open_binary(path) as file:
            for line in limited_lines(file, row_limit() + document_limit()):
                if isinstance(line, TooLong) or not line.isspace():
                    yield line
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}: {error}") from None
