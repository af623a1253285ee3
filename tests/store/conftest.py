"""Stores of both kinds, and judgements to keep in them."""

from collections.abc import Iterator

import pytest

from assay.core.judgements import Author, Judgement, Manifest
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.store.journal import Journal
from assay.store.rows import JournalEntry
from assay.store.runs import RunStore, open_store

AUTHOR = Author("overlap", version="1.0")
MANIFEST = Manifest(
    AUTHOR, "0.2.0", detector="overlap", taxonomy="gray7", dataset="a.jsonl", examples=9
)

TEXT = "It sat. It ate. It ran."
UNITS = tuple(
    Unit.at("sentence", Span.cut(TEXT, start, start + 7, "response"), f"s{number}")
    for number, start in enumerate((0, 8, 16), start=1)
)


def judged(
    position: int, *, failures: int = 0, final: int = 0, round: int = 1, note: str = ""
) -> Judgement:
    """What was said of the three sentences of an example; `final` failures stay as they are."""
    reasons = ["transport"] * failures + ["invalid"] * final
    return Judgement(
        f"ex{position}",
        AUTHOR,
        UNITS,
        tuple(
            Failure(unit.id, "transport" if place < failures else "invalid")
            if place < len(reasons)
            else Verdict(unit.id, GRAY7["explicitly-supported"], note=note)
            for place, unit in enumerate(UNITS)
        ),
        source_characters=12,
        characters_read=12,
        round=round,
        supersedes=f"ex{position}/overlap/{round - 1}" if round > 1 else "",
    )


def entry(position: int, *, failures: int = 0, final: int = 0, attempt: int = 0) -> JournalEntry:
    """The entry of such a judgement; a later attempt makes a later round."""
    said = judged(position, failures=failures, final=final, round=attempt + 1)
    return JournalEntry(position, said, failures, attempt)


@pytest.fixture
def store(runs_at: str) -> RunStore:
    """An empty store: in a folder, and on a server."""
    return open_store(runs_at)


@pytest.fixture
def journal(store: RunStore) -> Iterator[Journal]:
    """A new run."""
    with store.create("a", MANIFEST) as made:
        yield made
