"""The texts in a span, by the conventions of OpenInference, OpenLLMetry and OpenTelemetry.

A list may stand in an attribute as a list, as JSON, or spread over attributes with numbers:
`llm.output_messages.0.message.content`. Which convention a span follows is not asked: whatever
one of them says is read.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from assay.core.rendering import METADATA_KEYS, NamedText, origin_of
from assay.core.system.lines import has_more_values, row_limit
from assay.datasets.formats.otel.otlp import Attributes, Event, ExportedSpan

Role = Literal["model", "retriever", "reranker", "other", ""]

_KIND = "openinference.span.kind"
_OPERATION = "gen_ai.operation.name"
_REQUEST = "llm.request.type"
_TASK = "traceloop.span.kind"
_ROLES: Final[Mapping[str, Mapping[str, Role]]] = {
    _KIND: {"llm": "model", "retriever": "retriever", "reranker": "reranker"},
    _OPERATION: {
        "chat": "model",
        "text_completion": "model",
        "generate_content": "model",
        "retrieval": "retriever",
    },
    _REQUEST: {"chat": "model", "completion": "model"},
    _TASK: {},
}
_RESULTS = ("db.query.result", "db.search.result")  # events of a database of vectors
_TEXTS = ("content", "page_content", "text", "pageContent")  # fields of a document
_QUERIES = ("gen_ai.retrieval.query.text", "reranker.query", "retrieval.query")
_MODELS = ("gen_ai.response.model", "llm.model_name", "gen_ai.request.model", "llm.request.model")
_INPUTS = ("llm.input_messages", "gen_ai.input.messages", "gen_ai.prompt", "llm.prompts")
_OUTPUTS = ("llm.output_messages", "gen_ai.output.messages", "gen_ai.completion", "llm.completions")
_ALL_CHOICES = "llm.choices"
_INPUT, _OUTPUT = "input.value", "output.value"
_ENTITY_OUTPUT = "traceloop.entity.output"


@dataclass(frozen=True, slots=True)
class Turn:
    """The text of a turn; its role is empty where nobody says it."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class SpanTexts:
    """The texts of a retrieval or of a call of a model."""

    role: Role
    documents: tuple[NamedText, ...] = ()
    completions: tuple[str, ...] = ()
    question: str = ""
    query: str = ""
    model: str = ""

    @property
    def size(self) -> int:
        """The number of characters."""
        named = (part for each in self.documents for part in (each.name, each.text))
        return sum(map(len, (*named, *self.completions, self.question, self.query)))

    def joined(self, other: "SpanTexts") -> "SpanTexts":
        """The same with what another record of the span adds."""
        return SpanTexts(
            self.role or other.role,
            self.documents or other.documents,
            self.completions or other.completions,
            self.question or other.question,
            self.query or other.query,
            self.model or other.model,
        )


def read_texts(span: ExportedSpan) -> SpanTexts:
    """The texts of a span; none where it is about something else."""
    attributes, events = span.attributes, span.events
    named = _role(attributes)
    documents = _documents(attributes, events, named)
    completions = _completions(attributes, events, named)
    role: Role = named or ("model" if completions else "retriever" if documents else "")
    if role in ("other", "retriever", "reranker"):
        completions = ()
    query = next((text for name in _QUERIES if (text := _string(attributes, name))), "")
    if documents and not query and not _is_json(attributes, _INPUT):
        query = _string(attributes, _INPUT)
    return SpanTexts(
        role,
        documents,
        completions,
        _question(attributes, events) if completions or role == "model" else "",
        query,
        next((text for name in _MODELS if (text := _string(attributes, name))), ""),
    )


def _role(attributes: Attributes) -> Role:
    """The role that a span says it has; empty if it does not."""
    for name, roles in _ROLES.items():
        if said := _string(attributes, name):
            return roles.get(said.casefold(), "other")
    return ""


