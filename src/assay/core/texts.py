"""The two texts of an example: the source it must be faithful to, and the response."""

from dataclasses import dataclass


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
    """

    text: str
    passages: tuple[Passage, ...] = ()
    id: str = ""
    outside: tuple[Passage, ...] = ()

    @property
    def own_text(self) -> str:
        """The text without what was looked up elsewhere."""
        return self.text[: self.outside[0].start].rstrip() if self.outside else self.text


@dataclass(frozen=True, slots=True)
class Response:
    """The text to be checked, and the model that wrote it."""

    text: str
    model: str = ""
