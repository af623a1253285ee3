"""Spans of OpenTelemetry, for checks and for calls of models; without it, nothing is recorded.

A program that has set a tracer provider gets our spans there, below its own. OpenTelemetry is
imported only if ASSAY_OTEL=1 asks for it, which also makes a provider of what the variables
OTEL_... say, if the program has none; with ASSAY_OTEL=0 nothing is recorded. Texts are recorded
only where the variable that OpenTelemetry has for this says so.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, Token
from functools import cache, lru_cache
from types import TracebackType
from typing import TYPE_CHECKING, Self

from assay.core.errors import AssayError, InputError, MissingExtraError

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer, TracerProvider

    from assay.core.system.exporting import SpanSender

Value = str | bool | int | float | list[str]
Attributes = Mapping[str, Value]

SWITCH = "ASSAY_OTEL"
TEXTS = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
_CANCELLED = ("CancelledError", "GeneratorExit")  # by a caller who has enough; that is no fault
_WITH_TEXTS = ("true", "span_only", "span_and_event")


class Record:
    """A span that is open; `with` ends it, and names the error that ended it."""

    def __init__(
        self,
        tracer: "Tracer",
        name: str,
        attributes: Attributes,
        *,
        above: "Record | None" = None,
        start: int | None = None,
        is_call: bool = False,
    ) -> None:
        from opentelemetry.trace import SpanKind, set_span_in_context

        self.tracer = tracer
        self._span: Span = tracer.start_span(
            name,
            context=set_span_in_context(above._span) if above else None,
            kind=SpanKind.CLIENT if is_call else SpanKind.INTERNAL,
            attributes=dict(attributes),
            start_time=start,
        )

    def set(self, attributes: Attributes) -> None:
        """Adds attributes."""
        self._span.set_attributes(dict(attributes))

    def add(self, event: str, attributes: Attributes) -> None:
        """Adds an event that happens now."""
        self._span.add_event(event, dict(attributes))

    def fail(self, error: BaseException) -> None:
        """Notes the kind of an error; its message may hold texts, and is left out."""
        from opentelemetry.trace import StatusCode

        self._span.set_attribute("error.type", _kind(error))
        self._span.set_status(StatusCode.ERROR)

    def active(self) -> AbstractContextManager[object]:
        """Makes it the parent of the spans that begin meanwhile."""
        from opentelemetry.trace import use_span

        return use_span(self._span, record_exception=False, set_status_on_exception=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and kind.__name__ in _CANCELLED:
            self.set({"assay.cancelled": True})
        elif error is not None:
            self.fail(error)
        self._span.end()


class CallRecord(Record):
    """The span of one call of a model; what happens to the call is added to it from below."""

    def __init__(self, tracer: "Tracer", name: str, attributes: Attributes) -> None:
        super().__init__(tracer, name, attributes, is_call=True)
        self._active = self.active()
        self._token: Token[CallRecord | None] | None = None

    def __enter__(self) -> Self:
        self._active.__enter__()
        self._token = _call.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._token:
            _call.reset(self._token)
        self._active.__exit__(None, None, None)
        super().__exit__(kind, error, trace)


_call: ContextVar[CallRecord | None] = ContextVar("call", default=None)


def current_call() -> CallRecord | None:
    """The call that is being made here, if calls are recorded."""
    return _call.get()


def active(record: Record | None) -> AbstractContextManager[object]:
    """The same as its `active`, also where nothing is recorded."""
    return record.active() if record else nullcontext()


def find_tracer() -> "Tracer | None":
    """The tracer to record spans with; None if nobody is there to receive them."""
    switch = os.environ.get(SWITCH, "")
    if switch == "0" or (not switch and "opentelemetry.trace" not in sys.modules):
        return None
    if switch not in ("", "1"):
        raise InputError(f"{SWITCH} must be 0 or 1, not {switch!r}")
    try:
        from opentelemetry import trace
    except ImportError:
        raise MissingExtraError("recording traces", "otel") from None
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider) and switch:
        _set_up()
        provider = trace.get_tracer_provider()
    return None if isinstance(provider, trace.ProxyTracerProvider) else _tracer(provider)


@contextmanager
def joined(headers: Mapping[str, str]) -> Iterator[None]:
    """Makes the span that some HTTP headers name the parent of those that begin meanwhile."""
    if "traceparent" not in headers or find_tracer() is None:
        yield
        return
    from opentelemetry import context
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    token = context.attach(TraceContextTextMapPropagator().extract(headers))
    try:
        yield
    finally:
        context.detach(token)


def records_texts() -> bool:
    """True if the user wants prompts, replies and sentences in spans."""
    return os.environ.get(TEXTS, "").strip().casefold() in _WITH_TEXTS


@lru_cache(maxsize=1)
def _tracer(provider: "TracerProvider") -> "Tracer":
    from assay import __version__

    return provider.get_tracer("assay", __version__)


@cache
def _set_up() -> "SpanSender":
    """Makes a provider that exports as the environment says, and sets it for the process."""
    from opentelemetry import trace

    try:
        from assay.core.system.exporting import SpanSender
    except ImportError:
        raise MissingExtraError("recording traces", "otel") from None
    sender = SpanSender()
    trace.set_tracer_provider(sender.provider)
    return sender


def flush() -> None:
    """Sends the spans that are left, if the provider is ours."""
    if _set_up.cache_info().currsize:
        _set_up().flush()


def _kind(error: BaseException) -> str:
    """The kind of an error, of which there are few: why a call failed, a code, or its class."""
    reason = getattr(error, "reason", None)
    if isinstance(reason, str):
        return reason
    return error.code if isinstance(error, AssayError) else type(error).__name__
