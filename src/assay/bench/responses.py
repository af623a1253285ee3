"""Responses of models: asked for here, in a file that was begun before, or made elsewhere.

How a response was made is kept in the example's `original`, under the form `collected`. A reply
that is none, because it is empty or declines, is a failure beside the example: a judgement by
`collect`, of the whole response.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import COLLECTING, Author, Judgement, utc_now
from assay.core.problems import Problem
from assay.core.rendering import SCALARS
from assay.core.system.files import is_file
from assay.core.texts import Response
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, FailureReason
from assay.datasets.conversion import is_converted, read_converted
from assay.datasets.fields import ALIASES, Columns
from assay.datasets.files import read_rows
from assay.datasets.formats.originals import keep, kept
from assay.llm.client import Finish, Reply, Setting
from assay.llm.replies.texts import separated
from assay.text.refusals import refusal_of

FORM = "collected"
COLLECT = Author(COLLECTING, "detector", __version__)
# What of a client's description says how replies are made; where it is asked is nobody's business.
_SETTINGS = ("model", "temperature", "max_tokens", "seed", "reasoning_effort")
_IDS = ("source_id", *ALIASES["id"])
_TEXTS = ("reply", *ALIASES["response"])
_SHOWN = 3  # ids in a message


@dataclass(frozen=True, slots=True)
class Provenance:
    """The making of a response; `kept` if the reply was taken from a journal or a cache.

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
        """True if the reply was cut off."""
        return self.finish == "length"

    def write(self) -> str:
        """The fields as an example keeps them, without those that say nothing."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        told = {name: value for name, value in fields.items() if value}
        return keep(FORM, {name: _plain(value) for name, value in told.items()})


def provenance_of(example: Example) -> Provenance | None:
    """The provenance of an example; None if it was not collected."""
    fields = kept(FORM, example.original)
    known = {name: fields[name] for name in Provenance.__slots__ if name in fields}
    shapes = {"task": str, "at": str, "prompt": dict, "settings": dict, "file": str}
    if "task" not in known or not all(
        isinstance(known.get(name, kind()), kind) for name, kind in shapes.items()
    ):
        return None  # edited by hand, or of another version
    return Provenance(**known)


def settings_of(described: Mapping[str, Setting]) -> dict[str, Setting]:
    """The sampling settings in a client's description."""
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


Found = dict[tuple[str, str], Annotated]  # by source and model


def earlier_responses(path: str, sources: Sequence[Example], models: Sequence[str]) -> Found:
    """The responses in a file, if all of them belong to this collection; otherwise it raises."""
    if not (is_file(path) or Path(path).exists()):
        return {}
    known = {each.id: each for each in sources}
    found: Found = {}
    others: dict[str, int] = {}
    for each in _examples(path):
        model = each.example.response.model
        source = known.get(each.example.source.id)
        if source is None:
            raise _refused(path, f"responses to '{each.example.source.id}', no source of these")
        if (
            source.source.text != each.example.source.text
            or source.question != each.example.question
        ):
            raise _refused(
                path, f"responses to another text or question under the id '{source.id}'"
            )
        if model not in models:
            others[model] = others.get(model, 0) + 1
        found[source.id, model] = each
    if others:
        names = ", ".join(f"'{each}'" for each in others)
        raise _refused(path, f"responses of {names}, which this command does not name")
    return found


def require_same_way(path: str, found: Found, ways: Mapping[tuple[str, str], Provenance]) -> None:
    """Raises where a response was asked for in another way than it would be asked for now.

    `ways` has, by task and model, how that is done now.
    """
    for (source, model), each in found.items():
        made = provenance_of(each.example)
        now = ways.get((each.example.task, model))
        if made is None or made.file:
            continue
        if now is None:
            raise _refused(path, f"a response of '{model}' to '{source}' under another task")
        if made.way != now.way:
            raise _refused(
                path, f"responses of '{model}' made in another way: {_change(made, now)}"
            )


