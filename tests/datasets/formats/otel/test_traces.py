"""Which documents belong to which answer, and what becomes of everything else in a file."""

import gzip
import json
import logging
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.datasets.formats.otel.traces import read_traces
from tests.datasets.formats.otel.exports import (
    ANSWER,
    DOCUMENT,
    TRACE,
    model,
    number,
    request,
    retriever,
    span,
    write,
)


def examples(path: str) -> list[Example]:
    """The examples of a file in which there is no problem."""
    rows = list(read_traces(path))
    assert all(isinstance(row, Annotated) for row in rows), rows
    return [row.example for row in rows if isinstance(row, Annotated)]


def sources(path: str) -> list[str]:
    return [each.source.text for each in examples(path)]


def problems(path: str) -> list[str]:
    return [str(row) for row in read_traces(path) if isinstance(row, Problem)]


def test_answer_is_checked_by_what_was_retrieved_for_it(tmp_path: Path) -> None:
    spans = (span(1), retriever(2, DOCUMENT, "Tickets cost 9 euros."), model(3, question="When?"))
    (example,) = examples(write(tmp_path, request(*spans)))
    assert example.id == f"{TRACE}/{number(3)}"
    assert example.response.text == ANSWER
    assert example.question == "When?"
    named = [example.source.text[each.start : each.end] for each in example.source.passages]
    assert named == [DOCUMENT, "Tickets cost 9 euros."]


def test_spans_of_a_trace_may_be_on_any_lines(tmp_path: Path) -> None:
    other = TRACE[::-1]
    lines = (
        request(model(3)),
        request(span(1, trace=other)),
        request(retriever(2, DOCUMENT)),
        request(span(1)),
    )
    assert sources(write(tmp_path, *lines)) == [DOCUMENT]


def test_document_over_many_lines_is_read_as_lines_are(tmp_path: Path) -> None:
    whole = request(span(1), retriever(2, DOCUMENT), model(3))
    path = write(tmp_path, json.dumps(whole, indent=2), name="traces.json")
    assert sources(path) == [DOCUMENT]
    assert sources(write(tmp_path, json.dumps([whole]), name="list.json")) == [DOCUMENT]


def test_packed_file_is_unpacked(tmp_path: Path) -> None:
    text = json.dumps(request(retriever(2, DOCUMENT), model(3)))
    (tmp_path / "traces.json.gz").write_bytes(gzip.compress(text.encode()))
    assert sources(str(tmp_path / "traces.json.gz")) == [DOCUMENT]


def test_nearest_retrieval_counts(tmp_path: Path) -> None:
    far = (retriever(2, "Far away.", above=1), span(3, above=1))
    near = (retriever(4, DOCUMENT, above=3), span(5, above=3), model(6, above=5))
    assert sources(write(tmp_path, request(span(1), *far, *near))) == [DOCUMENT]


def test_what_is_retrieved_later_is_no_source(tmp_path: Path) -> None:
    spans = (model(2, "museum opening year"), retriever(3, DOCUMENT), model(4))
    (example,) = examples(write(tmp_path, request(span(1), *spans)))
    assert example.id.endswith(number(4))


def test_reranked_documents_replace_the_retrieved_ones(tmp_path: Path) -> None:
    found = retriever(2, "Something else.", DOCUMENT)
    ranked = retriever(3, DOCUMENT, kind="RERANKER")
    assert sources(write(tmp_path, request(span(1), found, ranked, model(4)))) == [DOCUMENT]


def test_retrieval_after_a_reranker_is_added_to_its_documents(tmp_path: Path) -> None:
    ranked = (retriever(2, "Dropped."), retriever(3, DOCUMENT, kind="RERANKER"))
    spans = (span(1), *ranked, retriever(4, "Looked up later."), model(5))
    assert sources(write(tmp_path, request(*spans))) == [f"{DOCUMENT}\n\nLooked up later."]


def test_retrieval_inside_a_retrieval_is_part_of_it(tmp_path: Path) -> None:
    outer, inner = retriever(2, DOCUMENT), retriever(3, DOCUMENT, "Not kept.", above=2)
    assert sources(write(tmp_path, request(span(1), outer, inner, model(4)))) == [DOCUMENT]


def test_parent_that_is_not_in_the_file_stands_at_the_top(tmp_path: Path) -> None:
    spans = (retriever(2, DOCUMENT, above=77), model(3, above=99))
    assert sources(write(tmp_path, request(*spans))) == [DOCUMENT]


def test_same_document_counts_once(tmp_path: Path) -> None:
    spans = (retriever(2, DOCUMENT), retriever(3, DOCUMENT), model(4))
    assert sources(write(tmp_path, request(span(1), *spans))) == [DOCUMENT]


def test_span_that_was_exported_twice_is_one(tmp_path: Path) -> None:
    spans = (retriever(2, DOCUMENT), model(3), model(3))
    assert sources(write(tmp_path, request(*spans), request(model(3)))) == [DOCUMENT]


