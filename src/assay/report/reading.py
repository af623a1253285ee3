"""What a reader sees of the texts on a page, so that the page compares and shows no markup."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from assay.core.examples import Example
from assay.core.spans import Span
from assay.text.markup import is_html, visible
from assay.text.views import View

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Edit:
    """A range of a source of which a reader sees something else, or nothing."""

    start: int
    end: int
    seen: str


class Reading:
    """Both texts of an example as a reader sees them, passage by passage."""

    def __init__(self, example: Example) -> None:
        self._source = example.source.text
        self._response = example.response.text
        own = len(example.source.own_text) if example.source.outside else len(self._source)
        parts = [(each.start, each.end) for each in example.source.passages] or [(0, own)]
        overlap = any(start < end for (_, end), (start, _) in pairwise(parts))
        self._parts = [(0, own)] if overlap else parts

    @cached_property
    def edits(self) -> tuple[Edit, ...]:
        """Where HTML in the source is not what a reader sees; other texts are shown as written."""
        return tuple(
            Edit(start + each.start, start + each.end, each.seen)
            for start, end in self._parts
            if is_html(part := self._source[start:end])
            for each in _edits(visible(part))
        )

    @property
    def characters(self) -> int:
        """How many characters of the source are seen."""
        hidden = sum(each.end - each.start - len(each.seen) for each in self.edits)
        return len(self._source) - hidden

    def passage(self, span: Span) -> str:
        """What is seen of evidence."""
        for start, end in self._parts if span.side == "source" else ():
            if start <= span.start < span.end <= end:
                view = visible(self._source[start:end])
                return view.text[slice(*view.from_original(span.start - start, span.end - start))]
        return span.text

    def quote(self, span: Span) -> str:
        """The evidence as the page shows it."""
        at = bisect_right(self.edits, span.start, key=lambda each: each.end)
        is_marked = at < len(self.edits) and self.edits[at].start < span.end
        return self.passage(span) if is_marked else span.text

    def sentence(self, text: str, spans: Sequence[Span]) -> tuple[View, Range]:
        """The view in which a unit is seen, and where in it."""
        if len(spans) == 1 and spans[0].text == text:
            view = visible(self._response)
            return view, view.from_original(spans[0].start, spans[0].end)
        view = visible(text)
        return view, (0, len(view.text))


def _edits(view: View) -> Iterator[Edit]:
    """The ranges of a text that a view changes; together with all others they are the text."""
    position = end = 0
    seen: list[str] = []
    for character, start, stop in zip(view.text, view.starts, view.ends, strict=True):
        is_kept = start >= end and view.original[start:stop] == character
        if is_kept and (start > position or not seen):
            if start > position:
                yield Edit(position, start, "".join(seen))
            position, seen = stop, []
        else:  # also a character that something was inserted before
            seen.append(character)
        end = max(end, stop)
    if position < len(view.original):
        yield Edit(position, len(view.original), "".join(seen))


def snapped(place: Range, edits: Sequence[Edit]) -> Range:
    """A range that cuts no edit in two."""
    start, end = place
    at = bisect_right(edits, start, key=lambda each: each.end)
    if at < len(edits) and edits[at].start < start:
        start = edits[at].start
    at = bisect_left(edits, end, key=lambda each: each.end)
    if at < len(edits) and edits[at].start < end:
        end = edits[at].end
    return start, end
