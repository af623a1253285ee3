"""Spans received as a program would receive them, from OpenTelemetry's own SDK."""

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay.core.system.traces import SWITCH, TEXTS


class Spans:
    """The spans that have ended, while one test runs."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self._exporter))
        # A provider can be set only once for a process; this one is taken away again.
        monkeypatch.setattr(trace, "_TRACER_PROVIDER", provider)
        monkeypatch.delenv(SWITCH, raising=False)
        monkeypatch.delenv(TEXTS, raising=False)
        self.tracer = provider.get_tracer("a program")

    def named(self, name: str) -> list[ReadableSpan]:
        """Those of one name, as they ended."""
        return [each for each in self._exporter.get_finished_spans() if each.name == name]

    def one(self, name: str) -> ReadableSpan:
        """The only one of a name."""
        found = self.named(name)
        assert len(found) == 1, [each.name for each in self._exporter.get_finished_spans()]
        return found[0]

    @property
    def everything(self) -> str:
        """All that was recorded, as text."""
        return "\n".join(each.to_json() for each in self._exporter.get_finished_spans())


def is_below(span: ReadableSpan, other: ReadableSpan) -> bool:
    """True if one span is the parent of the other."""
    above = other.get_span_context()
    return span.parent is not None and above is not None and span.parent.span_id == above.span_id


def attributes(span: ReadableSpan) -> dict[str, object]:
    return dict(span.attributes or {})


def events(span: ReadableSpan, name: str) -> list[dict[str, object]]:
    """The attributes of its events of one name."""
    return [dict(each.attributes or {}) for each in span.events if each.name == name]
