"""QAGS: sentences of CNN/DailyMail and XSum summaries, each judged by three workers."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_sentences,
    opinion,
    person,
    text_id,
    with_majority,
)
from assay.datasets.corpora.raw_files import RawRow, read_rows
from assay.datasets.corpus import Card, Repairs, released

_PINS = {
    "mturk_cnndm.jsonl": "5a6e20201f2c5d5d2489865137987c5d68d04c5b4e84662f99bb03862bb3a575",
    "mturk_xsum.jsonl": "1fb9af32ba64b0df54b26e12456b0b0324a519a85348c1f7b268899ad6269a15",
}

CARD = Card(
    name="qags",
    title="QAGS: crowd judgements of summary sentences",
    origin="https://github.com/W4ngatang/qags",
    revision="47798e9b63344e2d3fb4df2def6edc18e9402d30",
    licence="none stated",
    taxonomy="binary",
    unit_kind="sentence",
    folder="qags",
    files=released(_PINS, "data/"),
    loader="assay.datasets.corpora.qags:load",
    paper="Asking and Answering Questions to Evaluate the Factual Consistency of Summaries "
    "(ACL 2020)",
    labels="yes is faithful, no is unfaithful; three workers and their majority per sentence. The "
    "response is the sentences joined by a space. The task is cnndm or xsum.",
    defects=("summaries are lower-cased except for the first letter of a sentence",),
)

_LABELS = {"yes": FAITHFUL, "no": UNFAITHFUL}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries, with an id from the file and the line."""
    for part in ("cnndm", "xsum"):
        for number, row in enumerate(read_rows(folder / f"mturk_{part}.jsonl")):
            article, judged = row.text("article"), row.rows("summary_sentences")
            sentences = [each.text("sentence") for each in judged]
            text = " ".join(sentences)
            units = tuple(find_sentences(text, sentences, repairs))
            example = Example(
                id=f"{part}-{number}",
                source=Source(article, id=text_id(article)),
                response=Response(text),
                units=units,
                task=part,
            )
            pairs = zip(units, judged, strict=True)
            votes = (_votes(unit, each.rows("responses")) for unit, each in pairs)
            yield annotate(example, (each for few in votes for each in with_majority(few, repairs)))


def _votes(unit: Unit, votes: list[RawRow]) -> list[Opinion]:
    return [
        opinion(
            unit, vote.pick(_LABELS, vote["response"]), by=person(f"worker {vote['worker_id']}")
        )
        for vote in votes
    ]
