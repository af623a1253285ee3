"""Error rates by class and by length, as data."""

from collections.abc import Callable

from assay.report.charts import Bar
from assay.report.charts_errors import quarters
from assay.report.evaluation_detector import DetectorView
from assay.report.evaluation_page import PageView

Detectors = dict[str, DetectorView]
Numbers = Callable[[tuple[Bar, ...]], list[tuple[str, int, float | None, int]]]


def test_errors_by_gold_class_leave_out_what_the_reading_does(
    detectors: Detectors, numbers: Numbers
) -> None:
    assert numbers(detectors["labels"].by_gold) == [
        ("contradicting", 1, 0.5, 2),
        ("fabricated", 0, 0.0, 1),
        ("implicitly-supported", 1, 1 / 3, 3),
        ("explicitly-supported", 0, 0.0, 2),
    ]


def test_errors_of_a_class_without_verdicts_are_undefined(
    detectors: Detectors, numbers: Numbers
) -> None:
    assert numbers(detectors["failing"].by_gold)[0] == ("contradicting", 0, None, 0)


def test_no_error_has_an_interval_of_some_width(detectors: Detectors) -> None:
    estimate = detectors["labels"].by_gold[1].estimate
    assert estimate.low == 0
    assert estimate.high is not None
    assert estimate.high > 0.5


def test_errors_by_length_add_up(page: PageView) -> None:
    for each in page.detectors:
        for bars in (each.by_source, each.by_response):
            wrong = sum(judged.is_error for judged in each.evaluation.judged)
            assert sum(bar.link.count for bar in bars if bar.link) == wrong


def test_quarters_keep_equal_lengths_together() -> None:
    assert quarters([10, 20, 30, 40]) == {"10–10": [0], "20–20": [1], "30–30": [2], "40–40": [3]}
    assert quarters([7, 7, 7, 1_000]) == {"7–7": [0, 1, 2], "1,000–1,000": [3]}
