"""FaithBench's batch files: any file of that shape is read, and one can be written.

A batch is one JSON document, `{"samples": [...]}`. `faithbench_annotations` says what becomes of an
annotation. As in the corpus, a summary also has the pooled class by `gold`, and an annotator who
marks something in a quarter of a batch is taken to have looked at all of it. Where that is not so,
a batch that we write says who looked, in the metadata of the sample as `annotators`.

A sample's id is that of the batch, by the name of the file, and its own (`7-12` in `batch_7.json`);
a sample id that is text is taken as it is. Its metadata is kept with the example as `original`, so
that it is written again as it was. Examples that come from elsewhere have their own id as sample
id, and what FaithBench has no field for (question, split, passages) in their metadata as `assay`.
Only what holds now is written: no earlier rounds and no times, which our own JSON lines keep.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from assay.core.codec import encode, read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding
from assay.core.problems import Problem
from assay.core.system.files import replacing
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Verdict
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.corpora.annotations import (
    Opinion,
    annotate,
    find_columns,
    read_outcomes,
    text_id,
)
from assay.datasets.corpora.faithbench_marks import pool, regulars, with_silent
from assay.datasets.corpora.raw_files import read_json
from assay.datasets.corpus import Repairs
from assay.datasets.formats.faithbench_annotations import (
    FORM,
    OURS,
    AnnotationShape,
    Row,
    read_finding,
    write_finding,
)
from assay.datasets.formats.originals import keep, kept, require_shape

_TEXTS = ("source", "summary", "annotations")  # what an example or its judgements hold
_LOOKED = "annotators"
_BATCH = "batch_"  # how the release names its files
_CONSISTENT = Verdict(RESPONSE, FAITHBENCH["consistent"])


class SampleShape(msgspec.Struct):
    """The types of a sample's fields; others are let through."""

    sample_id: int | str
    source: str
    summary: str
    annotations: list[AnnotationShape]
    metadata: dict[str, Any] = {}


def read_faithbench(path: str | Path) -> Iterator[Annotated | Problem]:
    """The samples of a batch; one that cannot be read is a problem with its place."""
    document = read_json(Path(path))
    samples = document.get("samples") if isinstance(document, dict) else None
    if not isinstance(samples, list):
        raise InputError(f"{path} is not a batch of FaithBench: it has no list of samples")
    places = [f"{path} sample {number}" for number in range(1, len(samples) + 1)]
    checked = [_checked(row, where) for row, where in zip(samples, places, strict=True)]
    rows = [row for row in checked if not isinstance(row, Problem)]
    batch = _Batch(Path(path).name.partition(".")[0], rows)
    for row, where in zip(checked, places, strict=True):
        yield row if isinstance(row, Problem) else batch.read(row, where)


def _checked(row: Any, where: str) -> Row | Problem:
    try:
        require_shape(row, SampleShape)
    except InputError as error:
        return Problem(where, error.message)
    checked: Row = row
    return checked


