"""Examples as files: lines of JSON that hold everything, or flat tables with one label a row.

Reading the lines back gives equal examples. Their plain fields (`source`, `response`, `question`,
`model`, `id`) are those that every command reads.

Between the examples of an annotation project stand lines that tell annotators from later people.
Reviewers and adjudicators have seen what annotators said. What they say settles the label of an
item and is no annotation: in the examples that are read, the label that the project settled on
supersedes it, as a revision does after an audit.
"""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import msgspec

from assay.core.codec import read_example, write_example
from assay.core.errors import InputError, MissingExtraError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement, current
from assay.core.problems import Problem
from assay.core.system.files import replacing
from assay.core.system.formulas import write_table
from assay.core.system.lines import TooLong, document_limit, limited_lines, row_limit
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.encodings import open_binary

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


# The label of a whole response, and where it comes from.
Labelling = Callable[[Annotated], tuple[str, str]]
Row = dict[str, str]

FLAT = ("id", "source", "response", "question", "model", "label", "label_from", "split", "task")
_LINES = (".jsonl", ".jsonl.gz")
_OLDER = "assay-example-1"  # the form that version 0.1 wrote
_ANY_VERSION = EXAMPLE_SCHEMA.rpartition(":")[0] + ":"
# An annotation project has lines of its own between its examples, and begins with one.
PROJECT_SCHEMA = "urn:assay:project:1"
_ANY_PROJECT = PROJECT_SCHEMA.rpartition(":")[0] + ":"
PROJECT_LINE = re.compile(rb'\{"schema": ?"urn:assay:project[:-]')
_BATCH = 1_000


def convert(examples: Iterable[Annotated], target: str, labelling: Labelling) -> int:
    """Writes examples to a file whose name says its form; gives how many there were."""
    endings = (*_LINES, ".csv", ".parquet")
    if not target.endswith(endings):
        raise InputError(
            f"cannot tell what {target} should be: end its name in {_or(endings)}", field="to"
        )
    with replacing(target) as part:
        if target.endswith(_LINES):
            return _write_lines(examples, part, packed=target.endswith(".gz"))
        rows = (_row(each, labelling) for each in examples)
        if target.endswith(".csv"):
            return write_table(rows, FLAT, part)
        return _write_parquet(rows, part)


def is_converted(path: str) -> bool:
    """True if a file is one that `convert` wrote as lines, in whatever version."""
    if not path.endswith(_LINES) or not Path(path).is_file():  # a pipe can be read only once
        return False
    form = _first_form(path)
    return form == _OLDER or form.startswith((_ANY_VERSION, _ANY_PROJECT))


def project_schema(path: str) -> str:
    """The form of a file that holds an annotation project; empty for any other file."""
    if not path.endswith(_LINES) or not Path(path).is_file():
        return ""
    form = _first_form(path)
    return form if form.startswith(_ANY_PROJECT) else ""


def _first_form(path: str) -> str:
    try:
        line = next(read_lines(path), b"")
    except InputError:  # whoever reads the file says what is wrong
        return ""
    return "" if isinstance(line, TooLong) else _form(line)


def read_converted(path: str) -> Iterator[Annotated | Problem]:
    """The examples in lines that `convert` wrote; a damaged one is a problem with its place.

    In a file of a project the line after an example says who annotated it.
    """
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


def _write_lines(examples: Iterable[Annotated], path: Path, *, packed: bool) -> int:
    count = 0
    with gzip.open(path, "wb") if packed else path.open("wb") as file:
        for each in examples:
            file.write(write_example(each) + b"\n")
            count += 1
    return count


def _row(annotated: Annotated, labelling: Labelling) -> Row:
    label, label_from = labelling(annotated)
    example = annotated.example
    row = {
        "id": example.id,
        "source": example.source.text,
        "response": example.response.text,
        "question": example.question,
        "model": example.response.model,
        "label": label,
        "label_from": label_from,
        "split": example.split,
        "task": example.task,
    }
    for name, text in row.items():
        if not text.isascii() and text.encode(errors="replace").decode() != text:
            raise InputError(f"the {name} of '{example.id}' is not text; write it as .jsonl")
    return row


def _write_parquet(rows: Iterable[Row], path: Path) -> int:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("writing Parquet", "parquet") from None
    schema = pyarrow.schema([(name, pyarrow.string()) for name in FLAT])
    count = 0
    with parquet.ParquetWriter(path, schema) as writer:
        for batch in _batches(rows):
            writer.write_table(pyarrow.Table.from_pylist(batch, schema))
            count += len(batch)
    return count


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    remaining = iter(rows)
    while batch := list(islice(remaining, _BATCH)):
        yield batch


def _or(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"