def test_call_that_two_instrumentations_saw_is_one(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spans = (retriever(2, DOCUMENT), model(3), model(4, above=3))
    (example,) = examples(write(tmp_path, request(*spans)))
    assert example.id.endswith(number(3))
    assert "left out 1 model call (1 recorded twice)" in caplog.text


def test_prompt_that_holds_the_documents_is_not_the_question(tmp_path: Path) -> None:
    found = retriever(2, DOCUMENT)
    found["attributes"].append({"key": "input.value", "value": {"stringValue": "opening year"}})
    asked = model(3, question=f"Answer from this: {DOCUMENT} When did it open?")
    (example,) = examples(write(tmp_path, request(found, asked)))
    assert example.question == "opening year"


def test_what_is_left_out_is_said_in_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    alone = request(model(3, above=0) | {"traceId": TRACE[::-1]})
    path = write(tmp_path, alone, request(retriever(2, DOCUMENT), model(3), model(4, "")))
    assert len(examples(path)) == 1
    (said,) = [each.message for each in caplog.records if each.levelno == logging.WARNING]
    reasons = "1 without a text of the model, 1 without documents retrieved before"
    assert said == f"{path}: left out 2 model calls ({reasons})"


def test_file_without_answers_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = write(tmp_path, request(model(3)))
    with pytest.raises(InputError, match=r"no answer to check: 1 model call \(1 without documents"):
        list(read_traces(path))
    with pytest.raises(InputError, match="no answer to check: no model call"):
        list(read_traces(write(tmp_path, request(span(1)), name="others.jsonl")))
    with pytest.raises(InputError, match="cannot read"):
        list(read_traces(str(tmp_path / "missing.jsonl")))


def test_retrieval_that_records_no_texts_is_the_reason(tmp_path: Path) -> None:
    silent = span(2, attributes={"gen_ai.operation.name": "retrieval"})
    path = write(tmp_path, request(silent, model(3)))
    with pytest.raises(InputError, match=r"\(1 after a retrieval that records no texts\)"):
        list(read_traces(path))


def test_documents_keep_their_names_in_the_source(tmp_path: Path) -> None:
    found = [{"id": "hours.md", "content": DOCUMENT}, {"id": "again.md", "content": DOCUMENT}]
    ids = {"gen_ai.retrieval.documents": json.dumps([*found, {"content": "Other."}])}
    (example,) = examples(write(tmp_path, request(span(2, attributes=ids), model(3))))
    assert [each.name for each in example.source.passages] == ["hours.md", "passage 2"]


def test_circle_of_parents_is_a_problem_of_its_trace(tmp_path: Path) -> None:
    circle = (span(1, above=2), span(2, above=1), retriever(3, DOCUMENT, above=1), model(4))
    good = [each | {"traceId": TRACE[::-1]} for each in (retriever(2, DOCUMENT), model(3))]
    path = write(tmp_path, request(*circle), request(*good))
    rows = list(read_traces(path))
    assert [type(row) for row in rows] == [Problem, Annotated]
    assert str(rows[0]).startswith(f"{path} trace {TRACE}: ")
    assert f"the spans above span {number(4)} go in a circle" in str(rows[0])


def test_span_that_is_its_own_parent_is_a_problem(tmp_path: Path) -> None:
    (said,) = problems(write(tmp_path, request(retriever(2, DOCUMENT), model(3, above=3))))
    assert "go in a circle" in said


def test_tree_that_is_too_deep_is_a_problem(tmp_path: Path) -> None:
    deep = [span(own, above=own - 1) for own in range(2, 1500)]
    spans = (span(1), *deep, retriever(2000, DOCUMENT), model(2001, above=1499))
    (said,) = problems(write(tmp_path, request(*spans)))
    assert "more than 1,000" in said


def test_trace_with_too_many_texts_is_a_problem(tmp_path: Path) -> None:
    spans = [retriever(own, DOCUMENT) for own in range(2, 10_003)]
    (said,) = problems(write(tmp_path, request(*spans, model(20_000))))
    assert "more than 10,000 spans with texts" in said


def test_memory_for_open_traces_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_DOCUMENT_MIB", "1")
    traces = [f"{n:032x}" for n in range(1, 5)]
    lines = [retriever(2, "x" * 300_000) | {"traceId": trace} for trace in traces]
    ends = [model(3) | {"traceId": trace} for trace in traces]
    together = [request(*pair) for pair in zip(lines, ends, strict=True)]
    assert len(examples(write(tmp_path, *together))) == 4
    with pytest.raises(InputError, match=r"more than 1 MiB of traces that are not complete"):
        list(read_traces(write(tmp_path, *map(request, (*lines, *ends)))))


def test_answers_of_all_choices_are_checked(tmp_path: Path) -> None:
    both = model(3)
    second = {"stringValue": "It opened in 1950."}
    both["attributes"].append({"key": "llm.output_messages.1.message.content", "value": second})
    found = examples(write(tmp_path, request(retriever(2, DOCUMENT), both)))
    own = f"{TRACE}/{number(3)}"
    assert [each.id for each in found] == [own, f"{own}/2"]
    assert found[1].response.text == "It opened in 1950."


def test_retrieval_inside_the_call_belongs_to_it(tmp_path: Path) -> None:
    spans = (model(2), retriever(3, DOCUMENT, above=2))
    assert sources(write(tmp_path, request(span(1), *spans))) == [DOCUMENT]


def test_traces_can_be_given_to_check(tmp_path: Path) -> None:
    import assay

    path = write(tmp_path, "nonsense", request(retriever(2, DOCUMENT), model(3)))
    report = assay.check(assay.read_traces(path), detector="overlap", on_error="keep")
    assert [bool(each.problem) for each in report.results] == [True, False]
