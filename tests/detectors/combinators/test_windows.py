"""Windows of examples, and cascades of detectors that run here and share them."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.rendering import read_source
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response
from assay.core.units import Unit
from assay.core.verdicts import Outcome, Verdict
from assay.detectors.combinators.cascade import cascade
from assay.detectors.combinators.combining import StageMeter
from assay.detectors.combinators.windows import MOST, USUAL, judge_window, windows
from assay.detectors.protocol import Detector, closing
from tests.conftest import Scripted
from tests.judging import judge_all, judge_one

Script = Callable[..., Detector]


def example(number: int, source: int, response: str = "It is weak.") -> Example:
    return Example(str(number), read_source(f"Source {source}."), Response(response))


def corpus(*responses: int) -> list[Example]:
    """Examples with so many responses to each source."""
    sources = [source for source, count in enumerate(responses) for _ in range(count)]
    return [example(number, source) for number, source in enumerate(sources)]


@given(st.lists(st.integers(1, 100), max_size=12))
def test_windows_keep_the_order_and_part_no_source_below_their_limit(counts: list[int]) -> None:
    given = corpus(*counts)
    found = list(windows(given))
    assert [each for window in found for each in window] == given
    for before, after in pairwise(found):
        assert USUAL <= len(before) <= MOST
        assert before[-1].source != after[0].source or len(before) == MOST
    assert [each for window in windows(iter(given)) for each in window] == given


def test_windows_of_a_stream_grow_and_those_of_what_is_all_there_do_not() -> None:
    of_three, of_one = corpus(*[3] * 36), corpus(200)
    assert [len(each) for each in windows(iter(of_three))] == [1, 2, 4, 8, 16, 32, 33, 12]
    assert [len(each) for each in windows(of_three)] == [33, 33, 33, 9]
    assert [len(each) for each in windows(iter(of_one))] == [1, 2, 4, 8, 16, 64, 64, 41]
    assert [len(each) for each in windows(of_one)] == [64, 64, 64, 8]


def test_growing_windows_of_a_stream_do_not_wait_for_what_follows() -> None:
    taken: list[str] = []

    def stream() -> Iterator[Example]:
        for each in corpus(*[1] * 80):
            taken.append(each.id)
            yield each

    assert [len(taken) for _ in windows(stream())] == [1, 3, 7, 15, 31, 64, 80]


def test_id_that_comes_again_is_in_another_window() -> None:
    twice = [example(1, 0), example(1, 0), example(2, 0)]
    assert [len(window) for window in windows(twice)] == [1, 2]


class Logging(Scripted):
    """Notes which examples it is handed together."""

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        together = list(examples)
        if together:
            self.log.append(" ".join(each.id for each in together))
        return Scripted.judge(Scripted(self.script, self.name), together)


def unsure_of_weak(unit: Unit) -> Outcome:
    confidence = 0.5 if "weak" in unit.text else 0.9
    return Verdict(unit.id, GRAY7["fabricated"], confidence=confidence, note="cheap")


def sure(unit: Unit) -> Outcome:
    return Verdict(unit.id, GRAY7["explicitly-supported"], note="expensive")


def test_both_parts_are_handed_what_is_all_there_together() -> None:
    texts = ["It is weak.", "It is sure.", "It is weak. It is sure."]
    given = [example(number, number // 3, texts[number % 3]) for number in range(9)]
    first, second = Logging(unsure_of_weak), Logging(sure)
    judge_all(cascade(first, second), given)
    assert first.log == ["0 1 2 3 4 5 6 7 8"]
    assert second.log == ["0 2 3 5 6 8"]


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.booleans()), max_size=40))
def test_judgements_are_those_of_each_example_by_itself(rows: list[tuple[int, bool, bool]]) -> None:
    given = [
        example(number, source, " ".join(f"It is {'weak' if weak else 'sure'}." for weak in both))
        for number, (source, *both) in enumerate(rows)
    ]
    both = cascade(Scripted(unsure_of_weak), Scripted(sure))
    assert judge_all(both, given) == [judge_one(both, each) for each in given]


def test_work_of_both_parts_is_counted() -> None:
    meters = StageMeter("a"), StageMeter("b")
    both = cascade(Scripted(unsure_of_weak), Scripted(sure), meters=meters)
    judge_all(both, [*corpus(2), example(3, 1, "It is sure.")])
    one, two = both.uses
    assert (one.examples, two.examples) == (3, 2)
    assert one.seconds >= 0 <= two.seconds


def test_detector_that_leaves_an_example_out_is_found_out() -> None:
    class Forgetful(Scripted):
        async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
            async for judgement in Scripted.judge(self, list(examples)[1:]):
                yield judgement

    with pytest.raises(RuntimeError, match="scripted left an example out"):
        judge_all(cascade(Forgetful(sure), Scripted(sure)), corpus(2))


def test_work_ends_where_no_more_is_wanted() -> None:
    ended: list[str] = []

    class Long(Scripted):
        async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
            try:
                async for judgement in Scripted.judge(self, examples):
                    yield judgement
            finally:
                ended.append("closed")

    async def take_one() -> None:
        async with closing(judge_window(Long(sure), corpus(3), StageMeter(""))) as judgements:
            await anext(judgements)

    asyncio.run(take_one())
    assert ended == ["closed"]
