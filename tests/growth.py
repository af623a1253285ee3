"""How the time of a call grows with the length of its text: by ratio, and in time of this process.

The lengths grow in steps, and what takes too much more time than the step before is measured again
before it is believed. So a busy machine fails no test, and a call whose time doubles with every
character is found after a few dozen characters instead of hanging the tests.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time

# Small steps first, where time that doubles with each character already shows.
SIZES = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 1_000, 4_000)
LONG = (25_000, 100_000)
_NOTICED = 0.001  # seconds; anything shorter is mostly noise
_TOO_MUCH = 2  # times as much as the text; its square would be 4 times as much in the last steps
_TRIES = 6

Text = Callable[[int], str]  # of about so many characters


@dataclass(frozen=True, slots=True)
class Growth:
    """What is wrong with the time of a call, or nothing, and the time for the longest text."""

    problem: str
    seconds: float


def measure(call: Callable[[str], object], text: Text, sizes: Iterable[int] = SIZES) -> Growth:
    """How the time of a call grows with its text; a problem ends it."""
    before, shorter = 0.0, ""
    for size in sizes:
        longer = text(size)
        took = _seconds(call, longer)
        if shorter and _outgrows(took, before, longer, shorter):
            for _ in range(_TRIES):
                before = min(before, _seconds(call, shorter))
                took = min(took, _seconds(call, longer))
                if not _outgrows(took, before, longer, shorter):
                    break
            else:
                problem = (
                    f"{before:.4f} s for {len(shorter):,} characters but {took:.4f} s for"
                    f" {len(longer):,}, beginning {longer[:40]!r}"
                )
                return Growth(problem, took)
        before, shorter = took, longer
    return Growth("", before)


def problems(
    call: Callable[[str], object], texts: Iterable[Text], sizes: Sequence[int] = SIZES
) -> Iterator[str]:
    """What outgrows its text; the text that takes longest is also tried at full length."""
    slowest, longest = None, 0.0
    for text in texts:
        growth = measure(call, text, sizes)
        if growth.problem:
            yield growth.problem
            return
        if growth.seconds >= longest:
            slowest, longest = text, growth.seconds
    if slowest and (problem := measure(call, slowest, LONG).problem):
        yield problem


def _seconds(call: Callable[[str], object], text: str) -> float:
    start = process_time()
    call(text)
    return process_time() - start


def _outgrows(took: float, before: float, longer: str, shorter: str) -> bool:
    return took > _NOTICED and took > _TOO_MUCH * before * len(longer) / len(shorter)
