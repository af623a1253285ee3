"""Detectors that are asked about one example at a time."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field, replace

from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.taxonomies import BINARY
from assay.core.verdicts import Verdict
from assay.detectors.combinators.combining import BATCH, PerExample
from assay.detectors.protocol import Capabilities, in_batches, judgement_of
from assay.text.sentences import response_unit
from tests.detectors.judges.scripts import MILL


@dataclass
class Computing:
    """Notes the batches that it is given, and waits with each until it may go on."""

    error: Exception | None = None
    author: Author = field(default_factory=lambda: Author("computing"))
    capabilities: Capabilities = field(default_factory=lambda: Capabilities("response", BINARY))
    prompt_digests: Mapping[str, str] = field(default_factory=dict)
    batches: list[list[str]] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)
    may_go_on: threading.Event = field(default_factory=threading.Event)

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        given = list(examples)
        self.batches.append([example.id for example in given])
        return in_batches(given, lambda batch: map(self._judge, batch))

    def _judge(self, example: Example) -> Judgement:
        self.threads.add(threading.current_thread().name)
        self.may_go_on.wait(5)
        if self.error:
            raise self.error
        verdict = Verdict("response", BINARY["faithful"])
        return judgement_of(example, self.author, [Finding(response_unit(example), verdict)])


def many(count: int) -> list[Example]:
    return [replace(MILL, id=str(number)) for number in range(count)]


def test_examples_that_wait_are_judged_together_and_the_loop_goes_on() -> None:
    detector = Computing()

    async def work() -> list[Judgement]:
        step = PerExample(detector)
        tasks = [asyncio.create_task(step.judge(example)) for example in many(BATCH + 3)]
        await asyncio.sleep(0.01)
        detector.may_go_on.set()  # only a loop that goes on meanwhile comes here
        return await asyncio.gather(*tasks)

    found = asyncio.run(work())
    assert [each.example for each in found] == [str(n) for n in range(BATCH + 3)]
    assert [len(batch) for batch in detector.batches] == [BATCH, 3]
    assert threading.current_thread().name not in detector.threads


def test_examples_that_come_while_a_batch_is_judged_form_the_next() -> None:
    detector = Computing()

    async def work() -> None:
        step = PerExample(detector)
        first, *others = many(4)
        tasks = [asyncio.create_task(step.judge(first))]
        await asyncio.sleep(0.01)
        tasks += [asyncio.create_task(step.judge(example)) for example in others]
        await asyncio.sleep(0.01)
        detector.may_go_on.set()
        await asyncio.gather(*tasks)

    asyncio.run(work())
    assert detector.batches == [["0"], ["1", "2", "3"]]


def test_the_same_example_twice_is_judged_in_two_batches() -> None:
    detector = Computing()
    detector.may_go_on.set()

    async def work() -> None:
        step = PerExample(detector)
        await asyncio.gather(step.judge(MILL), step.judge(replace(MILL, units=())))

    asyncio.run(work())
    assert detector.batches == [[MILL.id], [MILL.id]]


def test_caller_that_is_cancelled_leaves_the_others_alone() -> None:
    detector = Computing()

    async def work() -> list[object]:
        step = PerExample(detector)
        tasks = [asyncio.create_task(step.judge(example)) for example in many(3)]
        await asyncio.sleep(0.01)
        tasks[0].cancel()
        detector.may_go_on.set()
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    lost, *others = asyncio.run(work())
    assert isinstance(lost, asyncio.CancelledError)
    assert [getattr(each, "example", "") for each in others] == ["1", "2"]


def test_error_of_the_detector_reaches_everybody_who_waits() -> None:
    detector = Computing(ValueError("no weights"))
    detector.may_go_on.set()

    async def work() -> list[object]:
        step = PerExample(detector)
        return list(await asyncio.gather(*map(step.judge, many(2)), return_exceptions=True))

    assert [str(each) for each in asyncio.run(work())] == ["no weights", "no weights"]
