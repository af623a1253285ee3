"""Quotes from a structured source, which models read as JSON and detectors point into as text."""

import json
import re
from functools import cached_property

from assay.core.rendering import read_source
from assay.core.spans import Span
from assay.core.texts import Source
from assay.detectors.judges.quoting import Quotable
from assay.detectors.viewing import view_source
from assay.text.json_views import view_json, words_of
from assay.text.views import Edit, View, edited

_MARK = re.compile('"')


def quotable(source: Source) -> Quotable:
    """A source that is searched for what a model quotes from it."""
    return _QuotableObject(source) if source.json else Quotable(source.text)


def as_models_read(span: Span, source: Source) -> str:
    """The words at a place of a source as they stand in what models read of it."""
    if not source.json:
        return span.text
    view = view_json(source.json)
    is_there = view.original[span.start : span.end] == span.text
    return words_of(view, span.start, span.end) if is_there else span.text


class _QuotableObject(Quotable):
    """Looks for a quote in the JSON, then in the text, then in the JSON without quotation marks.

    What it finds are places in the text: the rendered object, or what a reader sees of it, and
    perhaps passages from elsewhere after it.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source.text)
        self._json = source.json

    def _places(self, quote: str) -> list[Span]:
        return (
            self._in_text(self._as_it_is.places(quote))
            or super()._places(quote)
            or self._in_text(self._bare.places(_MARK.sub("", quote)))
        )

    def _in_text(self, places: list[Span]) -> list[Span]:
        """Places in the rendered object as places in the text; none where the text has another."""
        rendered = self._rendered
        if rendered is None:
            return []
        found = (self._trimmed(*rendered.from_original(each.start, each.end)) for each in places)
        return [span for span in found if span.text]

    def _trimmed(self, start: int, end: int) -> Span:
        words = self.source[start:end]
        end -= len(words) - len(words.rstrip())
        return self._span(min(end, start + len(words) - len(words.lstrip())), end)

    @cached_property
    def _as_it_is(self) -> "_QuotableView":
        return _QuotableView(view_json(self._json))

    @cached_property
    def _bare(self) -> "_QuotableView":
        view = self._as_it_is.view
        marks = (Edit(mark.start(), mark.end()) for mark in _MARK.finditer(view.text))
        return _QuotableView(view.then(edited(view.text, marks)))

    @cached_property
    def _rendered(self) -> View | None:
        """How the text shows the rendered object at its beginning; None if it does not."""
        rendered = read_source(json.loads(self._json))
        ways = (View.of(rendered.text), view_source(rendered).view)
        return next((way for way in ways if way and self.source.startswith(way.text)), None)


class _QuotableView(Quotable):
    """A view that is searched for quotes; what it finds are places in the original."""

    def __init__(self, view: View) -> None:
        super().__init__(view.text)
        self.view = view

    def places(self, quote: str) -> list[Span]:
        """Where the original has a quote."""
        ranges = (self.view.to_original(each.start, each.end) for each in self._places(quote))
        return [Span.cut(self.view.original, *each, "source") for each in ranges]
