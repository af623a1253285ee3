"""Features of a server that judges can use: JSON schemas, probabilities, a cache of beginnings."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.llm.client import Message, Reply, Request
from assay.llm.servers.timing import FigureSpread, TimedCall, known_share

Works = Literal["yes", "no", "unclear"]

# Nothing in the questions asks for JSON: only a server that keeps to the schema sends it.
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"colour": {"enum": ["red", "blue"]}, "sure": {"enum": ["yes", "no"]}},
    "required": ["colour", "sure"],
    "additionalProperties": False,
}
_TOPICS = ("the sea", "a morning in a market")
_ALTERNATIVES = 5
_FASTER, _AS_SLOW = 0.8, 0.9  # of the time of a new source


def schema_questions() -> list[Request]:
    """BenchQuestions whose replies have a schema."""
    texts = (f"Write one sentence about {topic}." for topic in _TOPICS)
    return [Request((Message("user", text),), schema=_SCHEMA, reply_tokens=20) for text in texts]


def keeps_to_schema(reply: Reply) -> bool:
    """True if a reply has the fields and values of the schema, and nothing else."""
    try:
        value = json.loads(reply.text)
    except ValueError:
        return False
    fields = _SCHEMA["properties"]
    return (
        isinstance(value, dict)
        and value.keys() == fields.keys()
        and all(value[name] in fields[name]["enum"] for name in fields)
    )


def probability_question() -> Request:
    """A question with the probabilities of its tokens."""
    return Request(
        (Message("user", "Is the sky blue? Answer with one word."),),
        reply_tokens=4,
        alternatives=_ALTERNATIVES,
        probabilities=True,
    )


@dataclass(frozen=True, slots=True)
class Features:
    """The replies that kept to a schema, of those that should; and probabilities of tokens.

    `alternatives` is how many other tokens came with them, of 5. What was not answered is not
    counted. `adaptations` are settings that the server rejects.
    """

    schemas_kept: int = 0
    schemas_answered: int = 0
    probabilities: bool | None = None
    alternatives: int = 0
    adaptations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PrefixCache:
    """Pairs of calls of one token each: about a new source, and then another response to it.

    A reply of one token takes about as long as the first token of any reply.
    """

    pairs: tuple[tuple[TimedCall, TimedCall], ...]

    @property
    def ratio(self) -> FigureSpread | None:
        """The time about a source that was just read, as a share of that about a new one."""
        return FigureSpread.of(again.seconds / new.seconds for new, again in self.pairs)

    @property
    def known_new(self) -> FigureSpread | None:
        """The share of the prompt that the server says it had, with a new source."""
        return known_share(new for new, _ in self.pairs)

    @property
    def known_again(self) -> FigureSpread | None:
        """The same with a source that was just read."""
        return known_share(again for _, again in self.pairs)

    @property
    def works(self) -> Works:
        """By the tokens that the server counts where it does, otherwise by the time."""
        if not self.pairs or self.ratio is None:
            return "unclear"
        counts = [(new.known, again.known) for new, again in self.pairs]
        told = [(new, again) for new, again in counts if new is not None and again is not None]
        if len(told) == len(counts) and any(again for _, again in told):
            return "yes" if all(again > new for new, again in told) else "unclear"
        if self.ratio.median <= _FASTER and self.ratio.high < 1:
            return "yes"
        return "no" if self.ratio.median > _AS_SLOW else "unclear"
