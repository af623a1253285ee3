"""SummEdits: consistent summaries, each edited dozens of times, in five of its ten domains."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import FAITHFUL, UNFAITHFUL, annotate, opinion
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, Repairs, released

_FILES = {
    "ectsum": "dc255beb81ff1194b9069dfe03c1f888e0c5357c117e304bb44baaaa381a718b",
    "podcast": "3d6c777190ff1cad633fed48b52856774e078d8a8b78ae00189df7abb506f8dc",
    "sales_email": "8267fffdd318e513bde0f7efbd9226f908f1a5a2944f783902fdd0d6b0b8ccef",
    "samsum": "1d65ca667e646c7cc1cde9e6b35bdf43531eeea9191c692a9ac9ec0aa84eb5b5",
    "scitldr": "b4d359277bafa11587505f0332797266b69c316c713db17376f0d99413e4b350",
}

CARD = Card(
    name="summedits",
    title="SummEdits: edited summaries in five domains",
    origin="https://github.com/salesforce/factualNLG",
    revision="0da1dfa62c783218d26208c1796d3a2605bec745",
    licence="Apache-2.0",
    taxonomy="binary",
    unit_kind="response",
    splits=("evaluation", "test"),
    folder="summedits",
    files=released(
        {f"summedits_{domain}.json": pin for domain, pin in _FILES.items()}, "data/summedits/"
    ),
    loader="assay.datasets.corpora.summedits:load",
    paper="SummEdits: Measuring LLM Ability at Factual Reasoning Through the Lens of "
    "Summarization (EMNLP 2023)",
    labels="1 is faithful, 0 is unfaithful; the kinds of edit are the note. The task of an "
    "example is its domain: the paper reports balanced accuracy per domain.",
    defects=(
        "five of the ten domains",
        "17 to 22 documents per domain, each with dozens of near-identical summaries: resample "
        "documents, not rows",
        "14 rows of scitldr repeat a summary of the same document",
    ),
    may_train=True,
)

_LABELS = {1: FAITHFUL, 0: UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries, domain by domain."""
    for domain in _FILES:
        for row in read_rows(folder / f"summedits_{domain}.json"):
            yield _example(row, domain, repairs)


def _example(row: RawRow, domain: str, repairs: Repairs) -> Annotated:
    label = row.pick(_LABELS, row["label"])
    edits = ", ".join(row.items_of(str, "edit_types"))
    if label is UNFAITHFUL and not edits:
        repairs.note("edit-missing", "an unfaithful summary without a kind of edit: no note")
    if label is FAITHFUL and edits:
        repairs.note("edit-on-faithful", "a kind of edit on a faithful summary is kept as the note")
    example = Example(
        id=row.text("id"),
        source=Source(row.text("doc"), id=row.text("id").rpartition("_")[0]),
        response=Response(row.text("summary")),
        split=row.text("split"),
        task=domain,
    )
    unit = Unit.response(row["summary"])
    gold = opinion(unit, label, note=edits, attributes=Attributes(category=edits))
    return annotate(example, [gold])
