"""VeriGray: sentences of summaries in seven classes, the gray zone included."""

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from assay.core.decision import Interpretation
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Finding
from assay.core.labels import Label
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.datasets.corpora.annotations import Opinion, annotate, find_quote, place_unit, text_id
from assay.datasets.corpora.raw_files import RawRow, find_tables, items_of, read_rows
from assay.datasets.corpus import Card, File, Protocol, Repairs

_FORM = (
    "JSON lines: question (the document), answer (the summary), generator, and sentences with "
    "text, range [start, end], annotation and, if any, note and rationale."
)


def _card(name: str, title: str, origin: str, **more: Any) -> Card:
    return Card(
        name=name,
        title=title,
        origin=origin,
        licence="CC BY-NC-SA 4.0",
        taxonomy="gray7",
        unit_kind="sentence",
        folder="verigray",
        paper="The Gray Zone of Faithfulness: Taming Ambiguity in Unfaithfulness Detection "
        "(arXiv 2510.21118)",
        protocol=Protocol("sentence", "corpus", "verigray", "VeriGray, section 5.2"),
        labels="The annotation of a sentence is its label. Several labels are several readings: "
        "the sentence is ambiguous and keeps each as an interpretation.",
        defects=(
            "older names: inconsistent for contradicting, generally-supported for "
            "implicitly-supported, 'not sure' for ambiguous",
            "the authors' code has two orders of the labels and reads an unknown one as no-fact",
        ),
        **more,
    )


CARD = _card(
    "verigray",
    "VeriGray: the gray zone of faithfulness",
    "https://huggingface.co/datasets/Ding-Qiang/veri-gray",
    revision="5d65456",
    loader="assay.datasets.corpora.verigray:load",
    notes=f"{_FORM} A version is known by the date in its file's name, as in 20251225.jsonl: the "
    "newest is read and the others are not. Files without a date are parts of one version, whose "
    "lines are numbered through in the order of the files' names.",
)
FIRST = _card(
    "verigray-20251007",
    "VeriGray, its first version, before the labels were revised",
    "https://huggingface.co/datasets/Ding-Qiang/veri-gray-20251007",
    revision="2025-10-07",
    files=(File("20251007.jsonl"),),
    loader="assay.datasets.corpora.verigray:load_first",
    notes=f"{_FORM} Save the first version under this name beside the newer one.",
)

_SEPARATORS = re.compile(r"[/|,;:()]|\bor\b")
_DATE = re.compile(r"20\d{6}")
_OLDER = ("inconsistent", "generally-supported")


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of the newest version, with an id from the line."""
    paths = find_tables(folder, (".jsonl",))
    dates = {path: _date(str(path.relative_to(folder))) for path in paths}
    newest = max(dates.values())
    older = [path for path in paths if dates[path] != newest]
    if older:
        repairs.note("older-version", "a file of an older version is not read", len(older))
    return _read([path for path in paths if path not in older], repairs)


def load_first(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of the version of 2025-10-07."""
    return _read([folder / FIRST.files[0].path], repairs)


def _date(name: str) -> str:
    """The date in the name of a file or its folder, which is that of its version."""
    return max(_DATE.findall(name), default="")


def _read(paths: list[Path], repairs: Repairs) -> Iterator[Annotated]:
    """The summaries of one version; one that two files have raises, for it would count twice."""
    seen: dict[tuple[str, str], Path] = {}
    numbers = count()
    for path in paths:
        for row in read_rows(path):
            if (other := seen.setdefault((row.text("question"), row.text("answer")), path)) != path:
                raise InputError(
                    f"{other.name} and {path.name} in {path.parent} have the same summaries: name "
                    "each version by its date, as in 20251225.jsonl, and the newest is read"
                )
            yield _example(row, next(numbers), repairs)


def _example(row: RawRow, number: int, repairs: Repairs) -> Annotated:
    text, rows = row["answer"], row.rows("sentences")
    units = tuple(_unit(n, each, text, repairs) for n, each in enumerate(rows, start=1))
    opinions = (_opinion(unit, each, repairs) for unit, each in zip(units, rows, strict=True))
    example = Example(
        id=str(row.get("id", number)),
        source=Source(row["question"], id=text_id(row["question"])),
        response=Response(text, row.get("generator") or ""),
        units=units,
        task="summary",
    )
    return annotate(example, filter(None, opinions))


def _unit(number: int, row: RawRow, text: str, repairs: Repairs) -> Unit:
    start, end = (row.get("range") or (None, None))[:2]
    span = find_quote(text, row["text"], (start, end), "response", repairs)
    return place_unit("sentence", number, span or str(row["text"]))


def _opinion(unit: Unit, row: RawRow, repairs: Repairs) -> Opinion | None:
    labels = _labels(row.get("annotation"), row.path, repairs)
    if not labels:
        repairs.note("sentence-without-label", "a sentence has no label: it gives no verdict")
        return None
    ambiguous = GRAY7["ambiguous"]
    readings = tuple(label for label in labels if label != ambiguous)
    note, why = (str(row.get(key) or "") for key in ("note", "rationale"))
    verdict = Verdict(
        unit.id,
        labels[0] if len(labels) == 1 else ambiguous,
        note="\n".join(filter(None, (note, why))),
        interpretations=tuple(map(Interpretation, readings)) if len(labels) > 1 else (),
        attributes=Attributes(explanation=why or note),
    )
    return GOLD, Finding(unit, verdict)


def _labels(annotation: Any, path: Path, repairs: Repairs) -> list[Label]:
    """The labels that an annotation lists, as text or as a list, without repetition."""
    said = annotation if isinstance(annotation, list) else [annotation or ""]
    given = (name for each in items_of(str, said, path) for name in _SEPARATORS.split(each))
    names = [name.strip() for name in given if name.strip()]
    return list(dict.fromkeys(_label(name, path, repairs) for name in names))


def _label(name: str, path: Path, repairs: Repairs) -> Label:
    if name.lower() in _OLDER:
        repairs.note("older-label", "a label has its older name")
    if name.lower() == "not sure":
        repairs.note("not-sure", "'not sure' is read as ambiguous")
        return GRAY7["ambiguous"]
    try:
        return GRAY7[name]
    except UnknownNameError as error:
        raise InputError(f"{path}: {error}") from None