def _documents(
    attributes: Attributes, events: Iterable[Event], role: Role
) -> tuple[NamedText, ...]:
    """The documents that a span gives; a reranker gives those that it kept."""
    if role == "reranker":
        return tuple(_read_documents(_listed(attributes, "reranker.output_documents")))
    found = list(_read_documents(_listed(attributes, "retrieval.documents")))
    found = found or list(_read_documents(_listed(attributes, "gen_ai.retrieval.documents")))
    for event in events:
        found += _read_documents(_listed(event.attributes, "gen_ai.retrieval.documents"))
        if event.name in _RESULTS and (result := _result(event)):
            found.append(result)
    if not found and role in ("retriever", "other"):
        outputs = (_OUTPUT,) if role == "retriever" else (_ENTITY_OUTPUT,)
        given = (_json(attributes.get(name)) for name in outputs)
        found = [document for each in given for document in _framework_documents(each, 4)]
    return tuple(found)


def _read_documents(documents: Iterable[object]) -> Iterator[NamedText]:
    for each in documents:
        if isinstance(each, str):
            yield NamedText("", each)
        elif isinstance(each, dict):
            inner = each.get("document")
            for fields in (each, inner if isinstance(inner, dict) else {}):
                names = (*(f"document.{name}" for name in _TEXTS), *_TEXTS)
                text = next((t for name in names if (t := _content(fields.get(name)))), "")
                if text:
                    yield NamedText(_name(fields), text)
                    break


def _name(fields: Attributes) -> str:
    """Where a document comes from, or else its id."""
    for prefix in ("document.", ""):
        given = (_json(fields.get(f"{prefix}{name}")) for name in METADATA_KEYS)
        found = (*map(origin_of, given), _string(fields, f"{prefix}id"))
        if name := next(filter(None, found), ""):
            return name
    return ""


def _result(event: Event) -> NamedText | None:
    """The result of a database; some keep its text in the metadata of the vector."""
    kept = _json(event.attributes.get(f"{event.name}.metadata"))
    if text := _string(event.attributes, f"{event.name}.document"):
        return NamedText(origin_of(kept) or _string(event.attributes, f"{event.name}.id"), text)
    return next(_read_documents([kept]), None)


def _framework_documents(value: object, depth: int) -> Iterator[NamedText]:
    """LangChain's documents and LlamaIndex's nodes, wherever they are in some JSON."""
    if isinstance(value, list) and depth:
        for each in value:
            yield from _framework_documents(each, depth - 1)
    elif isinstance(value, dict):
        node = value.get("node")
        fields = value if "page_content" in value or not isinstance(node, dict) else node
        text = fields.get("page_content", None if fields is value else fields.get("text"))
        if isinstance(text, str):
            yield NamedText(_name(fields), text)
        elif depth:
            for each in value.values():
                yield from _framework_documents(each, depth - 1)


def _completions(attributes: Attributes, events: Iterable[Event], role: Role) -> tuple[str, ...]:
    """The texts that the model gave, one for each choice."""
    for read in (partial(_messages, attributes, name) for name in _OUTPUTS):
        if found := tuple(each.text for each in read() if each.text.strip()):
            return found
    for event in events:
        if found := tuple(each.text for each in _choices(event) if each.text.strip()):
            return found
    choices = _listed(attributes, _ALL_CHOICES)
    texts = (_content(each.get("completion.text")) for each in choices if isinstance(each, dict))
    if found := tuple(filter(None, texts)):
        return found
    text = _plain_output(attributes) if role == "model" else ""
    return (text,) if text.strip() else ()


def _choices(event: Event) -> Iterator[Turn]:
    """The parts of the output that an event records."""
    for name in ("gen_ai.output.messages", "gen_ai.completion"):
        yield from _messages(event.attributes, name)
    if event.name == "gen_ai.choice":
        inner = _json(event.attributes.get("message"))
        fields = inner if isinstance(inner, dict) else event.attributes
        yield _message(fields)


