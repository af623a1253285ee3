"""BUMP: minimal pairs of a reference summary and the same with one unfaithful edit."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Attributes
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    opinion,
    read_score,
)
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, Repairs, released

_PINS = {
    "task1_dataset.json": "419c37fde3408755fa6b639ec35bde0261fba6e3840cad70a74b4af5603c0af3",
    "task2_dataset.json": "b4b03a80a17a5d61f729589f5933f2d90158393b61b1927547b398f63012b47e",
}

CARD = Card(
    name="bump",
    title="BUMP: unfaithful minimal pairs",
    origin="https://github.com/dataminr-ai/BUMP",
    revision="86327f14b9e0c16a364a3793b8a622dc703d22fd",
    licence="MIT",
    taxonomy="binary",
    unit_kind="response",
    folder="bump",
    files=released(_PINS, "data/"),
    loader="assay.datasets.corpora.bump:load",
    paper="BUMP: A Benchmark of Unfaithful Minimal Pairs for Meta-Evaluation of Faithfulness "
    "Metrics (ACL 2023)",
    labels="A pair is two examples whose ids differ in their end: -reference is taken as "
    "faithful, -edited is unfaithful and its note names the error (in task 1 the corrected type, "
    "and the prescribed one where it differs). The metrics' scores are recorded as released: "
    "higher is more faithful, but they are no probabilities.",
    defects=(
        "a reference of task 1 is in seven pairs: compare within pairs",
        "references are taken as faithful without having been judged",
        "BLEU is not on a scale from 0 to 1 and is left out",
    ),
    may_train=True,
)


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """Both members of each pair, the reference first."""
    for task in ("task1", "task2"):
        for row in read_rows(folder / f"{task}_dataset.json"):
            yield _member(row, task, "reference", repairs)
            yield _member(row, task, "edited", repairs)


def _member(row: RawRow, task: str, member: str, repairs: Repairs) -> Annotated:
    text = row.text(f"{member}_summary")
    unit = Unit.response(text)
    example = Example(
        id=f"{task}-{row['id']}-{member}",
        source=Source(row.text("article"), id=str(row["article_id"])),
        response=Response(text),
        task=task,
    )
    gold = (
        opinion(unit, FAITHFUL, note="reference summary")
        if member == "reference"
        else _edited(unit, row)
    )
    return annotate(example, (gold, *_scores(row.row("scores"), unit, member, repairs)))


def _edited(unit: Unit, row: RawRow) -> Opinion:
    prescribed = row.text("error_type")
    found = row.get("corrected_error_type") or prescribed
    note = prescribed if found == prescribed else f"{found} (prescribed: {prescribed})"
    return opinion(unit, UNFAITHFUL, note=note, attributes=Attributes(category=found))


def _scores(scores: RawRow, unit: Unit, member: str, repairs: Repairs) -> Iterator[Opinion]:
    for name, score in scores.items():
        metric, _, of = name.rpartition("_")
        if of != member:
            continue
        if metric == "BLEU":
            repairs.note("bleu-left-out", "BLEU scores are not between 0 and 1: not recorded")
        else:
            yield read_score(unit, score, metric.lower())
