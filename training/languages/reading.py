"""Reads the suite of languages in the shape in which all examples are measured."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.rendering import read_source
from assay.core.texts import Source
from training.measured import Measured

FOLDER = Path(__file__).parent
LANGUAGES = ("de", "fr", "es", "it", "pt", "nl", "pl", "ru", "tr", "zh", "ja", "ar")
ORIGINAL = "en"  # what some were translated from, and what sentences are read across with
FAITHFUL = ("paraphrase", "same-value", "computed")
UNFAITHFUL = (
    "number",
    "date-time",
    "name",
    "role-swap",
    "binding",
    "negation",
    "unit",
    "addition",
    "computed",
    "attribution",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A sentence, its gold and what it tests; `why` says the right value or the calculation."""

    language: str
    label: str
    kind: str
    sentence: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """A source, and what was said about it; `file` is the language that it belongs to."""

    id: str
    file: str
    domain: str
    source_language: str
    source: Source
    cases: tuple[Case, ...]
    cluster: str  # the English original of a translation or of a shared source, else the id

    def is_cross(self, case: Case) -> bool:
        """Whether source and sentence are in different languages."""
        return case.language != self.source_language


def records() -> Iterator[Record]:
    """All sources: the English originals, and then those of each language."""
    originals = {row["id"]: row for row in _rows(ORIGINAL)}
    for language in (ORIGINAL, *LANGUAGES):
        for row in _rows(language):
            original = row.get("source_from", "")
            source = (originals[original] if original else row)["source"]
            yield Record(
                row["id"],
                language,
                row["domain"],
                row["source_language"],
                read_source(source),
                tuple(Case(**case) for case in row["cases"]),
                original or row.get("translated_from", row["id"]),
            )


def languages() -> Iterator[Measured]:
    """One example for each sentence, in the group `languages-de` or `languages-de-cross`."""
    for record in records():
        for number, case in enumerate(record.cases, 1):
            faithful = int(case.label == "faithful")
            yield Measured(
                f"languages-{record.file}" + "-cross" * record.is_cross(case),
                f"{record.id}-{number}",
                record.cluster,
                record.source,
                "",
                (case.sentence,),
                (case.label,),
                (faithful,),
                faithful,
            )


def _rows(language: str) -> Iterator[dict[str, Any]]:
    for line in (FOLDER / f"{language}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
