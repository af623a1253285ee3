"""The findings that are made of what a model lists, with their places in both texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.labels import Label
from assay.core.taxonomies import BINARY
from assay.core.texts import Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Failure, Verdict
from assay.detectors.judges.quoting import Quotable, quotable
from assay.detectors.localize.entries import Entry
from assay.detectors.protocol import Capabilities
from assay.text.sentences import response_unit


@dataclass(frozen=True, slots=True)
class Place:
    """The spans that were found, and a remark about words that were not."""

    spans: tuple[Span, ...] = ()
    note: str = ""


class Locator:
    """A response that is searched for quoted words; every span is cut from its text."""

    def __init__(self, response: str) -> None:
        self._response = response
        self._whole = Quotable(response)

    def place(self, quotes: Iterable[str], near: Sequence[Span] = ()) -> Place:
        """The spans of some quotes, in order and without overlaps; first looked for in `near`."""
        given = [quote for quote in quotes if quote.strip()]
        if not given:
            return Place(note="It names no words of the response.")
        found = [self._find(quote, near) for quote in given]
        spans = join_spans((span for each in found for span in each), self._response)
        return Place(spans, _note(missing=sum(not each for each in found), given=len(given)))

    def _find(self, quote: str, near: Sequence[Span]) -> list[Span]:
        """The place of a quote in one of the spans near, or else in the response."""
        for span in near:
            inside = Quotable(span.text).find([quote])
            if not inside.missing:
                return [self._cut(each, span.start) for each in inside.spans]
        return [self._cut(each) for each in self._whole.find([quote]).spans]

    def _cut(self, found: Span, offset: int = 0) -> Span:
        return Span.cut(self._response, offset + found.start, offset + found.end, "response")


def join_spans(spans: Iterable[Span], response: str) -> tuple[Span, ...]:
    """Spans of a response in order; those that overlap become one."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.overlaps(joined[-1]):
            end = max(span.end, joined[-1].end)
            joined[-1] = Span.cut(response, joined[-1].start, end, "response")
        else:
            joined.append(span)
    return tuple(joined)


def _note(*, missing: int, given: int) -> str:
    if not missing:
        return ""
    if missing == given:
        return "The words it quotes are not in the response."
    return f"{missing} of its {given} quotes are not in the response."


CAPABILITIES = Capabilities("response", BINARY, scores=False, asks_model=True, finds_units=True)


@dataclass(frozen=True, slots=True)
class FoundInconsistency:
    """An inconsistency with its places in the response and in the source.

    The note says which quotes were not found, and whether the category is not known.
    """

    description: str
    category: Label | None = None
    spans: tuple[Span, ...] = ()
    evidence: tuple[Span, ...] = ()
    note: str = ""

    def finding(self, number: int) -> Finding:
        """The finding about it, as the one of that number in its response."""
        unit = Unit(unit_id("inconsistency", number), "inconsistency", self.description, self.spans)
        return Finding(
            unit,
            Verdict(
                unit.id,
                BINARY["unfaithful"],
                note=self.note,
                evidence=self.evidence,
                error=self.category,
            ),
        )


class Texts:
    """The two texts of an example, searched for what a model quotes from them."""

    def __init__(self, example: Example) -> None:
        self._source = quotable(example.source)
        self._response = Locator(example.response.text)

    def look_up(self, entry: Entry, near: Sequence[Span] = ()) -> FoundInconsistency:
        """The inconsistency that an entry describes; its words are first looked for in `near`."""
        place = self._response.place(entry.quotes, near)
        quoted = self._source.find(entry.evidence)
        note = " ".join(filter(None, (place.note, quoted.note, entry.note)))
        return FoundInconsistency(
            entry.description, entry.category, place.spans, quoted.spans, note
        )


def conclude(
    example: Example, found: Sequence[FoundInconsistency], note: str = ""
) -> list[Finding]:
    """The response, which any inconsistency makes unfaithful, then each inconsistency once."""
    first: dict[tuple[str, tuple[Span, ...]], FoundInconsistency] = {}
    for each in found:
        first.setdefault((each.description, each.spans), each)
    label = BINARY["unfaithful" if first else "faithful"]
    remarks = (count_of(len(first)), _repeated(len(found) - len(first)), note)
    unit = response_unit(example)
    whole = Finding(unit, Verdict(unit.id, label, note=" ".join(filter(None, remarks))))
    return [whole, *(each.finding(number) for number, each in enumerate(first.values(), 1))]


def conclude_in_part(
    example: Example, found: Sequence[FoundInconsistency], note: str, unchecked: Sequence[Finding]
) -> list[Finding]:
    """The same where some facts were not checked: then finding nothing proves nothing."""
    failures = [each.failure for each in unchecked if each.failure]
    if not failures:
        return conclude(example, found, note)
    first, count = failures[0], len(failures)
    left = f"{count} {'fact was' if count == 1 else 'facts were'} not checked ({first.reason})."
    if found:
        return [*conclude(example, found, f"{left} {note}".strip()), *unchecked]
    unit = response_unit(example)
    detail = f"no inconsistency found, but {left} {first.detail}"
    return [Finding(unit, Failure(unit.id, first.reason, detail, first.raw)), *unchecked]


def count_of(inconsistencies: int) -> str:
    """A number of things, in words.

    >>> count_of(0), count_of(1), count_of(2)
    ('No inconsistency found.', '1 inconsistency found.', '2 inconsistencies found.')
    """
    if inconsistencies < 2:
        return f"{'1' if inconsistencies else 'No'} inconsistency found."
    return f"{inconsistencies} inconsistencies found."


def _repeated(entries: int) -> str:
    """A remark about entries that are the same word for word."""
    if not entries:
        return ""
    return f"{entries} of the model's entries repeat another word for word and are left out."
