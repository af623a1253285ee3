"""The hallucination leaderboard's summaries of 68 LLMs with recorded detectors, without gold."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.datasets.corpora.annotations import (
    ASKS,
    RecordedColumn,
    annotate,
    find_columns,
    read_outcomes,
)
from assay.datasets.corpora.raw_files import read_rows
from assay.datasets.corpus import Card, File, Repairs

CARD = Card(
    name="leaderboard",
    title="Summaries of the hallucination leaderboard with recorded detectors",
    origin="https://github.com/forrestbao/FaithBench",
    revision="0497b6db9c3c52bc9aabb0cd046e8ac815edbd13",
    licence="none stated",
    taxonomy="binary",
    unit_kind="response",
    folder="leaderboard_summaries",
    files=(File("sources.jsonl.gz"), File("summaries.jsonl.gz")),
    loader="assay.datasets.corpora.leaderboard:load",
    has_gold=False,
    labels="No gold. HHEM gives scores, the other detectors decide; the GPT judges and MiniCheck "
    "were run on the summaries of 8 models only.",
    defects=(
        "303 summaries are null: skipped, as the leaderboard does",
        "the summaries of Claude 3 Sonnet and most of Claude 3 Opus are printed Python objects; "
        "the detectors were run on these",
        "true-nli is missing for 220 summaries and unreadable for 4",
        "ten older models cover only 831 of the 1,006 articles; refusals are included; some "
        "articles are near-duplicates",
    ),
    asks=ASKS,
    notes="Converted from one CSV for each model (backup_data_with_detector_results/).",
)

_PRINTED = re.compile(r"\[ContentBlock\(text=(.*), type='text'\)\]", re.DOTALL)


def load(folder: Path, repairs: Repairs) -> Iterator[Annotated]:
    """The summaries that exist; an id is model and source."""
    rows = read_rows(folder / "sources.jsonl.gz")
    sources = {str(row["id"]): Source(row.text("text"), id=str(row["id"])) for row in rows}
    columns: dict[tuple[str, ...], tuple[RecordedColumn, ...]] = {}
    for row in read_rows(folder / "summaries.jsonl.gz"):
        if row["summary"] is None:
            repairs.note("null-summary", "a summary is null: it is skipped")
            continue
        if not isinstance(row["summary"], str) or str(row["source_id"]) not in sources:
            raise InputError(
                f"{row.path}: source '{row['source_id']}' is not known, or its summary no text"
            )
        names = tuple(row)
        if names not in columns:
            columns[names] = find_columns(names)
        text = _unprint(row["summary"], repairs)
        example = Example(
            id=f"{row['model']}/{row['source_id']}",
            source=sources[str(row["source_id"])],
            response=Response(text, row["model"]),
            task="summary",
        )
        yield annotate(example, read_outcomes(Unit.response(text), row, columns[names]))


def _unprint(text: str, repairs: Repairs) -> str:
    """The text inside a printed Python object; any other text as it is."""
    if text == "[]":
        repairs.note("empty-printed-object", "a summary is a printed empty list: kept as it is")
    printed = _PRINTED.fullmatch(text)
    if not printed:
        return text
    try:
        inside = str(ast.literal_eval(printed[1]))
    except (SyntaxError, ValueError):
        return text
    repairs.note("printed-object", "a summary is a printed Python object: its text is taken")
    return inside
