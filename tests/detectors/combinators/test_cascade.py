"""A cheap detector first, an expensive one where it is unsure."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Finding, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.combinators.cascade import cascade
from assay.detectors.combinators.combining import TOGETHER
from assay.detectors.protocol import Detector, judgement_of
from assay.llm.client import CallError, Scripted
from assay.text.sentences import sentence_units
from tests.detectors.judges.scripts import MILL, echo, load
from tests.judging import judge_all, judge_one

Make = Callable[..., Example]
Script = Callable[..., Detector]


def cheap(unit: Unit) -> Outcome:
    """Sure of what is sure, unsure of the rest."""
    if unit.text == "It failed.":
        return Failure(unit.id, "parse")
    label = "out-dependent" if unit.text == "It is gray." else "fabricated"
    confidence = {"It is sure.": 0.9, "It is edge.": 0.8, "It is weak.": 0.79}.get(unit.text)
    return Verdict(unit.id, GRAY7[label], confidence=confidence, note="cheap")


def expensive(unit: Unit) -> Outcome:
    return Verdict(unit.id, GRAY7["explicitly-supported"], note="expensive")


RESPONSE = "It is sure. It is weak. It is plain. It is gray. It is edge. It failed."


def test_second_is_asked_only_where_the_first_is_unsure(
    make_example: Make, scripted: Script
) -> None:
    asked: list[str] = []
    both = cascade(scripted(cheap), scripted(expensive, log=asked))
    judgement = judge_one(both, make_example(response=RESPONSE))
    assert asked == ["It is weak.", "It is gray.", "It failed."]
    assert judgement.author == both.author
    assert [each.text for each in judgement.findings] == [
        *("It is sure.", "It is weak.", "It is plain.", "It is gray.", "It is edge.", "It failed.")
    ]
    assert [each.note for each in judgement.verdicts] == [
        *("cheap", "expensive", "cheap", "expensive", "cheap", "expensive")
    ]


def test_second_is_not_asked_at_all_where_everything_is_sure(
    make_example: Make, scripted: Script
) -> None:
    asked: list[str] = []
    both = cascade(scripted(cheap), scripted(expensive, log=asked), below=0.5)
    judgement = judge_one(both, make_example(response="It is sure. It is weak."))
    assert asked == []
    assert len(judgement.verdicts) == 2


def test_second_opinion_that_fails_leaves_the_first_with_a_note(
    make_example: Make, scripted: Script
) -> None:
    broken = scripted(lambda unit: Failure(unit.id, "transport"))
    both = cascade(scripted(cheap), broken)
    judgement = judge_one(both, make_example(response="It is weak."))
    (verdict,) = judgement.verdicts
    assert str(verdict.label) == "fabricated"
    assert verdict.note == "cheap The second opinion failed (transport)."


def test_unit_that_both_fail_on_has_the_second_failure(
    make_example: Make, scripted: Script
) -> None:
    broken = scripted(lambda unit: Failure(unit.id, "refused"))
    judgement = judge_one(cascade(scripted(cheap), broken), make_example(response="It failed."))
    assert [each.reason for each in judgement.failures] == ["refused"]


def test_each_example_gets_its_own_second_opinion(make_example: Make, scripted: Script) -> None:
    texts = ["It is weak.", "It is sure.", "It is gray.", "It is plain."] * 20
    examples = [make_example(response=text, id=str(n)) for n, text in enumerate(texts)]
    results = judge_all(cascade(scripted(cheap), scripted(expensive)), examples)
    notes = [each.verdicts[0].note for each in results]
    assert notes == ["expensive", "cheap", "expensive", "cheap"] * 20


def test_examples_are_taken_as_far_ahead_as_they_are_judged(
    make_example: Make, scripted: Script
) -> None:
    taken: list[int] = []

    def stream() -> Iterator[Example]:
        for number in range(1_000):
            taken.append(number)
            yield make_example(id=str(number))

    async def first() -> Judgement:
        return await anext(cascade(scripted(cheap), scripted(expensive)).judge(stream()))

    asyncio.run(first())
    assert len(taken) <= 3 * TOGETHER  # those under way, and results that nobody has taken


def test_it_says_who_it_is_and_lists_its_stages(scripted: Script) -> None:
    first, second = scripted(cheap, name="a"), scripted(cheap, name="b")
    both = cascade(first, second)
    assert both.author.name == "a then b"
    assert both.stages == (first, second)


def test_detectors_of_different_units_are_rejected(scripted: Script) -> None:
    with pytest.raises(InputError, match="a and b cannot be combined: their kinds of unit differ"):
        cascade(scripted(cheap, name="a"), scripted(cheap, name="b", unit_kind="response"))


class WithClaims:
    """Finds one claim in each sentence, and says of it what it says of the sentence."""

    def __init__(self, inner: Detector, claim: str) -> None:
        self.author, self.capabilities = inner.author, inner.capabilities
        self.prompt_digests, self._inner, self._claim = inner.prompt_digests, inner, claim

    async def judge(self, examples: list[Example]) -> object:
        async for judgement in self._inner.judge(examples):
            findings = []
            for each in judgement.findings:
                part = Unit(f"{each.id}.c1", "claim", self._claim, parent=each.id)
                findings += [each, Finding(part, replace(each.outcome, unit=part.id))]
            example = next(each for each in examples if each.id == judgement.example)
            yield judgement_of(example, self.author, findings)


def test_parts_come_from_the_detector_whose_verdict_counts(
    make_example: Make, scripted: Script
) -> None:
    first = WithClaims(scripted(cheap), "from the first")
    second = WithClaims(scripted(expensive), "from the second")
    both = cascade(first, second)  # type: ignore[arg-type]
    judgement = judge_one(both, make_example(response="It is sure. It is weak."))
    assert [(each.id, each.text) for each in judgement.parts] == [
        ("s1.c1", "from the first"),
        ("s2.c1", "from the second"),
    ]
    assert [each.note for each in judgement.parts] == ["cheap", "expensive"]


def test_where_the_first_finds_no_claims_the_second_looks_for_them() -> None:
    lost = load("judge-claims", Scripted([CallError("transport", "gone")]))
    judgement = judge_one(cascade(lost, load("judge-claims", Scripted(echo))), MILL)
    assert [each.kind for each in judgement.findings] == ["claim"] * 3
    assert not judgement.failures


def test_named_sentences_keep_their_ids(make_example: Make, scripted: Script) -> None:
    example = make_example(response=RESPONSE)
    units = sentence_units(example)[1:4]
    both = cascade(scripted(cheap), scripted(expensive))
    assert judge_one(both, replace(example, units=units)).units == units
