"""The figures of a service for Prometheus, counted where things happen."""

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from assay import Result
from assay.core.errors import AssayError

_SECONDS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
_EXAMPLES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class ServiceMetrics:
    """Counts requests, and what came of the examples in them."""

    def __init__(self) -> None:
        # They would be a figure beside each figure, which nobody asks for.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._requests = self._counter("requests", "Requests answered.", "route method status")
        self._seconds = Histogram(
            "assay_request_seconds",
            "Time from the head of a request to the end of its answer.",
            ("route",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self.under_way = Gauge(
            "assay_requests_under_way", "Requests worked on now.", registry=self.registry
        )
        self._refused = self._counter("refused_requests", "Requests turned away.", "reason")
        self._examples = self._counter("examples", "Examples judged.", "detector")
        self._units = self._counter(
            "sentences", "Sentences, or other units, with a verdict.", "detector label coarse"
        )
        self._failures = self._counter(
            "failures", "Sentences, or other units, without a verdict.", "detector reason"
        )
        self._problems = self._counter(
            "unreadable_rows", "Rows that could not be read.", "detector"
        )
        self._batches = Histogram(
            "assay_batch_examples",
            "Examples that a detector was given at once.",
            ("detector",),
            buckets=_EXAMPLES,
            registry=self.registry,
        )

    def _counter(self, name: str, about: str, labels: str) -> Counter:
        return Counter(f"assay_{name}", about, labels.split(), registry=self.registry)

    def add_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """Counts a request that was answered."""
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def add_refusal(self, reason: str) -> None:
        """Counts a request that was turned away before it was read."""
        self._refused.labels(reason).inc()

    def add_result(self, detector: str, result: Result) -> None:
        """Counts an example that was judged."""
        self._examples.labels(detector).inc()
        units = Tally(
            (each.label.name if each.label else "", each.coarse or "")
            for each in result.counted
            if each.verdict is not None
        )
        for (label, coarse), number in units.items():
            self._units.labels(detector, label, coarse).inc(number)
        for failure in result.failures:
            self._failures.labels(detector, failure.reason).inc()

    def add_problems(self, detector: str, number: int) -> None:
        """Counts rows that could not be read."""
        if number:
            self._problems.labels(detector).inc(number)

    def add_batch(self, detector: str, examples: int) -> None:
        """Counts what a detector was given at once."""
        self._batches.labels(detector).observe(examples)

    def watch(
        self, name: str, about: str, label: str, count: Callable[[], Mapping[str, int]]
    ) -> None:
        """Has a figure counted whenever the figures are read."""
        self.registry.register(_Counted(f"assay_{name}", about, label, count))

    def text(self) -> bytes:
        """All figures, as Prometheus reads them."""
        return generate_latest(self.registry)


class _Counted(Collector):
    """Counts when it is asked."""

    def __init__(
        self, name: str, about: str, label: str, count: Callable[[], Mapping[str, int]]
    ) -> None:
        self._about = name, about, label
        self._count = count

    def describe(self) -> Iterable[Metric]:
        """The figure without its values, so that nothing is counted to register it."""
        name, about, label = self._about
        return [GaugeMetricFamily(name, about, labels=[label])]

    def collect(self) -> Iterator[Metric]:
        """The figure as it is now."""
        name, about, label = self._about
        family = GaugeMetricFamily(name, about, labels=[label])
        with suppress(AssayError):  # then nobody knows, and the other figures are told
            for value, number in self._count().items():
                family.add_metric([value], number)
        yield family
