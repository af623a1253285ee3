"""Several detectors, one verdict."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError, ServiceError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.taxonomies import BINARY, ERROR5, GRAY7
from assay.core.texts import Span
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.detectors.combinators.combining import TOGETHER
from assay.detectors.combinators.vote import count_votes, vote
from assay.detectors.judges.options import FOLDER
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.llm.client import CallError, Line, Reply, Request, Scripted
from tests.detectors.judges.scripts import MILL, RESPONSE, asked, echo, load, opinion
from tests.judging import judge_all, judge_one

Make = Callable[..., Example]
Script = Callable[..., Detector]
UNIT = "s1"


def says(name: str, score: float | None = None) -> Verdict:
    return Verdict(UNIT, GRAY7[name], score, note=f"I say {name}.")


FAILED = Failure(UNIT, "parse", "no JSON", raw="Well.")


def judge(name: str, script: Callable[[Request], Line] | list[Line], model: str = "m") -> Detector:
    return load(name, Scripted(script, model=model))


def samples(name: str, script: Callable[[Request], Line], votes: int) -> Detector:
    """A judge that is asked several times."""
    return open_detector(DetectorSpec(name, votes=votes), [Scripted(script, model="m")])


def test_every_voter_is_asked_about_the_same_units(make_example: Make, scripted: Script) -> None:
    first = scripted(lambda unit: Verdict(unit.id, GRAY7["no-fact"]), name="a")
    second = scripted(lambda unit: Verdict(unit.id, GRAY7["fabricated"]), name="b")
    judgement = judge_one(vote(first, second, second), make_example(response="It sat. It ate."))
    assert [str(each.label) for each in judgement.findings] == ["fabricated", "fabricated"]
    assert [(each.id, each.text) for each in judgement.findings] == [
        ("s1", "It sat."),
        ("s2", "It ate."),
    ]
    assert judgement.author == vote(first, second, second).author
    assert judgement.author.name == "vote of 1 x a, 2 x b"


def test_only_the_named_units_are_judged_and_keep_their_ids(
    make_example: Make, scripted: Script
) -> None:
    voter = scripted(lambda unit: Verdict(unit.id, GRAY7["no-fact"]))
    example = make_example(response="It sat. It ate. It slept.")
    units = judge_one(voter, example).units[1:2]
    assert judge_one(vote(voter, voter), replace(example, units=units)).units == units


def test_unit_that_a_voter_does_not_judge_is_its_failure(
    make_example: Make, scripted: Script
) -> None:
    full = scripted(lambda unit: Verdict(unit.id, GRAY7["no-fact"]))

    class Lazy:
        """Judges only the first sentence."""

        author, capabilities, prompt_digests = full.author, full.capabilities, full.prompt_digests

        def judge(self, examples: list[Example]) -> object:
            return full.judge([replace(each, units=each.units[:1]) for each in examples])

    lazy: Detector = Lazy()  # type: ignore[assignment]
    judgement = judge_one(vote(lazy, full, full), make_example(response="It sat. It ate."))
    notes = [each.note for each in judgement.findings]
    assert notes == ["3 of 3 agree.", "2 of 3 agree. 1 failed (missing)."]


def test_whole_responses_can_be_voted_on(make_example: Make, scripted: Script) -> None:
    whole = scripted(lambda unit: Verdict(unit.id, score=0.5), unit_kind="response")
    judgement = judge_one(vote(whole, whole), make_example(response="It sat. It ate."))
    assert [unit.kind for unit in judgement.units] == ["response"]


def test_detectors_of_different_units_are_rejected(scripted: Script) -> None:
    with pytest.raises(InputError, match="their kinds of unit differ"):
        vote(scripted(says), scripted(says, unit_kind="response"))


def test_vote_of_nobody_is_rejected() -> None:
    with pytest.raises(InputError, match="at least one detector"):
        vote()


def test_examples_are_taken_as_far_ahead_as_they_are_judged(
    make_example: Make, scripted: Script
) -> None:
    taken: list[int] = []

    def stream() -> Iterator[Example]:
        for number in range(1_000):
            taken.append(number)
            yield make_example(id=str(number))

    async def first() -> Judgement:
        voter = scripted(lambda unit: Verdict(unit.id, score=0.5))
        return await anext(vote(voter, voter).judge(stream()))

    asyncio.run(first())
    assert len(taken) <= 2 * TOGETHER


def test_judges_over_several_models_vote() -> None:
    models = [
        judge("judge-simple", [opinion(label)], label) for label in ("faithful", "unfaithful")
    ]
    result = vote(*models)
    assert result.author.name == "vote of 1 x judge-simple faithful, 1 x judge-simple unfaithful"
    assert result.capabilities.asks_model
    (verdict,) = judge_one(result, MILL).verdicts
    assert verdict.label == BINARY["unfaithful"]
    assert verdict.note == (
        "1 of 2 agree. The votes lie on both sides of faithful and unfaithful. "
        "I find it unfaithful."
    )


def test_samples_carry_their_numbers_and_are_counted() -> None:
    numbers: list[int] = []

    def answer(request: Request) -> Line:
        numbers.append(request.sample)
        return opinion("unfaithful" if request.sample == 1 else "faithful")

    voter = samples("judge-simple", answer, 3)
    (verdict,) = judge_one(voter, MILL).verdicts
    assert numbers == [0, 1, 2]
    assert verdict.label == BINARY["faithful"]
    assert verdict.confidence == pytest.approx(2 / 3)
    assert verdict.note.startswith("2 of 3 agree. The votes lie on both sides")
    assert voter.author.name == "vote of 3 x judge-simple m"


def test_sentences_are_voted_on_one_by_one() -> None:
    first = judge("judge-gray7", lambda _: opinion("no-fact"))
    batch = judge("judge-gray7:batch", echo)
    judgement = judge_one(vote(first, batch), MILL)
    assert [str(each.label) for each in judgement.verdicts] == ["no-fact"] * 3  # rank 3 < 6
    assert judgement.example == MILL.id
    assert judgement.characters_read == len(MILL.source.text)


def test_judges_of_a_vote_are_asked_at_the_same_time() -> None:
    both = asyncio.Event()
    waiting: list[str] = []

    class Patient(Scripted):
        async def ask(self, request: Request) -> Reply:
            waiting.append(self.model)
            if len(waiting) == 2:
                both.set()
            await asyncio.wait_for(both.wait(), 5)
            return await super().ask(request)

    voters = [load("judge-simple", Patient(echo, model=model)) for model in "ab"]
    assert judge_one(vote(*voters), MILL).verdicts[0].note.startswith("2 of 2 agree.")


def test_many_examples_are_voted_on_at_the_same_time() -> None:
    examples = [replace(MILL, id=str(number)) for number in range(40)]
    judgements = judge_all(samples("judge-gray7", echo, 2), examples)
    assert [each.example for each in judgements] == [str(n) for n in range(40)]


def test_failed_judge_does_not_vote_but_is_counted() -> None:
    lost = judge("judge-simple", [CallError("transport", "reset")])
    other = judge("judge-simple", lambda _: opinion("faithful"))
    (verdict,) = judge_one(vote(lost, other, other), MILL).verdicts
    assert verdict.note == "2 of 3 agree. 1 failed (transport). I find it faithful."


def test_wrong_setup_of_one_judge_ends_the_vote() -> None:
    broken = judge("judge-simple", [ServiceError("wrong key")])
    with pytest.raises(ServiceError, match="wrong key"):
        judge_one(vote(judge("judge-simple", echo), broken), MILL)


def test_prompts_of_equal_voters_are_listed_once() -> None:
    a, b = judge("judge-simple", echo, "a"), judge("judge-simple", echo, "b")
    assert vote(a, b).prompt_digests == a.prompt_digests


def test_different_prompts_of_the_same_name_are_both_kept(tmp_path: Path) -> None:
    ours = judge("judge-simple", echo)
    text = (FOLDER / "judge-simple.md").read_text("utf-8")
    (tmp_path / "mine.md").write_text(f"{text}\nBe quick.\n", encoding="utf-8")
    mine = judge(f"judge-simple:prompt={tmp_path / 'mine.md'}", echo)
    assert vote(ours, mine).prompt_digests == {
        "1. judge-simple": ours.prompt_digests["judge-simple"],
        "2. judge-simple": mine.prompt_digests["judge-simple"],
    }
    assert len(set(vote(ours, mine).prompt_digests.values())) == 2


def test_claim_judges_vote_with_their_folds() -> None:
    one = '{"claims": [{"sentence": 1, "claim": "It burned."}]}'
    bad = '{"claims": [{"number": 1, "reason": "No.", "evidence": [], "label": "unfaithful"}]}'
    voter = vote(judge("judge-claims", echo), judge("judge-claims", [one, bad]))
    (finding,) = judge_one(voter, MILL).findings
    assert (voter.capabilities.unit_kind, finding.text) == ("response", RESPONSE)
    assert finding.label == BINARY["unfaithful"]


def test_claims_that_were_checked_in_part_are_not_faithful() -> None:
    """40 claims and two sentences that none of them covers: the second call of two is lost."""
    found = {"claims": [{"sentence": 1, "claim": f"It is fact {n}."} for n in range(40)]}

    def answer(request: Request) -> Line:
        if "The mill burned" in request.messages[-1].content.partition("<<<SENTENCES")[2]:
            return json.dumps(found)
        return request.example if "25. " in asked(request) else CallError("transport", "reset")

    (failure,) = judge_one(samples("judge-claims", answer, 3), MILL).failures
    assert failure.reason == "transport"
    detail = "only a part of it was judged: 17 of 42 units failed"
    assert failure.detail == f"all 3 failed: {detail}"


@pytest.mark.parametrize("name", ["judge-gray7", "judge-claims", "judge-simple"])
def test_spec_of_a_vote_declares_what_the_vote_judges(name: str) -> None:
    spec = DetectorSpec(name, votes=2)
    assert open_detector(spec, [Scripted(echo)]).capabilities == spec.capabilities


def test_localizers_cannot_vote() -> None:
    with pytest.raises(InputError, match="localize-zero m cannot vote") as raised:
        samples("localize-zero", echo, 2)
    assert raised.value.field == "votes"


def test_vote_of_a_judge_and_a_detector_works_too(scripted: Script) -> None:
    offline = scripted(lambda unit: Verdict(unit.id, GRAY7["fabricated"]), name="offline")
    judgement = judge_one(vote(offline, judge("judge-gray7", echo)), MILL)
    assert [str(each.label) for each in judgement.verdicts] == ["fabricated"] * 3


def test_all_failed_is_one_failure() -> None:
    voter = samples("judge-simple", lambda _: CallError("transport", "gone"), 2)
    (failure,) = judge_one(voter, MILL).failures
    assert (failure.reason, failure.detail) == ("transport", "all 2 failed: gone")


def counted(*outcomes: Outcome) -> Verdict:
    result = count_votes(outcomes)
    assert isinstance(result, Verdict)
    return result


def test_majority_wins_and_the_first_of_it_speaks() -> None:
    result = counted(says("no-fact", 0.2), says("fabricated", 0.4), says("fabricated", 0.6))
    assert str(result.label) == "fabricated"
    assert result.score == pytest.approx(0.4)  # (0.2 + 0.4 + 0.6) / 3
    assert result.confidence == pytest.approx(2 / 3)
    assert result.note == "2 of 3 agree. I say fabricated."


def test_tie_goes_to_the_less_faithful() -> None:
    result = counted(says("explicitly-supported"), says("contradicting"))
    assert str(result.label) == "contradicting"
    assert result.confidence == 0.5


def test_failures_do_not_vote_but_lower_the_confidence() -> None:
    result = counted(says("no-fact"), FAILED, says("no-fact"))
    assert str(result.label) == "no-fact"
    assert result.confidence == pytest.approx(2 / 3)
    assert result.note.startswith("2 of 3 agree.")


@pytest.mark.parametrize("verdicts", [1, 2])
def test_half_of_the_voters_or_fewer_are_no_quorum(verdicts: int) -> None:
    result = count_votes([*[says("no-fact")] * verdicts, *[FAILED] * 2])
    detail = f"2 of {verdicts + 2} failed: no JSON"
    assert result == Failure(UNIT, "parse", detail, raw="Well.")


def test_kind_of_error_is_the_speakers() -> None:
    wrong = Verdict(UNIT, GRAY7["fabricated"], error=ERROR5["fabricated-link"])
    assert counted(says("no-fact"), wrong, wrong).error == ERROR5["fabricated-link"]


def test_failure_of_all_has_the_first_reason() -> None:
    result = count_votes([FAILED, Failure(UNIT, "refused")])
    assert isinstance(result, Failure)
    assert (result.reason, result.detail) == ("parse", "all 2 failed: no JSON")


def test_scores_without_labels_are_averaged() -> None:
    result = counted(Verdict(UNIT, score=0.25), Verdict(UNIT, score=0.75))
    assert result.label is None
    assert result.score == 0.5


def test_evidence_of_those_who_agree_is_kept_once() -> None:
    near, far = Span("source", 0, 3, "The"), Span("source", 4, 7, "cat")
    agree = [Verdict(UNIT, GRAY7["no-fact"], evidence=each) for each in ((near,), (near, far))]
    other = Verdict(UNIT, GRAY7["fabricated"], evidence=(Span("source", 8, 11, "sat"),))
    assert counted(*agree, other).evidence == (near, far)


def test_failures_are_listed_with_their_reasons() -> None:
    votes = [says("no-fact")] * 4
    result = counted(*votes, FAILED, FAILED, Failure(UNIT, "refused"))
    assert result.note == "4 of 7 agree. 3 failed (parse, refused). I say no-fact."


def test_all_failed_keeps_a_raw_reply() -> None:
    result = count_votes([FAILED, FAILED])
    assert isinstance(result, Failure)
    assert result.raw == "Well."


def test_votes_on_both_sides_are_told() -> None:
    result = counted(says("fabricated"), says("fabricated"), says("explicitly-supported"))
    assert result.note == (
        "2 of 3 agree. The votes lie on both sides of faithful and unfaithful. I say fabricated."
    )


@pytest.mark.parametrize("other", ["no-fact", "out-dependent", "contradicting"])
def test_different_labels_on_one_side_are_not_both_sides(other: str) -> None:
    assert "both sides" not in counted(says("fabricated"), says(other)).note


def test_scores_on_both_sides_of_a_half_are_told() -> None:
    assert "both sides" in counted(Verdict(UNIT, score=0.4), Verdict(UNIT, score=0.6)).note
    assert "both sides" not in counted(Verdict(UNIT, score=0.5), Verdict(UNIT, score=0.6)).note


def test_attributes_are_the_speakers() -> None:
    by_rules = Verdict(UNIT, GRAY7["fabricated"], attributes=Attributes(backend="rules"))
    assert counted(says("no-fact"), by_rules, by_rules).attributes.backend == "rules"


def test_marks_are_those_of_the_first_that_agrees_and_has_some() -> None:
    mark, other = (Span("response", at, at + 2, "It") for at in (0, 8))
    faithful = replace(says("explicitly-supported"), marks=(other,))
    plain, marking = says("fabricated"), replace(says("fabricated"), marks=(mark,))
    found = count_votes([faithful, plain, marking, replace(plain, marks=(other,))])
    assert found.marks == (mark,)
