"""Sources to respond to: rows without responses, documents of a folder, the sources of a corpus.

A source is an example whose response is still missing: its text, its id, and its question if it has
one. Whatever they come from, sources that say the same are one, under the first id that they have.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.core.rendering import read_source
from assay.core.system.lines import decode, read_whole
from assay.core.texts import Response, Source
from assay.datasets.corpus import corpus_names
from assay.datasets.encodings import open_binary
from assay.datasets.fields import Columns
from assay.datasets.files import read_rows
from assay.datasets.formats.detection import form_of
from assay.datasets.rows import check_source, try_row
from assay.datasets.selection import MOST_PROBLEMS, DataChoice, choose

DOCUMENTS = (".txt", ".md", ".json")
_OBJECT = "{"


@dataclass(frozen=True, slots=True)
class ChosenSources:
    """The chosen sources, how many there are in all, and what was left out, in words."""

    chosen: tuple[Example, ...]
    count: int
    notices: tuple[str, ...] = ()


def load_sources(choice: DataChoice) -> ChosenSources:
    """The sources of a corpus, a file or a folder of documents; what cannot be read raises."""
    notices: list[str] = []
    if Path(choice.target).is_dir() and choice.target not in corpus_names() and _is_plain(choice):
        given = _usable(_documents(Path(choice.target), notices))
    elif choice.target not in corpus_names() and _is_rows(choice.target):
        given = _usable(_rows(choice))
    else:
        given = (source_of(each) for each in choice.examples())
    found = _distinct(given, notices)
    if not found:
        problem = "; ".join((f"{choice.target} has no sources", *notices))
        raise InputError(problem, field="sources")
    seed = choice.seed or 0
    return ChosenSources(tuple(choose(found, choice.sample, seed)), len(found), tuple(notices))


def is_structured(source: Source) -> bool:
    """True if a source was given as an object, of which every field is a line of its own."""
    if source.json or len(source.passages) < 2:
        return bool(source.json)
    ends = [each.end for each in source.passages]
    starts = [each.start for each in source.passages]
    are_lines = all(start == end + 1 for end, start in zip(ends, starts[1:], strict=False))
    first = source.text[: ends[0]].partition("\n")[0]
    return are_lines and ": " in first and not source.passages[0].name.startswith("passage ")


def structured(example: Example) -> Example:
    """The source as an object: as it is, or read from text that is JSON; any other raises."""
    if is_structured(example.source):
        return example
    if example.source.text.lstrip().startswith(_OBJECT):
        try:
            value = json.loads(example.source.text)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and value:
            return replace(example, source=replace(read_source(value), id=example.source.id))
    raise InputError(
        f"the source '{example.id}' is not a JSON object, and an overview is written from one",
        code="not-json",
        field="task",
    )


def _is_plain(choice: DataChoice) -> bool:
    try:
        form_of(choice.target)
    except InputError:
        return True
    return False


def _is_rows(target: str) -> bool:
    return target == "-" or form_of(target) == "plain"


def _rows(choice: DataChoice) -> Iterator[Example | Problem]:
    if choice.target != "-" and "." not in Path(choice.target).name:
        yield from (source_of(each) for each in choice.examples())  # which says what is wrong
        return
    columns = replace(choice.columns, required=("source",), keeps_all=True)
    for number, (where, row) in enumerate(read_rows(choice.target, columns), start=1):
        if isinstance(row, Problem):
            yield row
            continue
        read = try_row(row, where, number, columns, choice.language)
        if isinstance(read, Problem):
            yield read
        else:
            example = replace(read.example, task=_text(row, "task"))
            yield _named(example, example.source.id or read.id)


def _text(row: Mapping[str, object], name: str) -> str:
    """A field of a row that is a word or a number; empty where it is anything else."""
    value = row.get(name)
    return str(value).strip() if isinstance(value, str | int) else ""


def source_of(annotated: Annotated) -> Example:
    """The source of an example, as if nobody had responded to it yet."""
    example = annotated.example
    bare = replace(example, response=Response(""), units=(), original="")
    return _named(bare, example.source.id or example.id)


def _named(example: Example, id: str) -> Example:
    return replace(example, id=id, source=replace(example.source, id=id))


def _documents(folder: Path, notices: list[str]) -> Iterator[Example | Problem]:
    """The files of a folder and of those below it, by name; what is hidden is left out."""
    root, others = Path(os.path.realpath(folder)), list[str]()
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        if path.suffix.lower() not in DOCUMENTS:
            others.append(name)
        elif not Path(os.path.realpath(path)).is_relative_to(root):
            yield Problem(name, "it is a link out of the folder")
        else:
            try:
                yield _document(path, name)
            except InputError as error:
                yield Problem(name, error.message)
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        shown = ", ".join(others[:3])
        notices.append(f"left out, since only {', '.join(DOCUMENTS)} are read: {shown}{more}")


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield from (Path(place, name) for name in sorted(names) if not name.startswith("."))


def _document(path: Path, name: str) -> Example:
    if not path.is_file():
        raise InputError("it is not a regular file")
    with open_binary(str(path)) as file:
        text = decode(read_whole(file, name), "it")
    id = name.removesuffix(path.suffix)
    if path.suffix.lower() != ".json":
        return Example(id, replace(check_source(Source(text)), id=id), Response(""))
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"it is not JSON: {error}") from None
    if not isinstance(value, dict | list) or not value:
        raise InputError("it holds no JSON object")
    row = value if isinstance(value, dict) else {"source": value}
    if Columns().find("source", row) is None:
        row = {"source": value}
    read = try_row(row, name, id, Columns(required=("source",)))
    if isinstance(read, Problem):
        raise InputError(read.message)
    return _named(replace(read.example, task=_text(row, "task")), read.id)


def _usable(rows: Iterable[Example | Problem]) -> Iterator[Example]:
    """The sources; what is wrong with the first few bad ones is raised together."""
    problems: list[Problem] = []
    for row in rows:
        if isinstance(row, Problem):
            problems.append(row)
            if len(problems) == MOST_PROBLEMS:
                break
        else:
            yield row
    if problems:
        lines = "\n  ".join(map(str, problems))
        head = "" if len(problems) == 1 else "these sources cannot be used:\n  "
        fields = {each.field for each in problems} - {""}
        raise InputError(f"{head}{lines}", code="bad-rows", field="".join(fields))


def _distinct(sources: Iterable[Example], notices: list[str]) -> list[Example]:
    """Every source once; one id for two different sources raises."""
    repeated: list[str] = []
    known: dict[tuple[str, str], Example] = {}
    taken: dict[str, Example] = {}
    for each in sources:
        key = (each.source.text, each.question)
        if key in known:
            if each.id != known[key].id:
                repeated.append(f"'{each.id}' is '{known[key].id}'")
            continue
        if each.id in taken:
            what = "question" if taken[each.id].source.text == each.source.text else "source"
            raise InputError(
                f"the id '{each.id}' appears twice, with another {what} each time; responses are "
                "kept by the id of their source",
                code="id-twice",
                field="sources",
            )
        known[key] = taken[each.id] = each
    if repeated:
        more = f" and {len(repeated) - 3} more" if len(repeated) > 3 else ""
        notices.append(
            f"the same source under two ids, taken once: {', '.join(repeated[:3])}{more}"
        )
    return list(known.values())