def _examples(path: str) -> Iterator[Annotated]:
    if Path(path).is_file() and not Path(path).stat().st_size:
        return
    if not is_converted(path):
        raise _refused(path, "something else than collected responses")
    for each in read_converted(path):
        if isinstance(each, Problem):
            raise InputError(str(each), field="out")
        if provenance_of(each.example) is None:
            raise _refused(path, f"'{each.id}', which was not collected")
        said = {who.author.name for who in each.judgements if who.author.name != COLLECT.name}
        if said:
            raise _refused(path, f"what {', '.join(sorted(said))} said of '{each.id}'")
        yield each


def _refused(path: str, what: str) -> InputError:
    return InputError(
        f"{path} has {what}, and would lose that; write to another file",
        code="other-collection",
        field="out",
    )


def _change(made: Provenance, now: Provenance) -> str:
    for name in dict.fromkeys((*made.settings, *now.settings)):
        before, after = made.settings.get(name), now.settings.get(name)
        if before != after:
            return f"{name} {_word(before)}, now {_word(after)}"
    if made.task != now.task:
        return f"task {made.task}, now {now.task}"
    return "with another prompt"


def _word(value: object) -> str:
    return "none" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class GivenReplies:
    """A model by name, and the file with its responses."""

    model: str
    file: str

    @classmethod
    def parse(cls, text: str) -> "GivenReplies":
        """Read NAME=FILE."""
        name, equals, file = text.partition("=")
        if not equals or not name.strip() or not file.strip():
            raise InputError(
                f"write NAME=FILE, the name of a model and its responses, not '{text}'",
                field="replies",
            )
        return cls(name.strip(), file.strip())


def read_given(given: GivenReplies, sources: Sequence[Example]) -> dict[str, Annotated]:
    """The responses by the ids of their sources; what belongs to no source raises."""
    known = {each.id: each for each in sources}
    found: dict[str, Annotated] = {}
    strange: list[str] = []
    for where, id, text in _rows(given.file):
        if id not in known:
            strange.append(id)
            continue
        if id in found:
            raise InputError(
                f"{where}: a second response of {given.model} to the source '{id}'",
                code="two-replies",
                field="replies",
            )
        made = Provenance(known[id].task, "", file=given.file)
        found[id] = brought(known[id], given.model, text, made)
    if strange:
        more = f" and {len(strange) - _SHOWN:,} more" if len(strange) > _SHOWN else ""
        ids = ", ".join(f"'{each}'" for each in strange[:_SHOWN])
        raise InputError(
            f"{given.file}: no such source: {ids}{more}; a row has the id of its source",
            code="unknown-source",
            field="replies",
        )
    return found


def _rows(path: str) -> Iterator[tuple[str, str, str]]:
    """Place, source id and text of each row; the first that cannot be read raises."""
    if is_converted(path):
        for number, each in enumerate(read_converted(path), start=1):
            if isinstance(each, Problem):
                raise InputError(str(each), field="replies")
            source = each.example.source.id or each.id
            yield f"{path} record {number}", source, each.example.response.text
        return
    for place, row in read_rows(path, Columns(required=(), keeps_all=True)):
        where = str(place)
        if isinstance(row, Problem):
            raise InputError(str(row), field="replies")
        yield where, _id(row, where), _reply(row, where)


def _id(row: Mapping[str, object], where: str) -> str:
    for name in _IDS:
        value = row.get(name)
        if isinstance(value, SCALARS) and str(value).strip():
            return str(value).strip()
    raise InputError(f"{where}: no id of a source: none of {', '.join(_IDS)}", field="replies")


def _reply(row: Mapping[str, object], where: str) -> str:
    names = [name for name in _TEXTS if name in row]
    if not names:
        raise InputError(f"{where}: no response: none of {', '.join(_TEXTS)}", field="replies")
    value = row[names[0]]
    if value is not None and not isinstance(value, str):
        kind = type(value).__name__
        raise InputError(f"{where}: the {names[0]} must be text, not {kind}", field="replies")
    return value or ""
