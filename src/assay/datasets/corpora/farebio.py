"""FaReBio: plain summaries of biomedical articles with the sentences that support them."""

from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Finding
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpora.annotations import (
    FAITHFUL,
    UNFAITHFUL,
    Opinion,
    annotate,
    find_sentences,
    join,
)
from assay.datasets.corpora.raw_files import RawRow, find_tables, read_rows
from assay.datasets.corpus import Card, Protocol, Repairs

CARD = Card(
    name="farebio",
    title="FaReBio: faithfulness and evidence in plain biomedical summaries",
    origin="https://doi.org/10.25919/6v9c-bw57",
    revision="version 1 of 2024-11-01",
    licence="CSIRO Data Access Portal: open for research only",
    taxonomy="binary",
    unit_kind="sentence",
    folder="farebio",
    loader="assay.datasets.corpora.farebio:load",
    paper="Understanding Faithfulness and Reasoning of Large Language Models on Plain Biomedical "
    "Summaries (Findings of EMNLP 2024)",
    protocol=Protocol(
        "sentence", "corpus", stated_in="Revisiting Faithfulness Annotations, section 7"
    ),
    labels="faithful (or 1) and unfaithful (or 0) for each sentence; the supporting sentences of "
    "the article are its evidence. The response is the sentences joined by a space.",
    defects=(
        "the field names of the release are not public in writing: bring the files into the form "
        "that the notes describe",
    ),
    notes="JSON lines, one summary a line: article_id, article (a list of sentences), model, and "
    "sentences with text, label and evidence (numbers of article sentences, from 0). The release "
    "has 25 articles, 7 LLMs, 175 summaries and 1,445 sentences.",
)

_LABELS = {
    1: FAITHFUL,
    0: UNFAITHFUL,
    "faithful": FAITHFUL,
    "unfaithful": UNFAITHFUL,
}


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries; an id is article and model."""
    for path in find_tables(folder, (".jsonl",)):
        for row in read_rows(path):
            article, rows = row.items_of(str, "article"), row.rows("sentences")
            source = join(article, "sentence", " ", str(row["article_id"]))
            sentences = [each.text("text") for each in rows]
            text = " ".join(sentences)
            units = tuple(find_sentences(text, sentences, repairs))
            example = Example(
                id=f"{source.id}/{row['model']}",
                source=source,
                response=Response(text, row["model"]),
                units=units,
                task="summary",
            )
            pairs = zip(units, rows, strict=True)
            yield annotate(example, [_opinion(unit, each, source) for unit, each in pairs])


def _opinion(unit: Unit, row: RawRow, source: Source) -> Opinion:
    label = row.pick(_LABELS, row["label"])
    evidence = tuple(_evidence(row, source))
    return GOLD, Finding(unit, Verdict(unit.id, label, evidence=evidence))


def _evidence(row: RawRow, source: Source) -> Iterator[Span]:
    for number in row.get("evidence") or ():
        if number not in range(len(source.passages)):
            raise InputError(f"{row.path}: the article '{source.id}' has no sentence {number!r}")
        passage = source.passages[number]
        yield Span.cut(source.text, passage.start, passage.end, "source")
