"""Spans on their way out of a process whose provider is ours; OpenTelemetry's SDK is needed."""

import atexit
import logging
import os
import sys
from collections.abc import Sequence
from importlib.metadata import entry_points
from threading import Timer

from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import (
    BatchSpanProcessor,
    ConsoleSpanExporter,
    SpanExporter,
    SpanExportResult,
)

from assay.core.errors import InputError
from assay.core.system.notices import warn

EXPORTER = "OTEL_TRACES_EXPORTER"
_PATIENCE = 2.0  # seconds at the end of a program, unless spans are taken meanwhile
_UNNAMED = "unknown_service"


class SpanSender:
    """A provider that exports as the environment says; `flush` waits for a short while only."""

    def __init__(self) -> None:
        # What exporters log of each attempt is for programs that want it; we say one line.
        logging.getLogger("opentelemetry.exporter").addHandler(logging.NullHandler())
        names = [each.strip() for each in os.environ.get(EXPORTER, "otlp").split(",")]
        self._exporters = [
            _ToldExporter(name, _exporter(name)) for name in names if name not in ("", "none")
        ]
        self.provider = TracerProvider(resource=_resource())
        for each in self._exporters:
            self.provider.add_span_processor(BatchSpanProcessor(each))
        atexit.register(self.flush)  # before the provider's own end, which has more patience

    def flush(self) -> None:
        """Sends the spans that are left; an exporter that nobody takes any from is given up."""
        timers = [Timer(_PATIENCE, each.give_up, (each.sent,)) for each in self._exporters]
        for timer in timers:
            timer.daemon = True
            timer.start()
        self.provider.force_flush()
        for timer in timers:
            timer.cancel()


class _ToldExporter(SpanExporter):
    """An exporter; that it could not send anything is said once."""

    def __init__(self, name: str, exporter: SpanExporter) -> None:
        self._name = name
        self._exporter = exporter
        self._has_told = self._is_closed = False
        self.sent = 0  # batches

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Sends some spans."""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self.sent += 1
        elif not self._has_told:
            self._has_told = True
            warn(
                f"the exporter '{self._name}' could not send spans: see that what takes them is "
                f"running (OTEL_EXPORTER_OTLP_ENDPOINT says where), or set {EXPORTER} to none"
            )
        return result

    def give_up(self, sent: int) -> None:
        """Closes it, if it has sent nothing since; attempts that wait for their turn end."""
        if self.sent == sent:
            self.shutdown()

    def shutdown(self) -> None:
        """Closes it."""
        if not self._is_closed:
            self._is_closed = True
            self._exporter.shutdown()


def _resource() -> Resource:
    """The program as the environment describes it; its name is assay if nothing else is said."""
    found = Resource.create()
    if str(found.attributes.get(SERVICE_NAME, _UNNAMED)).startswith(_UNNAMED):
        return found.merge(Resource({SERVICE_NAME: "assay"}))
    return found


def _exporter(name: str) -> SpanExporter:
    if name == "console":
        return ConsoleSpanExporter(out=sys.stderr)  # standard output is for verdicts
    for found in entry_points(group="opentelemetry_traces_exporter", name=name):
        made: SpanExporter = found.load()()
        return made
    raise InputError(
        f"{EXPORTER} asks for the exporter '{name}', which is not installed; "
        f"pip install opentelemetry-exporter-{name}, or set it to console",
        code="no-exporter",
    )
