"""How the time of a call grows with the length of its text: by ratio, and in time of this process.

The lengths grow in steps, and what takes too much more time than the step before is measured again
before it is believed. So a busy machine fails no test, and a call whose time doubles with every
character is found after a few dozen characters instead of hanging the tests.
"""

import gc
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time

# Small steps first, where time that doubles with each character already shows.
SIZES = (8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 1_000, 4_000)
LONG = (25_000, 100_000)
_NOTICED = 0.001  # seconds; anything shorter is mostly noise
_TOO_MUCH = 2  # times as much as the text; its square would be 4 times as much in the last steps
_TRIES = 4
_ENOUGH = 0.15  # seconds after which a text that took too long is not doubled again
_DOUBLED = 200  # characters from which twice the text is tried; before, it might not end

Text = Callable[[int], str]  # of about so many characters


@dataclass(frozen=True, slots=True)
class Growth:
    """What is wrong with the time of a call, or nothing, and the time for the longest text."""

    problem: str
    seconds: float


def measure(
    call: Callable[[str], object],
    text: Text,
    sizes: Iterable[int] = SIZES,
    *,
    in_parts: bool = False,
) -> Growth:
    """How the time of a call grows with its text; a problem ends it.

    A call may read a text `in_parts` and take more time for the first ones.
    """
    before, shorter = 0.0, ""
    for size in sizes:
        longer = text(size)
        took = _seconds(call, longer)
        if shorter and _outgrows(took, before, longer, shorter):
            problem = _remeasured(call, shorter, longer)
            if problem and not (in_parts and size >= _DOUBLED and not _goes_on(call, text, size)):
                return Growth(problem, took)
        before, shorter = took, longer
    return Growth("", before)


def _goes_on(call: Callable[[str], object], text: Text, size: int) -> bool:
    """Whether time outgrows the text however often that is doubled.

    What is read in another way, or in parts, from some length on is in proportion after it.
    """
    for times in (2, 4, 8, 16):
        if _seconds(call, text(size * times // 2)) > _ENOUGH:
            break
        if not _remeasured(call, text(size * times // 2), text(size * times), 1.5):
            return False
    return True


def _remeasured(
    call: Callable[[str], object], shorter: str, longer: str, too_much: float = _TOO_MUCH
) -> str:
    """What is wrong with the growth from one text to another, even at the best of several times."""
    before = took = math.inf
    for _ in range(_TRIES):
        before = min(before, _seconds(call, shorter))
        took = min(took, _seconds(call, longer))
        if not _outgrows(took, before, longer, shorter, too_much):
            return ""
    return (
        f"{before:.4f} s for {len(shorter):,} characters but {took:.4f} s for"
        f" {len(longer):,}, beginning {longer[:40]!r}"
    )


def problems(
    call: Callable[[str], object],
    texts: Iterable[Text],
    sizes: Sequence[int] = SIZES,
    long: Sequence[int] = LONG,
    *,
    in_parts: bool = False,
) -> Iterator[str]:
    """What outgrows its text; the text that takes longest is also tried at full length."""
    slowest, longest = None, 0.0
    for text in texts:
        growth = measure(call, text, sizes, in_parts=in_parts)
        if growth.problem:
            yield growth.problem
            return
        if growth.seconds >= longest:
            slowest, longest = text, growth.seconds
    if slowest and (problem := measure(call, slowest, long).problem):
        yield problem


def _seconds(call: Callable[[str], object], text: str) -> float:
    gc.disable()  # it would take its time from a short call, and hide how the next one grows
    start = process_time()
    call(text)
    took = process_time() - start
    gc.enable()
    return took


def _outgrows(
    took: float, before: float, longer: str, shorter: str, too_much: float = _TOO_MUCH
) -> bool:
    return took > _NOTICED and took > too_much * before * len(longer) / len(shorter)
