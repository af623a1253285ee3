"""What can be judged: a response, or a part of it."""

from dataclasses import dataclass
from typing import Literal

from assay.core.spans import Span

UnitKind = Literal["response", "sentence", "claim", "relation", "span", "inconsistency"]


@dataclass(frozen=True, slots=True)
class Unit:
    """Anything judgeable; `text` is its wording and `spans` where the response says it.

    The wording of an inconsistency is its description: what is wrong, in words.
    """

    kind: UnitKind
    text: str
    spans: tuple[Span, ...] = ()

    @classmethod
    def at(cls, kind: UnitKind, span: Span) -> "Unit":
        """The unit that is exactly one span."""
        return cls(kind, span.text, (span,))

    @property
    def start(self) -> int | None:
        """Where its first span begins, or None when it has no span."""
        return self.spans[0].start if self.spans else None

    @property
    def end(self) -> int | None:
        """Where its last span ends, or None when it has no span."""
        return self.spans[-1].end if self.spans else None


@dataclass(frozen=True, slots=True)
class Relation(Unit):
    """A link between two claims, judged on its own: both may be true and the link invented."""

    name: str = ""
    first: Unit | None = None
    second: Unit | None = None
    cue: Span | None = None
