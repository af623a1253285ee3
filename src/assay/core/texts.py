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

    @property
    def prompt_text(self) -> str:
        """What a language model reads: the JSON of an object, and of anything else its own text."""
        return self.json or self.own_text


@dataclass(frozen=True, slots=True)
class Response:
    """The text to be checked, and the model that wrote it."""

    text: str
    model: str = ""
