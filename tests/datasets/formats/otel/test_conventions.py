"""The texts in spans, by each convention."""

import json
from typing import Any

import pytest

from assay.core.rendering import NamedText
from assay.datasets.formats.otel.conventions import SpanTexts, read_texts
from assay.datasets.formats.otel.otlp import ExportedSpan
from tests.datasets.formats.otel.exports import attributes, event


def texts(*events: dict[str, Any], **given: object) -> SpanTexts:
    """What a span tells; two underscores in a name stand for a dot."""
    named = {key.replace("__", "."): value for key, value in given.items()}
    raw = {"attributes": attributes(named), "events": list(events)}
    return read_texts(ExportedSpan("t", "s", "", 0, False, raw))


def with_attributes(given: dict[str, object], *events: dict[str, Any]) -> SpanTexts:
    raw = {"attributes": attributes(given), "events": list(events)}
    return read_texts(ExportedSpan("t", "s", "", 0, False, raw))


def documents(found: SpanTexts) -> tuple[str, ...]:
    return tuple(each.text for each in found.documents)


PARTS = [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": "So it is."}]


@pytest.mark.parametrize(
    "given",
    [
        {
            "retrieval.documents.0.document.content": "One.",
            "retrieval.documents.1.document.content": "Two.",
        },
        {"retrieval.documents": [{"document.content": "One."}, {"document": {"content": "Two."}}]},
        {"gen_ai.retrieval.documents": json.dumps([{"content": "One."}, {"text": "Two."}])},
        {"gen_ai.retrieval.documents": [{"content": "One."}, {"page_content": "Two."}]},
        {
            "traceloop.span.kind": "task",
            "traceloop.entity.output": json.dumps(
                {"outputs": [{"page_content": "One."}, {"node": {"text": "Two."}}]}
            ),
        },
        {
            "openinference.span.kind": "RETRIEVER",
            "output.value": json.dumps([{"page_content": "One."}, {"page_content": "Two."}]),
        },
    ],
    ids=lambda given: " ".join(given)[:60],
)
def test_documents_are_read(given: dict[str, object]) -> None:
    assert documents(with_attributes(given)) == ("One.", "Two.")


@pytest.mark.parametrize(
    "given",
    [
        {
            "retrieval.documents.0.document.content": "One.",
            "retrieval.documents.0.document.metadata": '{"source": "one.pdf", "page": 3}',
            "retrieval.documents.0.document.id": "9",
        },
        {
            "retrieval.documents.0.document.content": "One.",
            "retrieval.documents.0.document.id": "one.pdf",
        },
        {"gen_ai.retrieval.documents": json.dumps([{"content": "One.", "id": "one.pdf"}])},
        {
            "openinference.span.kind": "RETRIEVER",
            "output.value": json.dumps(
                [{"node": {"text": "One.", "metadata": {"file_name": "one.pdf"}}}]
            ),
        },
    ],
    ids=lambda given: " ".join(given)[:60],
)
def test_documents_are_named_by_where_they_come_from_or_their_id(given: dict[str, object]) -> None:
    assert with_attributes(given).documents == (NamedText("one.pdf", "One."),)


def test_documents_are_in_the_order_of_their_numbers() -> None:
    given: dict[str, object] = {
        f"retrieval.documents.{n}.document.content": str(n) for n in (10, 2, 0)
    }
    assert documents(with_attributes(given)) == ("0", "2", "10")


def test_reranker_gives_what_it_kept_and_not_what_it_got() -> None:
    given: dict[str, object] = {
        "openinference.span.kind": "RERANKER",
        "reranker.input_documents.0.document.content": "All.",
        "reranker.output_documents.0.document.content": "Kept.",
    }
    assert documents(with_attributes(given)) == ("Kept.",)


def test_results_of_a_database_are_documents() -> None:
    plain = event("db.query.result", db__query__result__document="One.")
    kept = event("db.query.result", db__query__result__metadata=json.dumps({"text": "Two."}))
    other = event("db.query.embeddings", db__query__embeddings__vector="0.1")
    assert documents(texts(plain, kept, other)) == ("One.", "Two.")


def test_document_without_its_text_is_none() -> None:
    given = json.dumps([{"id": "doc-1", "score": 0.9}, {}])
    assert documents(texts(gen_ai__retrieval__documents=given)) == ()


@pytest.mark.parametrize(
    "given",
    [
        {"llm.output_messages.0.message.content": "So it is."},
        {"llm.output_messages.0.message.contents.0.message_content.text": "So it is."},
        {"llm.output_messages": [{"message": {"role": "assistant", "content": "So it is."}}]},
        {"gen_ai.completion.0.content": "So it is.", "gen_ai.completion.0.role": "assistant"},
        {"gen_ai.completion.0.content": json.dumps([{"type": "text", "text": "So it is."}])},
        {"llm.completions.0.content": "So it is."},
        {"gen_ai.output.messages": json.dumps([{"role": "assistant", "parts": PARTS}])},
        {"gen_ai.output.messages": [{"role": "assistant", "parts": PARTS}]},
        {"llm.choices.0.completion.text": "So it is."},
        {"openinference.span.kind": "LLM", "output.value": "So it is."},
        {
            "openinference.span.kind": "LLM",
            "output.mime_type": "application/json",
            "output.value": json.dumps({"choices": [{"message": {"content": "So it is."}}]}),
        },
    ],
    ids=lambda given: " ".join(given)[:60],
)
def test_completions_are_read(given: dict[str, object]) -> None:
    found = with_attributes(given)
    assert (found.role, found.completions) == ("model", ("So it is.",))


@pytest.mark.parametrize(
    "given",
    [
        event("gen_ai.choice", message=json.dumps({"content": "So it is."})),
        event("gen_ai.choice", content="So it is."),
        event("gen_ai.content.completion", gen_ai__completion='[{"content": "So it is."}]'),
        event(
            "gen_ai.client.inference.operation.details",
            gen_ai__output__messages=[{"role": "assistant", "parts": PARTS}],
        ),
    ],
    ids=lambda given: given["name"],
)
def test_completions_in_events_are_read(given: dict[str, Any]) -> None:
    assert texts(given, gen_ai__operation__name="chat").completions == ("So it is.",)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("openinference.span.kind", "CHAIN"),
        ("openinference.span.kind", "AGENT"),
        ("openinference.span.kind", "SOMETHING_NEW"),
        ("gen_ai.operation.name", "invoke_agent"),
        ("gen_ai.operation.name", "embeddings"),
        ("llm.request.type", "embedding"),
        ("traceloop.span.kind", "workflow"),
    ],
)
def test_span_of_another_kind_is_no_call_of_a_model(name: str, value: str) -> None:
    found = with_attributes({name: value, "gen_ai.completion.0.content": "So it is."})
    assert (found.role, found.completions) == ("other", ())


