"""What a model finds inconsistent: entries of its list, and the verdicts that are made of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.detectors.judges.quoting import Quotable
from assay.detectors.localize.places import Locator
from assay.llm.replies import UnreadableError
from assay.llm.schemas import Schema, array_of, object_of, object_with, one_of, text

UNFAITHFUL = BINARY["unfaithful"]
ENTRIES: Schema = array_of(
    object_of(
        quotes=array_of(text()),
        evidence=array_of(text()),
        description=text(),
        category=one_of(FINAL4.names),
    )
)
# What an entry must have to be read at all.
LEAST: Schema = array_of(object_with(description=text(), category=one_of(FINAL4.names)))


@dataclass(frozen=True, slots=True)
class Finding:
    """One inconsistency in the model's words; its quotes are not looked up yet."""

    description: str
    category: Label
    quotes: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


class Texts:
    """The two texts of an example, searched for what a model quotes from them."""

    def __init__(self, example: Example) -> None:
        self._source = Quotable(example.source.text)
        self._response = Locator(example.response.text)

    def verdict(self, finding: Finding, near: Sequence[Span] = ()) -> Verdict:
        """The verdict on an inconsistency; what it quotes and is not there is told in the note."""
        place = self._response.place(finding.quotes, near)
        quoted = self._source.find(finding.evidence)
        return Verdict(
            Unit("inconsistency", finding.description, place.spans),
            UNFAITHFUL,
            note=" ".join(filter(None, (place.note, quoted.note))),
            evidence=quoted.spans,
            error=finding.category,
        )


def read_findings(entries: Sequence[Mapping[str, Any]]) -> tuple[Finding, ...]:
    """The findings of a list that fits `LEAST`; one that describes nothing raises."""
    return tuple(_finding(entry, number) for number, entry in enumerate(entries, 1))


def example_finding(response: str) -> dict[str, Any]:
    """An entry of the wanted form about a response, for dry runs."""
    return {
        "quotes": [response[:40]],
        "evidence": [],
        "description": "The response says this, and the source does not have it.",
        "category": FINAL4.names[0],
    }


def one_line(words: object) -> str:
    """A text on one line; anything else is none."""
    return " ".join(words.split()) if isinstance(words, str) else ""


def _finding(entry: Mapping[str, Any], number: int) -> Finding:
    description = one_line(entry["description"])
    if not description:
        raise UnreadableError(f"the description of inconsistency {number} is empty")
    category = FINAL4[entry["category"]]
    return Finding(description, category, _quotes(entry, "quotes"), _quotes(entry, "evidence"))


def _quotes(entry: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The quotes of an entry; models also give one text, or null, in the place of a list."""
    value = entry.get(name)
    given = value if isinstance(value, list) else [value]
    return tuple(each for each in given if isinstance(each, str))
