"""Exported traces to write: spans in OTLP JSON, a request on each line."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TRACE = "0af7651916cd43dd8448eb211c80319c"
DOCUMENT = "The museum opened in 1901. It has 40 rooms."
ANSWER = "The museum opened in 1901."


def number(own: int) -> str:
    """The id of a span."""
    return f"{own:016x}"


def value(given: object) -> dict[str, Any]:
    """An attribute's value as OTLP has it."""
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(each) for each in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": attributes(given)}}
    return {"stringValue": str(given)}


def attributes(given: Mapping[str, object]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(each)} for key, each in given.items()]


def event(name: str, **given: object) -> dict[str, Any]:
    """An event; underscores in names stand for dots."""
    named = {key.replace("__", "."): each for key, each in given.items()}
    return {"name": name, "attributes": attributes(named)}


def span(
    own: int, above: int = 0, start: int = 0, trace: str = TRACE, **more: Any
) -> dict[str, Any]:
    """A span; it starts after those with smaller ids, unless that is said."""
    given = more.pop("attributes", {})
    return {
        "traceId": trace,
        "spanId": number(own),
        "parentSpanId": number(above) if above else "",
        "startTimeUnixNano": str(start or own),
        "attributes": attributes(given),
        **more,
    }


def retriever(own: int, *documents: str, above: int = 1, kind: str = "RETRIEVER") -> dict[str, Any]:
    """A retriever, or a reranker, of OpenInference."""
    name = "retrieval.documents" if kind == "RETRIEVER" else "reranker.output_documents"
    texts = {f"{name}.{n}.document.content": each for n, each in enumerate(documents)}
    return span(own, above, attributes={"openinference.span.kind": kind, **texts})


def model(own: int, text: str = ANSWER, question: str = "", above: int = 1) -> dict[str, Any]:
    """A call of a model by OpenInference."""
    given = {"openinference.span.kind": "LLM", "llm.output_messages.0.message.content": text}
    if question:
        given["llm.input_messages.0.message.role"] = "user"
        given["llm.input_messages.0.message.content"] = question
    return span(own, above, attributes=given if text else {"openinference.span.kind": "LLM"})


def request(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def write(folder: Path, *requests: object, name: str = "traces.jsonl") -> str:
    """A file with a request on each line."""
    lines = [each if isinstance(each, str) else json.dumps(each) for each in requests]
    (folder / name).write_text("\n".join(lines), encoding="utf-8")
    return str(folder / name)
