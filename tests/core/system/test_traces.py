"""When spans are recorded, and what becomes of errors."""

import os
import subprocess
import sys
import time

import pytest
from opentelemetry import trace

from assay.core.errors import InputError
from assay.core.system.traces import Record, find_tracer, records_texts
from tests.tracing import Spans, attributes, is_below

CHECK = "import assay; assay.check('It rained.', 'It rained.', detector='overlap')"


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Spans:
    return Spans(monkeypatch)


def process(code: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environ},
    )


def test_check_does_not_import_opentelemetry() -> None:
    code = f"{CHECK}\nimport sys; print('opentelemetry' in sys.modules)"
    assert process(code).stdout.strip() == "False"


def test_nothing_is_recorded_without_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    assert find_tracer() is None


def test_nothing_is_recorded_if_switched_off(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_tracer() is not None
    monkeypatch.setenv("ASSAY_OTEL", "0")
    assert find_tracer() is None


def test_other_values_of_the_switch_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_OTEL", "yes")
    with pytest.raises(InputError, match="ASSAY_OTEL must be 0 or 1, not 'yes'"):
        find_tracer()


def test_switch_makes_a_provider_as_the_environment_says() -> None:
    done = process(f"{CHECK}; print('done')", ASSAY_OTEL="1", OTEL_TRACES_EXPORTER="console")
    assert done.stdout == "done\n"
    assert '"name": "check overlap"' in done.stderr
    assert '"name": "evaluate overlap"' in done.stderr
    assert '"service.name": "assay"' in done.stderr


def test_name_that_the_environment_gives_the_program_is_kept() -> None:
    named = {"OTEL_SERVICE_NAME": "library", "OTEL_TRACES_EXPORTER": "console"}
    assert '"service.name": "library"' in process(CHECK, ASSAY_OTEL="1", **named).stderr


def test_spans_that_nobody_takes_are_said_once_and_not_waited_for() -> None:
    exporter = """
import threading
from opentelemetry.sdk.trace import export
import assay.core.system.exporting as exporting
class Away(export.SpanExporter):
    end = threading.Event()
    def export(self, spans):
        self.end.wait(60)
        return export.SpanExportResult.FAILURE
    def shutdown(self):
        self.end.set()
exporting._exporter, exporting._PATIENCE = lambda name: Away(), 0.1
"""
    begun = time.monotonic()
    done = process(exporter + CHECK + "\n" + CHECK, ASSAY_OTEL="1")
    assert time.monotonic() - begun < 50
    (line,) = done.stderr.splitlines()
    assert line.startswith("the exporter 'otlp' could not send spans: see that what takes them is")


def test_exporter_that_is_not_installed_is_said_in_one_line() -> None:
    done = process(CHECK, ASSAY_OTEL="1", OTEL_TRACES_EXPORTER="pigeon")
    last = done.stderr.splitlines()[-1]
    assert "asks for the exporter 'pigeon', which is not installed" in last


def test_missing_sdk_names_the_extra() -> None:
    hidden = "import sys; sys.modules['opentelemetry.sdk.trace'] = None\n"
    done = process(hidden + CHECK, ASSAY_OTEL="1")
    assert "pip install 'assay-faith[otel]'" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize(("value", "wanted"), [("", False), ("NO_CONTENT", False), ("true", True)])
def test_texts_are_recorded_only_where_asked_for(
    value: str, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", value)
    assert records_texts() is wanted


def record(name: str) -> Record:
    tracer = find_tracer()
    assert tracer is not None
    return Record(tracer, name, {"assay.detector": "d"})


def test_error_is_named_by_its_kind_and_its_message_is_not_recorded(spans: Spans) -> None:
    with pytest.raises(InputError), record("check"):
        raise InputError("a text of the user", code="too-large")
    assert attributes(spans.one("check"))["error.type"] == "too-large"
    assert spans.one("check").status.status_code is trace.StatusCode.ERROR
    assert "a text of the user" not in spans.everything


def test_record_is_a_parent_only_while_it_is_active(spans: Spans) -> None:
    with record("check") as open_record:
        with open_record.active():
            spans.tracer.start_span("inside").end()
        spans.tracer.start_span("outside").end()
    assert is_below(spans.one("inside"), spans.one("check"))
    assert spans.one("outside").parent is None