class _Batch:
    """The name and the annotators of a file, which its samples share."""

    def __init__(self, name: str, rows: Sequence[Row]) -> None:
        self._name = name.removeprefix(_BATCH)
        self._split = _split_of(name)
        people = [{_person(each) for each in row["annotations"]} for row in rows]
        names = Counter(name for name, _ in set().union(*people))
        self._shared = {name for name, count in names.items() if count > 1}
        self._known = {each.name: each for some in people for each in map(self._author, some)}
        authors = [set(map(self._author, some)) - {GOLD} for some in people]
        self._regular = regulars([{each.name for each in some} for some in authors])

    def read(self, row: Row, where: str) -> Annotated | Problem:
        """A sample with all that was said about it."""
        try:
            example = self._example(row)
            marks = list(self._marks(row["annotations"], example))
            metadata = row.get("metadata", {})
            names = metadata.get(_LOOKED, self._regular)
            looked = (self._known.get(name, Author(name, "person")) for name in names)
            pooled = () if any(map(_is_settled, marks)) else _pooled(example, marks)
            said = with_silent(example, marks, looked, Repairs())
            outcomes = read_outcomes(
                Unit.response(example.response.text), metadata, find_columns(metadata)
            )
            return annotate(example, (*pooled, *said, *outcomes))
        except InputError as error:
            return Problem(where, error.message)

    def _author(self, person: tuple[str, str]) -> Author:
        """The author of an annotation; people of one name are told apart by their ids."""
        name, id = person
        shown = f"{name} ({id})" if name in self._shared else name
        return Author(shown or id, "person", "" if id == name else id)

    def _marks(self, annotations: list[Row], example: Example) -> Iterator[Opinion]:
        used: set[tuple[Author, str]] = set()
        for number, row in enumerate(annotations, start=1):
            author = self._author(_person(row))
            try:
                if not author.name:
                    raise InputError("nobody is named as its annotator")
                finding = read_finding(number, row, example, author)
                if (author, finding.id) in used:
                    raise InputError(f"its author has another '{finding.id}' here")
            except InputError as error:
                error.prefix(f"annotation {number}")
                raise
            used.add((author, finding.id))
            yield author, finding

    def _example(self, row: Row) -> Example:
        metadata = row.get("metadata", {})
        model = metadata.get("summarizer") or ""
        looked = metadata.get(_LOOKED, [])
        if not isinstance(model, str):
            raise InputError(f"the summarizer must be text, not {type(model).__name__}")
        if not isinstance(looked, list) or not all(isinstance(each, str) for each in looked):
            raise InputError("the annotators in the metadata must be a list of names")
        if isinstance(metadata.get(OURS), dict):
            return _own_example(row, model)
        number = row["sample_id"]
        return Example(
            id=number if isinstance(number, str) else f"{self._name}-{number}",
            source=Source(row["source"], id=text_id(row["source"])),
            response=Response(row["summary"], model),
            split=self._split,
            task="summary",
            original=keep(FORM, {name: row[name] for name in row if name not in _TEXTS}),
        )


def _split_of(name: str) -> str:
    """The split that the samples of a file are, by its name."""
    return name.replace("_", "-") if name.startswith(_BATCH) else name


def batch_name(id: str, split: str, original: str) -> str:
    """The name, without its ending, of the batch that gives an example its id and its split.

    It is empty for an example that comes from no batch.

    >>> batch_name("7-12", "batch-7", '{"faithbench": {"sample_id": 12}}')
    'batch_7'
    """
    number = kept(FORM, original).get("sample_id")
    if number is None:
        return ""
    of_split = (split, _BATCH + split.removeprefix("batch-"))
    name = id.removesuffix(f"-{number}")
    names = of_split if number == id else (name, _BATCH + name)
    return next((each for each in names if each and _split_of(each) == split), "")


def _person(annotation: Row) -> tuple[str, str]:
    """The name and the id of an annotator; either may stand for the other."""
    name, id = (annotation.get(f"annotator_{each}") for each in ("name", "id"))
    return name or "", str(id if id is not None else name or "")


def _own_example(row: Row, model: str) -> Example:
    texts = {"source": row["source"], "response": row["summary"], "model": model}
    line = {"schema": EXAMPLE_SCHEMA, **row["metadata"][OURS], **texts}
    return read_example(encode(line), "the metadata").example


def write_faithbench(rows: Iterable[Annotated], path: str | Path) -> int:
    """Writes a batch; gives how many samples it has. A released batch comes back as it was."""
    given = list(rows)
    numbers = Counter(kept(FORM, each.example.original).get("sample_id") for each in given)
    own_ids = all(count == 1 for number, count in numbers.items() if number is not None)
    samples = [_sample(each, is_released=own_ids) for each in given]
    _number([row for sample in samples for row in sample["annotations"]])
    _say_who_looked(given, samples)
    with replacing(path) as part:
        part.write_text(json.dumps({"samples": samples}, indent=2), encoding="utf-8")
    return len(samples)


def _sample(annotated: Annotated, *, is_released: bool) -> Row:
    """A sample; that of a batch has its own number unless another batch has the same one."""
    example = annotated.example
    original = kept(FORM, example.original)
    metadata = dict(original.get("metadata", {}))
    if example.response.model or "summarizer" in metadata:
        metadata["summarizer"] = example.response.model
    metadata = _predictions(annotated) | metadata
    metadata.pop(_LOOKED, None)
    is_released = is_released and bool(batch_name(example.id, example.split, example.original))
    if not is_released:
        metadata[OURS] = _rest(example)
    sample = {
        "sample_id": original["sample_id"] if is_released else example.id,
        "source": example.source.text,
        "summary": example.response.text,
        "annotations": _annotations(annotated),
        "metadata": metadata,
    }
    others = original if is_released else {}
    return sample | {name: others[name] for name in others if name not in sample}


