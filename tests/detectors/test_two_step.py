"""`two_step`: whom the first step lets through, and how an offline one is run."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.protocol import Judge
from assay.detectors.localize.in_thread import BATCH, InThread
from assay.detectors.localize.making import FOLDER, make_cot, make_zero
from assay.detectors.localize.oracle import Oracle, gold_label, usual_reading
from assay.detectors.protocol import Detector
from assay.detectors.two_step import TwoStep, two_step
from assay.detectors.units import response_unit
from assay.evaluate.items import DEFAULT_READINGS, Reading, find_items
from assay.llm.client import CallError
from assay.llm.scripted import Line, Scripted
from tests.detectors.judges.scripts import Heard
from tests.detectors.localize.scripts import AGE, BOAT, listed

MakeDetector = Callable[..., Detector]
FOUND = listed(AGE)
EXPLICIT, FABRICATED = GRAY7["explicitly-supported"], GRAY7["fabricated"]


def hear(classifier: Any, lines: Iterable[Line], example: Example = BOAT) -> Heard:
    client = Scripted(lines)
    judge = two_step(classifier, make_zero(client, ""))
    return Heard(asyncio.run(judge.judge(example)).outcomes, client.requests)


def test_localizer_is_not_asked_where_the_first_step_says_faithful(scripted: MakeDetector) -> None:
    heard = hear(scripted(lambda unit: Verdict(unit, EXPLICIT)), [])
    assert (heard.labels, heard.requests) == (["faithful"], [])
    assert heard.outcomes[0].unit == response_unit(BOAT)
    assert heard.verdict().note.startswith("The first step (scripted) finds it faithful")


def test_one_unfaithful_sentence_is_enough_to_ask_the_localizer(scripted: MakeDetector) -> None:
    def second_is_wrong(unit: Unit) -> Outcome:
        return Verdict(unit, FABRICATED if unit.start else EXPLICIT)

    heard = hear(scripted(second_is_wrong), [FOUND])
    assert heard.labels == ["unfaithful", "unfaithful"]
    assert heard.verdict(0).note == (
        "The first step (scripted) does not find it faithful. 1 inconsistency found."
    )
    assert heard.verdict(1).note == ""


@pytest.mark.parametrize(
    ("label", "asked"),
    [("no-fact", False), ("implicitly-supported", False), ("ambiguous", True)],
)
def test_localizer_is_asked_unless_the_first_step_finds_nothing_doubtful(
    scripted: MakeDetector, label: str, asked: bool
) -> None:
    heard = hear(scripted(lambda unit: Verdict(unit, GRAY7[label])), [FOUND])
    assert bool(heard.requests) is asked


def test_scores_are_cut_in_the_middle(scripted: MakeDetector) -> None:
    assert hear(scripted(lambda unit: Verdict(unit, score=0.4)), [FOUND]).requests
    assert not hear(scripted(lambda unit: Verdict(unit, score=0.5)), [FOUND]).requests


def test_localizer_may_find_nothing_where_the_first_step_does(scripted: MakeDetector) -> None:
    heard = hear(scripted(lambda unit: Verdict(unit, FABRICATED)), [listed()])
    assert heard.labels == ["faithful"]
    assert "does not find it faithful. No inconsistency found." in heard.verdict().note


def test_failure_of_the_first_step_is_a_failure(scripted: MakeDetector) -> None:
    heard = hear(scripted(lambda unit: Failure(unit, "language", "it is Danish")), [FOUND])
    assert (heard.labels, heard.requests) == (["failed: language"], [])
    assert heard.failure().detail == "the first step (scripted) has no verdict: it is Danish"


def test_failure_beside_an_unfaithful_sentence_does_not_matter(scripted: MakeDetector) -> None:
    def first_fails(unit: Unit) -> Outcome:
        return Verdict(unit, FABRICATED) if unit.start else Failure(unit, "parse")

    assert hear(scripted(first_fails), [FOUND]).labels == ["unfaithful", "unfaithful"]


def test_failure_of_the_localizer_stays_as_it_is(scripted: MakeDetector) -> None:
    heard = hear(scripted(lambda u: Verdict(u, FABRICATED)), [CallError("budget", "spent")])
    assert heard.labels == ["failed: budget"]
    assert heard.failure().detail == "spent"


def test_named_units_reach_the_step_that_judges_their_kind(scripted: MakeDetector) -> None:
    detector = scripted(lambda unit: Verdict(unit, EXPLICIT))
    hear(detector, [], replace(BOAT, units=(response_unit(BOAT),)))
    assert len(detector.log) == 2  # type: ignore[attr-defined]


def ask_self(*lines: Line) -> Heard:
    client = Scripted(lines)
    judge = make_cot(client, "two-step=self")
    return Heard(asyncio.run(judge.judge(BOAT)).outcomes, client.requests)


def test_self_asks_the_same_model_for_a_reasoned_verdict_first() -> None:
    heard = ask_self("All ages differ.\nVerdict: unfaithful", FOUND)
    assert heard.labels == ["unfaithful", "unfaithful"]
    assert len(heard.requests) == 2
    assert len(ask_self("It agrees.\nVerdict: faithful").requests) == 1
    assert ask_self("Hm.", "Hm.").labels == ["failed: parse"]


def test_judge_of_two_steps_says_who_it_is_and_what_it_asks_with() -> None:
    client = Scripted((), model="m")
    judge = make_cot(client, "b,two-step=self")
    assert isinstance(judge, Judge)
    assert judge.name == "localize-cot:b m after judge-grounding m"
    assert list(judge.prompt_digests) == ["1. judge-grounding", "2. localize-cot-b"]
    assert list(make_cot(client, "two-step=gold").prompt_digests) == ["localize-cot-a"]
    assert judge.client is client
    assert (judge.unit_kind, judge.taxonomy) == ("response", BINARY)


def test_prompt_of_one_step_does_not_hide_one_of_that_name_of_the_other(tmp_path: Path) -> None:
    text = (FOLDER / "localize-zero-a.md").read_text(encoding="utf-8")
    other = tmp_path / "mine.md"
    other.write_text(text.replace("You compare", "Please compare"), encoding="utf-8")
    client = Scripted(())
    steps = make_zero(client, ""), make_zero(client, f"prompt={other}")
    assert [list(step.prompt_digests) for step in steps] == [["localize-zero-a"]] * 2
    both = two_step(*steps).prompt_digests
    assert len(set(both.values())) == 2


def test_client_of_another_model_is_held_open_as_well() -> None:
    first, second = Scripted((), model="small"), Scripted((), model="large")
    judge = two_step(make_zero(first, ""), make_cot(second, ""))
    assert judge.client.model == "small, large"


def test_any_detector_can_be_the_first_step() -> None:
    fair = Example("1", Source("The cat sat on the mat."), Response("The cat sat on the mat."))
    judge = make_cot(Scripted([FOUND]), "two-step=overlap")
    (judgement,) = judge.detect([fair])
    assert [str(each.label) for each in judgement.verdicts] == ["faithful"]
    assert judgement.characters_read == len(fair.source.text)


def test_what_neither_step_read_is_not_counted(scripted: MakeDetector) -> None:
    class Short(InThread):
        async def judge(self, example: Example) -> Judgement:
            return replace(await super().judge(example), characters_read=7)

    first = Short(scripted(lambda unit: Verdict(unit, FABRICATED)))
    judge = TwoStep(first, make_zero(Scripted([FOUND]), ""))
    assert asyncio.run(judge.judge(BOAT)).characters_read == 7


# The oracle.


def oracle(*gold: Verdict) -> Outcome:
    judgement = asyncio.run(Oracle().judge(replace(BOAT, gold=gold)))
    return judgement.outcomes[0]


WHOLE = response_unit(BOAT)
SPAN = Unit.at("span", replace(WHOLE.spans[0], end=10, text=WHOLE.text[:10]))


@pytest.mark.parametrize(
    ("gold", "label"),
    [
        ((Verdict(WHOLE, BINARY["faithful"]), Verdict(SPAN, FAITHBENCH["benign"])), "faithful"),
        ((Verdict(WHOLE, FAITHBENCH["benign"]),), "faithful"),
        ((Verdict(WHOLE, FAITHBENCH["questionable"]),), "unfaithful"),
        ((Verdict(SPAN, FAITHBENCH["unwanted.intrinsic"], judge="x"),), "unfaithful"),
        (
            (
                Verdict(WHOLE, BINARY["faithful"], judge="x"),
                Verdict(WHOLE, BINARY["unfaithful"], judge="y"),
            ),
            "unfaithful",
        ),
    ],
)
def test_oracle_reads_the_gold_label_as_usual(gold: tuple[Verdict, ...], label: str) -> None:
    outcome = oracle(*gold)
    assert isinstance(outcome, Verdict)
    assert str(outcome.label) == label


def test_oracle_without_a_label_that_counts_is_a_failure() -> None:
    nothing, left_out = oracle(), oracle(Verdict(WHOLE, GRAY7["ambiguous"]))
    assert isinstance(nothing, Failure)
    assert isinstance(left_out, Failure)
    assert (nothing.reason, nothing.detail) == ("missing", "the example has no gold label")
    assert "leaves out ambiguous" in left_out.detail


def test_gold_step_lets_through_what_people_find_unfaithful() -> None:
    client = Scripted([FOUND])
    judge = make_cot(client, "two-step=gold")
    bad = replace(BOAT, gold=(Verdict(WHOLE, BINARY["unfaithful"]),))
    good = replace(BOAT, gold=(Verdict(WHOLE, BINARY["faithful"]),))
    labels = [[str(v.label) for v in each.verdicts] for each in judge.detect([good, bad])]
    assert labels == [["faithful"], ["unfaithful", "unfaithful"]]
    assert len(client.requests) == 1


def test_usual_readings_are_those_of_the_evaluation() -> None:
    assert {name: usual_reading(name).name for name in DEFAULT_READINGS} == DEFAULT_READINGS


@pytest.mark.shared_data
@pytest.mark.parametrize("corpus", ["ragtruth", "faithbench", "faithbench-paper", "defacto"])
def test_oracle_says_of_released_data_what_the_evaluation_says(
    shared_data: Path, corpus: str
) -> None:
    from assay.datasets.corpus import load_corpus

    examples = list(load_corpus(corpus, shared_data))
    items = {item.example: item for item in find_items(examples, Reading())}
    assert len(items) == len(examples)
    for example in examples:
        assert gold_label(example) == items[example.id].gold


# Offline detectors in a thread.


@dataclass
class Slow:
    """Notes the batches that it is given, and takes its time for each."""

    seconds: float = 0.05
    name: str = "slow"
    unit_kind: UnitKind = "response"
    taxonomy: Taxonomy = BINARY
    batches: list[list[str]] = field(default_factory=list)
    threads: set[str] = field(default_factory=set)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        batch = list(examples)
        self.batches.append([example.id for example in batch])
        self.threads.add(threading.current_thread().name)
        time.sleep(self.seconds)
        for example in batch:
            label = BINARY["faithful" if example.id != "5" else "unfaithful"]
            yield Judgement(example, (Verdict(response_unit(example), label),), 1)


def many(count: int) -> list[Example]:
    return [replace(BOAT, id=str(number)) for number in range(count)]


def test_examples_that_wait_are_judged_together_and_the_loop_goes_on() -> None:
    slow, ticks = Slow(), 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.005)
            ticks += 1

    async def run() -> list[Judgement]:
        step = InThread(slow)
        ticking = asyncio.create_task(tick())
        found = await asyncio.gather(*(step.judge(example) for example in many(BATCH + 3)))
        ticking.cancel()
        return found

    found = asyncio.run(run())
    assert [each.example.id for each in found] == [str(n) for n in range(BATCH + 3)]
    assert [len(batch) for batch in slow.batches] == [BATCH, 3]
    assert ticks >= 5
    assert threading.current_thread().name not in slow.threads


def test_examples_that_come_while_a_batch_is_judged_form_the_next() -> None:
    slow = Slow()

    async def run() -> None:
        step = InThread(slow)
        first = asyncio.create_task(step.judge(many(1)[0]))
        await asyncio.sleep(0.02)
        await asyncio.gather(first, *(step.judge(example) for example in many(4)[1:]))

    asyncio.run(run())
    assert slow.batches == [["0"], ["1", "2", "3"]]


def test_step_can_be_used_in_one_event_loop_after_another() -> None:
    slow = Slow(seconds=0.01)
    step = InThread(slow)

    async def run() -> None:
        await asyncio.gather(*(step.judge(example) for example in many(BATCH + 1)))

    asyncio.run(run())
    asyncio.run(run())
    assert [len(batch) for batch in slow.batches] == [BATCH, 1, BATCH, 1]


def test_one_that_is_called_off_leaves_the_others_alone() -> None:
    async def run() -> list[str]:
        step = InThread(Slow())
        tasks = [asyncio.create_task(step.judge(example)) for example in many(3)]
        await asyncio.sleep(0.01)
        tasks[0].cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        return [getattr(getattr(each, "example", None), "id", "cancelled") for each in ended]

    assert asyncio.run(run()) == ["cancelled", "1", "2"]


def test_error_of_the_detector_reaches_everybody_who_waits() -> None:
    class Broken(Slow):
        def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
            raise ValueError("no weights")

    async def run() -> list[object]:
        step = InThread(Broken())
        return list(await asyncio.gather(*map(step.judge, many(2)), return_exceptions=True))

    assert [str(each) for each in asyncio.run(run())] == ["no weights", "no weights"]


def test_stream_of_examples_is_classified_in_batches_and_comes_out_in_order() -> None:
    slow = Slow(seconds=0.01)
    client = Scripted(lambda _: FOUND)
    found = list(two_step(slow, make_zero(client, "")).detect(many(100)))
    assert [each.example.id for each in found] == [str(n) for n in range(100)]
    assert len(client.requests) == 1
    assert len(slow.batches) < 30