@pytest.mark.parametrize("value", ["LLM", "llm"])
def test_call_without_a_text_is_a_call(value: str) -> None:
    found = texts(openinference__span__kind=value)
    assert (found.role, found.completions) == ("model", ())


def test_question_is_the_last_message_of_the_user() -> None:
    turns = ("system", "Be brief."), ("user", "First?"), ("assistant", "Yes."), ("user", "Second?")
    given: dict[str, object] = {"gen_ai.completion.0.content": "So it is."}
    for n, (role, text) in enumerate(turns):
        given |= {f"gen_ai.prompt.{n}.role": role, f"gen_ai.prompt.{n}.content": text}
    assert with_attributes(given).question == "Second?"


def test_question_in_messages_and_in_events_is_read() -> None:
    said = [{"role": "user", "parts": [{"type": "text", "content": "When?"}]}]
    assert (
        texts(gen_ai__input__messages=json.dumps(said), llm__choices="x", **CHAT).question
        == "When?"
    )
    assert texts(event("gen_ai.user.message", content="When?"), **CHAT).question == "When?"


CHAT: dict[str, object] = {"gen_ai__operation__name": "chat"}


def test_answer_that_is_json_itself_stays_as_it_is() -> None:
    answer = '[{"name": "Ada", "year": 1815}]'
    assert texts(gen_ai__completion__0__content=answer).completions == (answer,)


def test_model_is_the_one_that_answered() -> None:
    found = texts(gen_ai__request__model="m", gen_ai__response__model="m-2026", **CHAT)
    assert found.model == "m-2026"


@pytest.mark.parametrize(
    "value", ['[{"role":', "[" * 50_000, '{"a": 1}', "null", "3", "[null, 3, [{}]]"]
)
def test_messages_of_other_forms_do_no_harm(value: str) -> None:
    texts(gen_ai__output__messages=value, retrieval__documents=value, gen_ai__prompt=value, **CHAT)


def test_numbers_of_any_length_do_no_harm() -> None:
    given: dict[str, object] = {
        f"llm.output_messages.{'9' * 5000}.message.content": "no",
        "llm.output_messages.².message.content": "no",
        "llm.output_messages..message.content": "no",
    }
    assert with_attributes(given).completions == ()
