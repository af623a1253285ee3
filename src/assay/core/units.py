"""Units that can be judged: a response, or a part of it. Each has an id within its example."""

from dataclasses import dataclass
from typing import Literal

from assay.core.texts import Span

UnitKind = Literal["response", "sentence", "claim", "relation", "span", "inconsistency"]

RESPONSE = "response"  # the id of the unit that is the whole response

# How the ids of units begin: the third sentence is `s3`, its first claim `s3.c1`.
_LETTERS: dict[UnitKind, str] = {
    "sentence": "s",
    "claim": "c",
    "relation": "r",
    "span": "p",
    "inconsistency": "i",
}


@dataclass(frozen=True, slots=True)
class Link:
    """The ends of a relation: two claims, by their ids, and the words that link them, if any."""

    name: str
    first: str
    second: str
    cue: Span | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """Anything judgeable; `text` is its wording and `spans` where the response says it.

    The wording of an inconsistency is its description: what is wrong, in words. `parent` is the id
    of the unit that it is a part of; without one it is a part of the response. A relation has a
    `link`: both claims may be true and the link between them invented.
    """

    id: str
    kind: UnitKind
    text: str
    spans: tuple[Span, ...] = ()
    parent: str = ""
    link: Link | None = None

    @classmethod
    def at(cls, kind: UnitKind, span: Span, id: str, parent: str = "") -> "Unit":
        """The unit that is exactly one span."""
        return cls(id, kind, span.text, (span,), parent)

    @classmethod
    def response(cls, text: str) -> "Unit":
        """The unit that is a whole response."""
        return cls.at("response", Span.cut(text, 0, len(text), "response"), RESPONSE)

    @property
    def start(self) -> int | None:
        """The start of its first span; None without spans."""
        return self.spans[0].start if self.spans else None

    @property
    def end(self) -> int | None:
        """The end of its last span; None without spans."""
        return self.spans[-1].end if self.spans else None


def unit_id(kind: UnitKind, number: int, parent: str = "") -> str:
    """The id of the unit with that number, from 1, among those of its kind and parent.

    >>> unit_id("claim", 1, parent=unit_id("sentence", 3))
    's3.c1'
    """
    if kind == "response":
        return RESPONSE
    own = f"{_LETTERS[kind]}{number}"
    return f"{parent}.{own}" if parent else own
