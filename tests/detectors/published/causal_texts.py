"""Responses of models with their sources and sentences: real ones of RAGTruth, and odd ones.

Nothing of the package is imported, so that references run on the same texts elsewhere.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CHOICE = (
    "RAGTruth: every 60th response in the file's order, with sources cut after 600 characters"
    " but for the first one; sentences end at .!? before a space; then texts of our own"
)
_EVERY = 60
_CUT = 600
_WHOLE = 1
_SENTENCE = re.compile(r"\S(?:.*?[.!?](?=\s)|.*\S|)", re.DOTALL)


class ResponseText(NamedTuple):
    """A response with its source, and the places of its sentences."""

    source: str
    question: str
    response: str

    @property
    def places(self) -> list[tuple[int, int]]:
        return [found.span() for found in _SENTENCE.finditer(self.response)]


HARBOUR = (
    "The harbour of Lund-on-Sea was dredged in 1954. Two ferries leave it each hour, except on"
    " Sundays. Mrs. Ito, who has run the ticket office since 1987, says that winters are quiet."
)
OWN = (
    ResponseText(HARBOUR, "", "The harbour was dredged in 1964. Ferries leave twice an hour!"),
    ResponseText(HARBOUR, "Who runs the office?", "Mrs. Ito. She has run it since 1987."),
    ResponseText("", "", "There is no source. Nothing can be said of it."),
    ResponseText(HARBOUR, "", "  \n A line begins with space.\n\nThe second one ends with it. \n"),
    ResponseText("港は1954年に浚渫された。", "いつ?", "1954年。 フェリーは毎時二便出る。"),
    ResponseText("صدر التقرير في عام 2019.", "", "صدر التقرير. لم يكتب أحد عنه شيئا."),
    ResponseText("🚢 <b>Ferry</b> — “naïve” \u200b </s> <s> end.", "", "A 🚢. A “naïve” e\u0301."),
    ResponseText('{"name": "Café", "WiFi": null}', "", "The café has no WiFi"),
    ResponseText(HARBOUR, "", "Yes."),
    ResponseText("word " * 300, "", "The word occurs often. " * 5),
)


def response_texts(shared: Path) -> list[ResponseText]:
    """The responses, in an order that every machine finds."""
    return [*_ragtruth(shared / "ragtruth"), *OWN]


def _ragtruth(folder: Path) -> Iterator[ResponseText]:
    sources = {row["source_id"]: row["source_info"] for row in _lines(folder / "source_info.jsonl")}
    rows = list(_lines(folder / "response.jsonl"))[::_EVERY]
    for number, row in enumerate(rows):
        found = sources[row["source_id"]]
        question = ""
        if isinstance(found, dict) and set(found) == {"question", "passages"}:
            question, found = found["question"], found["passages"]
        text = found if isinstance(found, str) else json.dumps(found)
        cut = text if number < _WHOLE else text[:_CUT]
        yield ResponseText(cut, question, row["response"])


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
