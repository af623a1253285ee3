"""A check over a stream in which some rows could not be read."""

from collections.abc import Callable

from assay.checking.stream import check_stream
from assay.core import Example
from assay.datasets import Problem
from assay.detectors import load_detector


def test_problems_are_told_when_met_and_the_rest_goes_on(
    make_example: Callable[..., Example],
) -> None:
    told: list[Problem] = []
    broken = Problem("line 2", "broken")
    items: list[Example | Problem] = [make_example(id="a"), broken, make_example(id="b")]
    results = check_stream(iter(items), load_detector(), told.append)
    assert (next(results).id, told) == ("a", [])
    assert (next(results).id, told) == ("b", [broken])
    assert list(results) == []
