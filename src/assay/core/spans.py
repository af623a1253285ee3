"""Places in a text, counted in Unicode code points."""

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
        """Whether the two share at least one character of the same side."""
        return self.side == other.side and self.start < other.end and other.start < self.end
