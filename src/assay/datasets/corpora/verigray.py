"""VeriGray: sentences of summaries in seven classes, the gray zone included."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.decision import Interpretation
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.cards import Card
from assay.datasets.corpora.building import items, need_texts, some, text_id
from assay.datasets.corpora.quotes import find_quote
from assay.datasets.corpora.reading import need, read_json_lines
from assay.datasets.corpora.tables import find_tables
from assay.datasets.repairs import Repairs

CARD = Card(
    name="verigray",
    title="VeriGray: the gray zone of faithfulness",
    origin="https://huggingface.co/datasets/Ding-Qiang/veri-gray",
    revision="5d65456",
    licence="CC BY-NC-SA 4.0",
    taxonomy="gray7",
    unit_kind="sentence",
    splits=(),
    folder="verigray",
    files=(),
    loader="assay.datasets.corpora.verigray:load",
    paper="The Gray Zone of Faithfulness: Taming Ambiguity in Unfaithfulness Detection "
    "(arXiv 2510.21118)",
    labels="The annotation of a sentence is its label. Several labels are several readings: the "
    "sentence is ambiguous and keeps each as an interpretation.",
    defects=(
        "older names: inconsistent for contradicting, generally-supported for "
        "implicitly-supported, 'not sure' for ambiguous",
        "the authors' code has two orders of the labels and reads an unknown one as no-fact",
    ),
    notes="JSON lines in any file of the folder: question (the document), answer (the summary), "
    "generator, and sentences with text, range [start, end], annotation and, if any, note and "
    "rationale.",
)

_SEPARATORS = re.compile(r"[/|,;:()]|\bor\b")
_OLDER = ("inconsistent", "generally-supported")


def load(folder: Path, repairs: Repairs) -> Iterator[Example]:
    """The summaries, with an id from the line."""
    for path in find_tables(folder, (".jsonl",)):
        for number, row in enumerate(some(read_json_lines(path), path)):
            need_texts(row, ("question", "answer"), path)
            text = row["answer"]
            rows = [need(each, ("text",), path) for each in items(row.get("sentences"), path)]
            units = tuple(_unit(each, text, repairs) for each in rows)
            gold = (
                _gold(unit, each, path, repairs) for unit, each in zip(units, rows, strict=True)
            )
            yield Example(
                id=str(row.get("id", number)),
                source=Source(row["question"], id=text_id(row["question"])),
                response=Response(text, row.get("generator") or ""),
                units=units,
                gold=tuple(verdict for verdict in gold if verdict),
                task="summary",
            )


def _unit(row: dict[str, Any], text: str, repairs: Repairs) -> Unit:
    start, end = (row.get("range") or (None, None))[:2]
    span = find_quote(text, row["text"], (start, end), "response", repairs)
    return Unit.at("sentence", span) if span else Unit("sentence", str(row["text"]))


def _gold(unit: Unit, row: dict[str, Any], path: Path, repairs: Repairs) -> Verdict | None:
    labels = _labels(row.get("annotation") or "", path, repairs)
    if not labels:
        repairs.note("sentence-without-label", "a sentence has no label: it gives no verdict")
        return None
    ambiguous = GRAY7["ambiguous"]
    readings = tuple(label for label in labels if label != ambiguous)
    return Verdict(
        unit,
        labels[0] if len(labels) == 1 else ambiguous,
        note="\n".join(str(row[key]) for key in ("note", "rationale") if row.get(key)),
        interpretations=tuple(map(Interpretation, readings)) if len(labels) > 1 else (),
    )


def _labels(annotation: str, path: Path, repairs: Repairs) -> list[Label]:
    """The labels that an annotation lists, without repetition."""
    names = [name.strip() for name in _SEPARATORS.split(annotation) if name.strip()]
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
