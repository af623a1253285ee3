"""Records the traces of a small question-answering program, by three conventions.

Run: python examples/traces/record.py FOLDER
It needs the extra `otel`. In a program of your own, an exporter or a collector writes such files.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, Tracer

HOURS = "The reading room is open from 9 am to 6 pm on weekdays. It is closed on Sundays."
CARDS = "A library card costs 12 euros a year. Students and pensioners get it free of charge."
LOANS = "Books may be kept for four weeks. Films may be kept for one week."
MODEL = "small-model-1"
TURNS = (
    (
        "When is the reading room open on weekdays?",
        (HOURS, LOANS),
        "On weekdays the reading room is open from 9 am to 6 pm.",
    ),
    (
        "What does a library card cost?",
        (CARDS, LOANS),
        "A library card costs 25 euros a year. Students get it free of charge.",  # 12, not 25
    ),
)
Turn = tuple[str, Sequence[str], str]


def openinference(tracer: Tracer, turn: Turn) -> None:
    """A chain with a retriever, a reranker and a model; the prompt holds the documents."""
    question, documents, answer = turn
    prompt = "Answer from this:\n" + "\n".join(documents[:1]) + f"\n\n{question}"
    with tracer.start_as_current_span("chain") as chain:
        chain.set_attribute("openinference.span.kind", "CHAIN")
        chain.set_attribute("input.value", question)
        with tracer.start_as_current_span("retrieve") as span:
            span.set_attribute("openinference.span.kind", "RETRIEVER")
            span.set_attribute("input.value", question)
            for number, text in enumerate(documents):
                span.set_attribute(f"retrieval.documents.{number}.document.content", text)
        with tracer.start_as_current_span("rerank") as span:
            span.set_attribute("openinference.span.kind", "RERANKER")
            span.set_attribute("reranker.query", question)
            span.set_attribute("reranker.output_documents.0.document.content", documents[0])
        with tracer.start_as_current_span("complete") as span:
            span.set_attribute("openinference.span.kind", "LLM")
            span.set_attribute("llm.model_name", MODEL)
            span.set_attribute("llm.input_messages.0.message.role", "user")
            span.set_attribute("llm.input_messages.0.message.content", prompt)
            span.set_attribute("llm.output_messages.0.message.role", "assistant")
            span.set_attribute("llm.output_messages.0.message.content", answer)
        chain.set_attribute("output.value", answer)


def openllmetry(tracer: Tracer, turn: Turn) -> None:
    """A workflow whose model first rewrites the question, which has no documents yet."""
    question, documents, answer = turn
    with tracer.start_as_current_span("answer.workflow") as workflow:
        workflow.set_attribute("traceloop.span.kind", "workflow")
        workflow.set_attribute("traceloop.entity.name", "answer")
        _chat(tracer, f"Make a search of this: {question}", question.lower().rstrip("?"))
        with tracer.start_as_current_span("vectors.query") as span:
            for text in documents:
                span.add_event("db.query.result", {"db.query.result.document": text})
        _chat(tracer, question, answer)


def _chat(tracer: Tracer, prompt: str, completion: str) -> None:
    with tracer.start_as_current_span("openai.chat", kind=SpanKind.CLIENT) as span:
        span.set_attribute("llm.request.type", "chat")
        span.set_attribute("gen_ai.request.model", MODEL)
        span.set_attribute("gen_ai.prompt.0.role", "user")
        span.set_attribute("gen_ai.prompt.0.content", prompt)
        span.set_attribute("gen_ai.completion.0.role", "assistant")
        span.set_attribute("gen_ai.completion.0.content", completion)


def genai(tracer: Tracer, turn: Turn) -> None:
    """A retrieval and a chat, as OpenTelemetry's own conventions for generative AI have them."""
    question, documents, answer = turn
    with tracer.start_as_current_span("answer"):
        with tracer.start_as_current_span("retrieval library", kind=SpanKind.CLIENT) as span:
            found = [{"id": f"doc-{n}", "content": text} for n, text in enumerate(documents)]
            span.set_attribute("gen_ai.operation.name", "retrieval")
            span.set_attribute("gen_ai.retrieval.documents", json.dumps(found))
        with tracer.start_as_current_span(f"chat {MODEL}", kind=SpanKind.CLIENT) as span:
            span.set_attribute("gen_ai.operation.name", "chat")
            span.set_attribute("gen_ai.request.model", MODEL)
            span.set_attribute("gen_ai.input.messages", _messages("user", question))
            span.set_attribute("gen_ai.output.messages", _messages("assistant", answer))


def _messages(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def record(program: Callable[[Tracer, Turn], None], file: Path) -> None:
    """Runs the program once for each turn, and writes a request of an exporter for each trace."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(resource=Resource({"service.name": "library"}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    lines = []
    for turn in TURNS:
        exporter.clear()
        program(provider.get_tracer("library"), turn)
        lines.append(json.dumps(_request(exporter.get_finished_spans())))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _request(spans: Sequence[ReadableSpan]) -> dict[str, Any]:
    resource = {"attributes": _attributes(spans[0].resource.attributes)}
    scopes = [{"scope": {"name": "library"}, "spans": [_span(span) for span in spans]}]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]}


def _span(span: ReadableSpan) -> dict[str, Any]:
    context, parent = span.get_span_context(), span.parent
    assert context is not None
    return {
        "traceId": f"{context.trace_id:032x}",
        "spanId": f"{context.span_id:016x}",
        "parentSpanId": f"{parent.span_id:016x}" if parent else "",
        "name": span.name,
        "kind": span.kind.value + 1,
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": _attributes(span.attributes or {}),
        "events": [
            {
                "timeUnixNano": str(event.timestamp),
                "name": event.name,
                "attributes": _attributes(event.attributes or {}),
            }
            for event in span.events
        ],
    }


def _attributes(attributes: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": {"stringValue": str(v)}} for key, v in attributes.items()]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Name the folder to write to: python examples/traces/record.py FOLDER")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for each in (openinference, openllmetry, genai):
        record(each, folder / f"{each.__name__}.jsonl")
