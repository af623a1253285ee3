"""The two texts of an example: the source it must be faithful to, and the response."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A named part of a source: a retrieved passage, or one field of a structured source."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """The grounding text; `passages` are its parts in order, if it came in parts.

    Examples with the same source `id` are about the same text and are resampled together.
    """

    text: str
    passages: tuple[Passage, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """The text to be checked, and the model that wrote it."""

    text: str
    model: str = ""
