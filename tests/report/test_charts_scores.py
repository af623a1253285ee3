"""The risk-coverage curve and the reliability diagram, as data."""

from collections.abc import Callable

import numpy as np

from assay.report.charts import Link
from assay.report.charts_scores import risk_curve
from assay.report.evaluation_detector import DetectorView
from assay.report.evaluation_page import PageView

Detectors = dict[str, DetectorView]
Shown = Callable[[PageView, Link], list[str]]


def test_curve_is_of_the_items_that_count(detectors: Detectors) -> None:
    curve = detectors["scores"].curve
    assert curve is not None
    assert curve.n == 8
    # Scores of the counted from high: 9 | 8 8 | 7 | 4 | 3 2 1, of which the last three unfaithful.
    assert [round(point.coverage * 8) for point in curve.points] == [1, 3, 4, 5, 6, 7, 8]
    assert curve.points[-1].risk == 3 / 8
    assert detectors["failing"].curve is None


def test_curve_has_few_points_and_a_line_for_each_tenth() -> None:
    random = np.random.default_rng(1)
    curve = risk_curve(random.random(5_000) < 0.5, random.random(5_000))
    assert curve is not None
    assert len(curve.points) == 200
    assert [round(point.coverage, 3) for point in curve.listed] == [n / 10 for n in range(1, 11)]


def test_bins_link_to_their_scores(page: PageView, detectors: Detectors, shown: Shown) -> None:
    bins = detectors["scores"].bins
    assert [each.bin.n for each in bins] == [1, 1, 1, 1, 1, 2, 1]
    assert shown(page, bins[5].link) == ["Sentence 2 of b.", "Sentence 3 of c."]
    assert detectors["failing"].bins == ()