def _plain_output(attributes: Attributes) -> str:
    """The output of a span that records no messages: a text, or a reply of an OpenAI server."""
    if not _is_json(attributes, _OUTPUT):
        return _string(attributes, _OUTPUT)
    reply = _json(attributes.get(_OUTPUT))
    if isinstance(reply, str):
        return reply
    choices = reply.get("choices") if isinstance(reply, dict) else None
    for each in choices if isinstance(choices, list) else ():
        if isinstance(each, dict) and isinstance(message := each.get("message"), dict):
            return _content(message.get("content"))
    return ""


def _question(attributes: Attributes, events: Iterable[Event]) -> str:
    """The last message of the user, or the last of those that nobody is named for."""
    said: list[Turn] = []
    for name in _INPUTS:
        said = said or list(_messages(attributes, name))
    for event in events:
        for name in ("gen_ai.input.messages", "gen_ai.prompt"):
            said += _messages(event.attributes, name)
        if event.name == "gen_ai.user.message":
            said.append(Turn("user", _message(event.attributes).text))
    mine = [each.text for each in said if each.role in ("user", "human", "") and each.text.strip()]
    return mine[-1] if mine else ""


def _messages(attributes: Attributes, name: str) -> Iterator[Turn]:
    for each in _listed(attributes, name):
        if isinstance(each, str):
            yield Turn("", each)
        elif isinstance(each, dict):
            yield _message(each)


def _message(fields: Attributes) -> Turn:
    inner = fields.get("message")
    fields = inner if isinstance(inner, dict) else fields
    role = _string(fields, "role") or _string(fields, "message.role")
    for name in ("content", "message.content", "parts", "contents", "prompt.text"):
        if text := _content(fields.get(name)):
            return Turn(role.casefold(), text)
    spread = (part for part in _listed(fields, "message.contents") if isinstance(part, dict))
    texts = (_string(part, "message_content.text") for part in spread)
    return Turn(role.casefold(), "\n".join(filter(None, texts)))


def _content(value: object) -> str:
    """The text of a content: a text, or the parts of text of a list, which may be JSON."""
    if isinstance(value, str):
        parts = _json(value) if value.startswith("[{") else None
        return (_parts(parts) if isinstance(parts, list) else "") or value
    return _parts(value) if isinstance(value, list) else ""


def _parts(parts: list[object]) -> str:
    """The parts that are text; thoughts, calls of tools and pictures are none."""
    found = []
    for each in parts:
        if isinstance(each, dict) and each.get("type") in ("text", "output_text", "input_text"):
            text = each.get("content", each.get("text"))
            found += [text] if isinstance(text, str) else []
    return "\n".join(found)


def _listed(attributes: Attributes, name: str) -> list[object]:
    """The list under a name: as it is, as JSON, or spread over attributes with numbers."""
    whole = attributes.get(name)
    if isinstance(whole, str):
        read = _json(whole)
        whole = read if isinstance(read, list | dict) else [whole]
    if whole is not None:
        return whole if isinstance(whole, list) else [whole]
    items: dict[int, dict[str, object]] = {}
    begin = f"{name}."
    for key, value in attributes.items():
        if key.startswith(begin):
            number, _, field = key[len(begin) :].partition(".")
            if number.isascii() and number.isdigit() and len(number) <= 6:
                items.setdefault(int(number), {})[field] = value
    return [items[number] for number in sorted(items)]


def _string(attributes: Attributes, name: str) -> str:
    value = attributes.get(name)
    return value if isinstance(value, str) else ""


def _is_json(attributes: Attributes, name: str) -> bool:
    return _string(attributes, name.replace("value", "mime_type")) == "application/json"


def _json(value: object) -> object:
    """The value of some JSON; None where it is none, or has too many values."""
    if not isinstance(value, str):
        return value
    if has_more_values(value, row_limit()):
        return None
    try:
        read: object = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return read
