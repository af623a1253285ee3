"""The two texts of an example, the source and the response, and places in them.

Places are counted in Unicode code points.
"""

from dataclasses import dataclass
from typing import Literal

from assay.core.errors import SpanError

Side = Literal["source", "response"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of one side, with the text it quotes."""

    side: Side
    start: int
    end: int
    text: str

    @classmethod
    def cut(cls, whole: str, start: int, end: int, side: Side) -> "Span":
        """The span of `whole[start:end]`.

        >>> Span.cut("Héllo 😀!", 6, 7, "response").text
        '😀'
        """
        if not 0 <= start <= end <= len(whole):
            raise SpanError(f"span {start}:{end} does not fit a text of {len(whole)} characters")
        return cls(side, start, end, whole[start:end])

    def verify(self, whole: str) -> "Span":
        """Itself, if `whole[start:end]` is the quoted text; otherwise raises."""
        found = Span.cut(whole, self.start, self.end, self.side).text
        if found != self.text:
            raise SpanError(
                f"{self.side}[{self.start}:{self.end}] reads {found[:60]!r}, not {self.text[:60]!r}"
            )
        return self

    def overlaps(self, other: "Span") -> bool:
        """True if the two share at least one character of the same side."""
        return self.side == other.side and self.start < other.end and other.start < self.end


def shortened(text: str, most: int) -> str:
    """The text on one line, its end left out where it is longer than that.

    >>> shortened("Ada was\\nborn in 1852.", 12)
    'Ada was bor…'
    """
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"


@dataclass(frozen=True, slots=True)
class Passage:
    """A named part of a source: a retrieved passage, or one field of a structured source."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """The grounding text; `passages` are its parts in order, if it came in parts.

    Examples with the same source `id` are about the same text and are resampled together. `outside`
    are parts at the end of the text that were looked up elsewhere and do not belong to the source.
    `json` is the object that the text was rendered from, if it was: its fields are the passages.
    """

    text: str
    passages: tuple[Passage, ...] = ()
    id: str = ""
    outside: tuple[Passage, ...] = ()
    json: str = ""

    @property
    def own_text(self) -> str:
        """The text without what was looked up elsewhere."""
        return self.text[: self.outside[0].start].rstrip() if self.outside else self.text

    def passage_at(self, place: int) -> str:
        """The name of the passage at a place; empty where the source is one text, or an object.

        >>> Source("One. Two.", (Passage("a", 0, 4), Passage("b", 5, 9))).passage_at(5)
        'b'
        """
        if self.json or len(self.passages) < 2:
            return ""
        found = (each.name for each in self.passages if each.start <= place < each.end)
        return next(found, "")

    @property
    def prompt_text(self) -> str:
        """The text for a language model: the JSON of an object, otherwise its own text."""
        return self.json or self.own_text


@dataclass(frozen=True, slots=True)
class Response:
    """The text to be checked, and the model that wrote it."""

    text: str
    model: str = ""
