"""A check over a stream in which some rows could not be read."""

from collections.abc import Callable, Iterable, Iterator

from assay.checking.results import Checked
from assay.core.examples import Example
from assay.datasets.files import Problem
from assay.detectors.protocol import Detector


def check_stream(
    items: Iterable[Example | Problem],
    detector: Detector,
    on_problem: Callable[[Problem], None],
) -> Iterator[Checked]:
    """Results as they come; each problem is told when it is met, and the rest goes on."""
    for judgement in detector.detect(_examples(items, on_problem)):
        yield Checked(judgement)


def _examples(
    items: Iterable[Example | Problem], on_problem: Callable[[Problem], None]
) -> Iterator[Example]:
    for item in items:
        if isinstance(item, Problem):
            on_problem(item)
        else:
            yield item
