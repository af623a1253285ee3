"""OTLP JSON in all its forms, and what is not quite it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.problems import Problem
from assay.datasets.formats.otel.otlp import ExportedSpan, read_spans
from tests.datasets.formats.otel.exports import TRACE, event, number, request, span, write


def spans(path: str) -> list[ExportedSpan]:
    return [each for _, each in read_spans(path) if isinstance(each, ExportedSpan)]


def problems(path: str) -> list[str]:
    return [str(each) for _, each in read_spans(path) if isinstance(each, Problem)]


def only(path: str) -> ExportedSpan:
    (found,) = spans(path)
    return found


def test_ids_in_base64_are_those_in_hexadecimal_digits(tmp_path: Path) -> None:
    raw = span(5, above=7)
    for name in ("traceId", "spanId", "parentSpanId"):
        raw[name] = base64.b64encode(bytes.fromhex(raw[name])).decode()
    found = only(write(tmp_path, request(raw)))
    assert (found.trace, found.id, found.parent) == (TRACE, number(5), number(7))


def test_capital_digits_and_names_of_protobuf_are_read(tmp_path: Path) -> None:
    raw = {"trace_id": TRACE.upper(), "span_id": number(10).upper(), "start_time_unix_nano": "12"}
    scopes = [{"scope_spans": [{"spans": [raw]}]}]
    found = only(write(tmp_path, {"resource_spans": scopes}))
    assert (found.trace, found.id, found.start) == (TRACE, number(10), 12)


@pytest.mark.parametrize(
    "given", ["text", 7, 0.5, True, ["a", "b"], {"a": ["b"], "c": {"d": "e"}}], ids=str
)
def test_values_of_every_form_are_read(given: object, tmp_path: Path) -> None:
    found = only(write(tmp_path, request(span(1, attributes={"it": given}))))
    assert found.attributes == {"it": "7" if type(given) is int else given}


def test_events_have_names_and_attributes(tmp_path: Path) -> None:
    told = [event("db.query.result", document="text")]
    (found,) = only(write(tmp_path, request(span(1, events=told)))).events
    assert (found.name, found.attributes) == ("db.query.result", {"document": "text"})


def test_log_record_of_a_span_is_an_event_of_it(tmp_path: Path) -> None:
    record = {"traceId": TRACE, "spanId": number(3), "eventName": "told", "attributes": []}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record, {"body": "alone"}]}]}]}
    found = only(write(tmp_path, logs))
    assert (found.id, found.is_record, found.events[0].name) == (number(3), True, "told")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"traceId": "abc"}, "no trace id of 32 hexadecimal digits"),
        ({"traceId": "0" * 32}, "no trace id"),
        ({"traceId": None}, "no trace id"),
        ({"spanId": "zz" * 8}, "no span id of 16"),
        ({"spanId": 12}, "no span id"),
    ],
    ids=str,
)
def test_span_without_ids_is_a_problem(change: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = write(tmp_path, request(span(1) | change, span(2)))
    (problem,) = problems(path)
    assert said in problem
    assert problem.startswith(f"{path} line 1 span 1: ")
    assert only(path).id == number(2)


@pytest.mark.parametrize(
    "raw",
    [
        {"resourceSpans": None},
        {"resourceSpans": "x"},
        {"resourceSpans": [1, None, "x", {}]},
        {"resourceSpans": [{"scopeSpans": {"spans": []}}]},
        {"resourceSpans": [{"scopeSpans": [{"spans": [None, 3, "x"]}]}]},
    ],
    ids=json.dumps,
)
def test_values_of_other_kinds_are_passed_over(raw: object, tmp_path: Path) -> None:
    assert spans(write(tmp_path, raw, request(span(1)))) != []


@pytest.mark.parametrize(
    "attributes",
    [
        None,
        [{"key": 3}, {"value": {}}, None, {"key": "a"}],
        [{"key": "a", "value": {"stringValue": {"b": 1}}}],
        [{"key": "a", "value": {"arrayValue": [1]}}, {"key": "b", "value": 3}],
        [{"key": "a", "value": {"kvlistValue": {"values": [{"key": None}]}}}],
    ],
    ids=json.dumps,
)
def test_attributes_of_other_forms_do_no_harm(attributes: object, tmp_path: Path) -> None:
    found = only(write(tmp_path, request(span(1) | {"attributes": attributes})))
    assert all(not each for each in found.attributes.values())


def test_line_that_breaks_off_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    whole = json.dumps(request(span(1)))
    path = write(tmp_path, whole[:50], request(span(2)), whole[:-3])
    assert [each.partition(": ")[0] for each in problems(path)] == [
        f"{path} line 1",
        f"{path} line 3",
    ]
    assert only(path).id == number(2)


def test_document_that_breaks_off_is_refused_in_one_line(tmp_path: Path) -> None:
    text = json.dumps(request(span(1)), indent=1)
    with pytest.raises(InputError, match="is not JSON") as error:
        list(read_spans(write(tmp_path, text[:-10])))
    assert "\n" not in str(error.value)


def test_other_json_is_no_traces(tmp_path: Path) -> None:
    (said,) = problems(write(tmp_path, {"source": "a", "response": "b"}))
    assert "no 'resourceSpans', so these are no traces in OTLP JSON" in said


def test_metrics_between_the_traces_are_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, {"resourceMetrics": []}, request(span(1)))
    assert problems(path) == []
    assert only(path).id == number(1)


def test_value_that_is_nested_too_deeply_is_none(tmp_path: Path) -> None:
    deep: object = "text"
    for _ in range(100):
        deep = [deep]
    found = only(write(tmp_path, request(span(1, attributes={"deep": deep, "a": "b"}))))
    assert found.attributes["a"] == "b"
    assert "text" not in str(found.attributes["deep"])


def test_line_that_is_nested_without_end_is_a_problem(tmp_path: Path) -> None:
    path = write(tmp_path, '{"resourceSpans":' + "[" * 100_000, request(span(1)))
    (said,) = problems(path)
    assert "not valid JSON" in said
    assert only(path).id == number(1)


def test_huge_line_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")
    path = write(tmp_path, request(span(1, name="x" * 2**21)), request(span(2)))
    (said,) = problems(path)
    assert "1 MiB" in said
    assert only(path).id == number(2)


def test_packed_file_that_breaks_off_is_refused_in_one_line(tmp_path: Path) -> None:
    import gzip

    lines = "\n".join(json.dumps(request(span(n))) for n in range(1, 3000))
    (tmp_path / "t.jsonl.gz").write_bytes(gzip.compress(lines.encode())[:-2000])
    with pytest.raises(InputError, match="cannot read"):
        list(read_spans(str(tmp_path / "t.jsonl.gz")))


def test_empty_file_has_no_spans(tmp_path: Path) -> None:
    assert list(read_spans(write(tmp_path, ""))) == []
