"""Where in the response the words are that a model calls wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.core.spans import Span
from assay.detectors.judges.quoting import Quotable


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
        spans = _joined([span for each in found for span in each], self._response)
        return Place(spans, _note(missing=sum(not each for each in found), given=len(given)))

    def _find(self, quote: str, near: Sequence[Span]) -> list[Span]:
        """Where a quote is in one of the spans near, or else in the response."""
        for span in near:
            inside = Quotable(span.text).find([quote])
            if not inside.missing:
                return [self._cut(each, span.start) for each in inside.spans]
        return [self._cut(each) for each in self._whole.find([quote]).spans]

    def _cut(self, found: Span, offset: int = 0) -> Span:
        return Span.cut(self._response, offset + found.start, offset + found.end, "response")


def _joined(spans: list[Span], response: str) -> tuple[Span, ...]:
    """The spans in order; those that overlap become one."""
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
