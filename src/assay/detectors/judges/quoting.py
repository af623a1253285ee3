"""Quotes that a model says are in the source, found there by the program.

A quote is looked for as it is, then without the marks around the texts of a prompt, which models
copy too, and without regard to white space, spaces around punctuation (some corpora are released
as tokens: `75 , jack`), quotation marks, dashes, case and the closing full stop, and last piece by
piece where an ellipsis leaves something out. Words that stand apart come before those that are a
part of longer ones. Each step takes time in proportion to the length of source and quote.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from assay.core.rendering import read_source
from assay.core.texts import Source, Span
from assay.detectors.combinators.viewing import view_source
from assay.text.json_views import view_json, words_of
from assay.text.views import Edit, View, edited
from assay.text.words import find_inside_words, find_words

_QUOTE_MARK = re.compile('"')
_ELLIPSIS = re.compile(r"\[\.\.\.\]|\(\.\.\.\)|\.\.\.")
_ALIKE = {
    **dict.fromkeys("\"'`´‘’‚‛“”„‟‹›«»′″", "'"),
    **dict.fromkeys("‐‑‒–—―−", "-"),
    "…": "...",
    "\u00ad": "",  # a soft hyphen is not seen
    "\u200b": "",
    "\ufeff": "",
}
_EDGE = " '.,;:"
_MARK = re.compile(r"<<<[^<>\n]{1,80}>{2,3}")
_BETWEEN_WORDS = re.compile(r"[\W_]+")
_IN_NUMBERS = (".", ",", ":")

Find = Callable[..., int]


@dataclass(frozen=True, slots=True)
class Quoted:
    """The places of some quotes, and how many have none."""

    spans: tuple[Span, ...] = ()
    missing: int = 0

    @property
    def note(self) -> str:
        """A remark on quotes that were dropped; empty if none was."""
        if not self.missing:
            return ""
        counted = "1 quote is" if self.missing == 1 else f"{self.missing} quotes are"
        return f"{counted} not in the source."


class Quotable:
    """A source that is searched for quotes; what the search needs is made once."""

    def __init__(self, source: str) -> None:
        self.source = source

    def find(self, quotes: Iterable[str]) -> Quoted:
        """The places of the quotes, in the order given and each place once.

        Empty ones, and marks with nothing between them, are left.
        """
        spans: list[Span] = []
        missing = 0
        for quote in quotes:
            if not _MARK.sub("", quote).strip():
                continue
            found = self._places(quote)
            spans += found
            missing += not found
        return Quoted(tuple(dict.fromkeys(spans)), missing)

    def _places(self, quote: str) -> list[Span]:
        """The place of a quote, or those of its pieces; none if any of them is not there."""
        wanted = quote.strip()
        start = find_words(self.source, wanted)
        if start >= 0:
            return [self._span(start, start + len(wanted))]
        plain = plain_text(_MARK.sub(" ", wanted))[0]
        for find in (find_words, find_inside_words):
            whole = self._find_plain(plain.strip(_EDGE), 0, find)
            if whole:
                return [self._of_plain(*whole)]
        return self._pieces(plain)

    def _pieces(self, plain: str) -> list[Span]:
        """The pieces between ellipses, each after the one before."""
        places: list[Span] = []
        after = 0
        for piece in filter(None, (each.strip(_EDGE) for each in _ELLIPSIS.split(plain))):
            found = self._find_plain(piece, after, find_inside_words)
            if not found:
                return []
            places.append(self._of_plain(*found))
            after = found[1]
        return places

    def _find_plain(self, wanted: str, after: int, find: Find) -> tuple[int, int] | None:
        start = find(self._plain[0], wanted, after) if wanted else -1
        return (start, start + len(wanted)) if start >= 0 else None

    @cached_property
    def _plain(self) -> tuple[str, list[int]]:
        return plain_text(self.source)

    def _of_plain(self, start: int, end: int) -> Span:
        places = self._plain[1]
        return self._span(places[start], places[end - 1] + 1)

    def _span(self, start: int, end: int) -> Span:
        return Span.cut(self.source, start, end, "source")


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
            or self._in_text(self._bare.places(_QUOTE_MARK.sub("", quote)))
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
        marks = (Edit(mark.start(), mark.end()) for mark in _QUOTE_MARK.finditer(view.text))
        return _QuotableView(view.then(edited(view.text, marks)))

    @cached_property
    def _rendered(self) -> View | None:
        """The rendered object at the beginning of the text; None if it is not there."""
        rendered = read_source(json.loads(self._json))
        ways = (View.of(rendered.text), view_source(rendered).view)
        return next((way for way in ways if way and self.source.startswith(way.text)), None)


class _QuotableView(Quotable):
    """A view that is searched for quotes; what it finds are places in the original."""

    def __init__(self, view: View) -> None:
        super().__init__(view.text)
        self.view = view

    def places(self, quote: str) -> list[Span]:
        """The places of a quote in the original."""
        ranges = (self.view.to_original(each.start, each.end) for each in self._places(quote))
        return [Span.cut(self.view.original, *each, "source") for each in ranges]


def plain_text(text: str) -> tuple[str, list[int]]:
    """A text in which equal quotes look equal, and where each of its characters comes from.

    >>> plain_text("At 75 , the  “Cat”…")[0]
    "at 75,the'cat'..."
    """
    pieces: list[str] = []
    places: list[int] = []
    last = ""
    for place, character in enumerate(text):
        piece = " " if character.isspace() else _ALIKE.get(character, character.casefold())
        if piece == last and piece in (" ", "'"):
            continue  # runs of these count as one
        pieces.append(piece)
        places.extend([place] * len(piece))
        last = piece or last
    return _without_spaces("".join(pieces), places)


def _without_spaces(plain: str, places: list[int]) -> tuple[str, list[int]]:
    """The same without spaces beside punctuation; `2. 5` stays apart from `2.5`."""
    kept: list[str] = []
    origins: list[int] = []
    at = 0
    for run in _BETWEEN_WORDS.finditer(plain):
        dropped = _needless(plain, run.start(), run.end()) if " " in run[0] else ()
        for space in dropped:
            kept.append(plain[at:space])
            origins += places[at:space]
            at = space + 1
    kept.append(plain[at:])
    return "".join(kept), origins + places[at:]


def _needless(plain: str, start: int, end: int) -> list[int]:
    """The spaces beside punctuation in what stands between two words."""
    spaces = [place for place in range(start, end) if plain[place] == " "]
    before, after = plain[max(start - 1, 0) : start], plain[end : end + 1]
    if before.isdigit() and after.isdigit() and plain[start:end].strip() in _IN_NUMBERS:
        return spaces[:-1] if plain[end - 1] == " " else []
    return [
        place
        for place in spaces
        if _is_sign(plain[place - 1 : place]) or _is_sign(plain[place + 1 : place + 2])
    ]


def _is_sign(character: str) -> bool:
    """True if it is punctuation or a symbol; the vowel signs of some scripts are neither."""
    return bool(character) and unicodedata.category(character)[0] in "PS"
