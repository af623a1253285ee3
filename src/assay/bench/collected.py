"""A collected response: an example with how it was asked for, and what is wrong with it, if so.

How a response was made is kept in the example's `original`, under the form `collected`. A reply
that is none, because it is empty or declines, is a failure beside the example: a judgement by
`collect`, of the whole response.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from assay import __version__
from assay.core.examples import Annotated, Example
from assay.core.judgements import COLLECTING, Author, Judgement, utc_now
from assay.core.texts import Response
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, FailureReason
from assay.datasets.formats.originals import keep, kept
from assay.llm.client import Finish, Reply, Setting
from assay.llm.replies import separated
from assay.text.refusals import refusal_of

FORM = "collected"
COLLECT = Author(COLLECTING, "detector", __version__)
# What of a client's description says how replies are made; where it is asked is nobody's business.
_SETTINGS = ("model", "temperature", "max_tokens", "seed", "reasoning_effort")


@dataclass(frozen=True, slots=True)
class Provenance:
    """How a response was made; `kept` if the reply was taken from a journal or a cache.

    `settings` are those of the model, `file` the one that a response made elsewhere comes from.
    """

    task: str
    at: str = ""
    prompt: Mapping[str, str] = field(default_factory=dict)  # its name, version and digest
    settings: Mapping[str, Setting] = field(default_factory=dict)
    finish: Finish | None = None
    thinking: str = ""
    kept: bool = False
    file: str = ""
    adaptations: tuple[str, ...] = ()  # what the server did not take, and what was done instead

    @property
    def way(self) -> tuple[object, ...]:
        """All that must stay the same for a collection to go on."""
        digest = self.prompt.get("digest", "")
        return (self.task, digest, tuple(sorted(self.settings.items())), self.file)

    @property
    def is_truncated(self) -> bool:
        """Whether the reply was cut off."""
        return self.finish == "length"

    def write(self) -> str:
        """The fields as an example keeps them, without those that say nothing."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        told = {name: value for name, value in fields.items() if value}
        return keep(FORM, {name: _plain(value) for name, value in told.items()})


def provenance_of(example: Example) -> Provenance | None:
    """How an example was collected; None for one that was not."""
    fields = kept(FORM, example.original)
    known = {name: fields[name] for name in Provenance.__slots__ if name in fields}
    shapes = {"task": str, "at": str, "prompt": dict, "settings": dict, "file": str}
    if "task" not in known or not all(
        isinstance(known.get(name, kind()), kind) for name, kind in shapes.items()
    ):
        return None  # edited by hand, or of another version
    return Provenance(**known)


def settings_of(described: Mapping[str, Setting]) -> dict[str, Setting]:
    """How a client samples, of all that it says of itself."""
    return {name: described[name] for name in _SETTINGS if described.get(name) is not None}


def response_id(source: str, model: str) -> str:
    """The id of a model's response to a source."""
    return f"{source}/{model}"


def collected(source: Example, model: str, reply: Reply, made: Provenance) -> Annotated:
    """The example of a reply, without the model's thoughts, and what is wrong with it."""
    text, inside = separated(reply.text)
    thoughts = "\n".join(filter(None, (reply.thoughts.strip(), inside)))
    made = replace(
        made, finish=reply.finish, thinking=thoughts, kept=reply.cached, at=made.at or utc_now()
    )
    example = _example(source, model, text or reply.refusal.strip(), made)
    if reply.refusal or reply.finish == "filter":
        detail = reply.refusal.strip() or "the server's content filter stopped the reply"
        return _failed(example, "refused", detail, made.at)
    if not text and made.is_truncated:
        words = f"the reply was cut off at {reply.usage.completion:,} tokens, before its text began"
        return _failed(example, "missing", words, made.at)
    return _examined(example, made.at)


def declined(source: Example, model: str, detail: str, made: Provenance) -> Annotated:
    """The example of a call that the server refused because of what it was about."""
    made = replace(made, at=made.at or utc_now(), finish="filter")
    return _failed(_example(source, model, "", made), "refused", detail, made.at)


def brought(source: Example, model: str, text: str, made: Provenance) -> Annotated:
    """The example of a response that was made elsewhere."""
    text, thoughts = separated(text)
    made = replace(made, thinking=thoughts)
    return _examined(_example(source, model, text, made), made.at)


def _example(source: Example, model: str, text: str, made: Provenance) -> Example:
    return replace(
        source,
        id=response_id(source.id, model),
        response=Response(text, model),
        task=made.task,
        original=made.write(),
    )


def _examined(example: Example, at: str) -> Annotated:
    refusal = refusal_of(example.response.text, example.question)
    if refusal is None:
        return Annotated(example)
    reason: FailureReason = "missing" if refusal.kind == "empty" else "refused"
    return _failed(example, reason, refusal.detail, at)


def _failed(example: Example, reason: FailureReason, detail: str, at: str) -> Annotated:
    unit = Unit.response(example.response.text)
    outcome = Failure(RESPONSE, reason, detail)
    return Annotated(example, (Judgement(example.id, COLLECT, (unit,), (outcome,), at=at),))


def adapted(annotated: Annotated, adaptations: tuple[str, ...]) -> Annotated:
    """The same response with what the server of its model did not take."""
    made = provenance_of(annotated.example)
    if made is None or not adaptations:
        return annotated
    written = replace(made, adaptations=adaptations).write()
    return replace(annotated, example=replace(annotated.example, original=written))


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value