def _rest(example: Example) -> Row:
    """The fields that FaithBench does not have, by the names of our own lines."""
    line: Row = json.loads(write_example(Annotated(example)))
    return {name: line[name] for name in line if name not in ("schema", "source", "response")}


def _predictions(annotated: Annotated) -> Row:
    """The predictions of detectors on the whole summary that the metadata does not have."""
    metadata = kept(FORM, annotated.example.original).get("metadata", {})
    there = {column.detector for column in find_columns(metadata)}
    found = {}
    for judgement in annotated.recorded:
        finding = judgement.finding(RESPONSE)
        if finding and finding.verdict and judgement.author.name not in there:
            said = finding.verdict
            is_faithful = int(said.leaning == "faithful")
            found[judgement.author.name] = is_faithful if said.score is None else said.score
    return found


def _annotations(annotated: Annotated) -> list[Row]:
    """The marks of everybody, in the order of their numbers."""
    said = [(each.author, finding) for each in annotated.gold for finding in each.findings]
    settled = [each for each in said if _is_settled(each)]
    marks = [each for each in said if not (_is_settled(each) or _found_nothing(each[1]))]
    pooled = [_plain(finding) for _, finding in _pooled(annotated.example, marks)]
    marks += [each for each in settled if _plain(each[1]) not in pooled]
    places = {unit_id("span", number): number for number in range(1, len(marks) + 1)}
    last = len(marks) + 1
    marks.sort(key=lambda each: places.get(each[1].id, last))
    return [
        write_finding(number, finding, annotated.example, author)
        for number, (author, finding) in enumerate(marks, start=1)
    ]


def _is_settled(said: Opinion) -> bool:
    """True if it is the label that the data itself settled on; reading pools it from the marks."""
    author, finding = said
    return author == GOLD and finding.id == RESPONSE


def _pooled(example: Example, marks: Sequence[Opinion]) -> tuple[Opinion, ...]:
    """The worst class that was marked; none where labels are of another taxonomy."""
    menus = {finding.label.taxonomy for _, finding in marks if finding.label}
    whole = Unit.response(example.response.text)
    return (pool(whole, marks),) if menus <= {FAITHBENCH.name} else ()


def _found_nothing(finding: Finding) -> bool:
    return _plain(finding).outcome == _CONSISTENT


def _plain(finding: Finding) -> Finding:
    """The finding as files have it that do not say whether a label follows from marks."""
    verdict = finding.verdict
    if verdict is None or verdict.attributes.from_marks is None:
        return finding
    attributes = replace(verdict.attributes, from_marks=None)
    return replace(finding, outcome=replace(verdict, attributes=attributes))


def _number(annotations: list[Row]) -> None:
    """Gives an id to annotations that have none: numbers that no other has."""
    numbers = [each["annot_id"] for each in annotations if isinstance(each["annot_id"], int)]
    last = max(numbers, default=0)
    for each in annotations:
        if each["annot_id"] is None:
            last += 1
            each["annot_id"] = last


def _say_who_looked(given: list[Annotated], samples: list[Row]) -> None:
    """Names the annotators of a sample where the rule of the corpus would name others."""
    marking, labelling, looking = [], [], []
    for each in given:
        marks = [
            (said.author.name, finding)
            for said in each.gold
            for finding in said.findings
            if said.author != GOLD
        ]
        looking.append({name for name, finding in marks if finding.verdict})
        marks = [(name, finding) for name, finding in marks if not _found_nothing(finding)]
        labelling.append({name for name, finding in marks if finding.verdict})
        marking.append({name for name, _ in marks})
    regular = set(regulars(marking))
    for sample, labelled, looked in zip(samples, labelling, looking, strict=True):
        if looked != labelled | regular:
            sample["metadata"][_LOOKED] = sorted(looked)
