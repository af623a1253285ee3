"""FaReBio: plain summaries of biomedical articles with the sentences that support them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.spans import Span
from assay.core.texts import Response, Source
from assay.core.verdicts import Verdict
from assay.datasets.cards import Card
from assay.datasets.corpora.building import (
    FAITHFUL,
    UNFAITHFUL,
    find_sentences,
    items,
    items_of,
    join,
    need_texts,
    pick,
)
from assay.datasets.corpora.reading import need
from assay.datasets.corpora.tables import find_tables, read_table
from assay.datasets.repairs import Repairs

CARD = Card(
    name="farebio",
    title="FaReBio: faithfulness and evidence in plain biomedical summaries",
    origin="https://doi.org/10.25919/6v9c-bw57",
    revision="version 1 of 2024-11-01",
    licence="CSIRO Data Access Portal: open for research only",
    taxonomy="binary",
    unit_kind="sentence",
    splits=(),
    folder="farebio",
    files=(),
    loader="assay.datasets.corpora.farebio:load",
    paper="Understanding Faithfulness and Reasoning of Large Language Models on Plain Biomedical "
    "Summaries (Findings of EMNLP 2024)",
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


def load(folder: Path, repairs: Repairs) -> Iterator[Example]:
    """The summaries; an id is article and model."""
    for path in find_tables(folder, (".jsonl",)):
        for row in read_table(path, ("article_id", "article", "model", "sentences")):
            source = join(
                items_of(str, row["article"], path), "sentence", " ", str(row["article_id"])
            )
            rows = [
                need(need_texts(each, ("text",), path), ("label",), path)
                for each in items(row["sentences"], path)
            ]
            text = " ".join(each["text"] for each in rows)
            units = tuple(find_sentences(text, (each["text"] for each in rows), repairs))
            yield Example(
                id=f"{source.id}/{row['model']}",
                source=source,
                response=Response(text, row["model"]),
                units=units,
                gold=tuple(
                    Verdict(
                        unit,
                        pick(_LABELS, each["label"], path),
                        evidence=tuple(_evidence(each, source, path)),
                    )
                    for unit, each in zip(units, rows, strict=True)
                ),
                task="summary",
            )


def _evidence(row: dict[str, Any], source: Source, path: Path) -> Iterator[Span]:
    for number in row.get("evidence") or ():
        if number not in range(len(source.passages)):
            raise InputError(f"{path}: the article '{source.id}' has no sentence {number!r}")
        passage = source.passages[number]
        yield Span.cut(source.text, passage.start, passage.end, "source")
