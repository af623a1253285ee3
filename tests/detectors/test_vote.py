"""Several detectors, one verdict."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, cast

import pytest

from assay.core import Example, Failure, InputError, Judgement, Unit, Verdict
from assay.core.errors import ServiceError
from assay.core.taxonomies import BINARY, GRAY7
from assay.detectors import Detector, fold, load_detector, vote, vote_samples
from assay.detectors.judges.protocol import Judge
from assay.detectors.judges.templates import FOLDER
from assay.llm.client import CallError, Reply, Request
from assay.llm.scripted import Line, Scripted
from tests.detectors.judges.scripts import MILL, RESPONSE, asked, echo, opinion

Make = Callable[..., Example]
Script = Callable[..., Detector]
UNIT = Unit("sentence", "It sat.")


def says(name: str, score: float | None = None) -> Verdict:
    return Verdict(UNIT, GRAY7[name], score, note=f"I say {name}.")


def test_every_voter_is_asked_about_the_same_units(make_example: Make, scripted: Script) -> None:
    first = scripted(lambda unit: Verdict(unit, GRAY7["no-fact"]), name="a")
    second = scripted(lambda unit: Verdict(unit, GRAY7["fabricated"]), name="b")
    example = make_example(response="It sat. It ate.")
    (judgement,) = vote(first, second, second).detect([example])
    assert [str(each.label) for each in judgement.verdicts] == ["fabricated", "fabricated"]
    assert [each.unit.text for each in judgement.outcomes] == ["It sat.", "It ate."]
    assert vote(first, second, second).name == "vote of 1 x a, 2 x b"


def test_whole_responses_can_be_voted_on(make_example: Make, scripted: Script) -> None:
    judge = scripted(lambda unit: Verdict(unit, score=0.5), unit_kind="response")
    (judgement,) = vote(judge, judge).detect([make_example(response="It sat. It ate.")])
    assert [each.unit.kind for each in judgement.outcomes] == ["response"]


@pytest.mark.parametrize(
    ("difference", "message"),
    [({"taxonomy": BINARY}, "their taxonomy differs"), ({"unit_kind": "response"}, "unit_kind")],
)
def test_detectors_of_different_kinds_are_rejected(
    difference: dict[str, object], message: str, scripted: Script
) -> None:
    with pytest.raises(InputError, match=message):
        vote(scripted(says), scripted(says, **difference))


def test_vote_of_nobody_is_rejected() -> None:
    with pytest.raises(InputError, match="at least one detector"):
        vote()


def test_examples_are_taken_in_batches_of_32(make_example: Make, scripted: Script) -> None:
    stream = (make_example(id=str(number)) for number in range(1_000))
    judge = scripted(lambda unit: Verdict(unit, score=0.5))
    results = vote(judge, judge).detect(stream)
    assert next(results).example.id == "0"
    assert next(stream).id == "32"


def judge(name: str, script: Callable[[Request], Line] | list[Line], model: str = "m") -> Judge:
    return cast(Judge, load_detector(name, Scripted(script, model=model)))


def heard(voter: Judge, example: Example = MILL) -> Judgement:
    return asyncio.run(voter.judge(example))


def test_vote_of_judges_is_a_judge_over_models() -> None:
    models = [
        judge("judge-simple", [opinion(label)], label) for label in ("faithful", "unfaithful")
    ]
    result = vote(*models)
    assert isinstance(result, Judge)
    assert result.name == "vote of 1 x judge-simple faithful, 1 x judge-simple unfaithful"
    assert result.client.model == "faithful, unfaithful"
    (verdict,) = heard(result).verdicts
    assert verdict.label == BINARY["unfaithful"]
    assert verdict.note == (
        "1 of 2 agree. The votes lie on both sides of faithful and unfaithful. "
        "I find it unfaithful."
    )


def test_samples_carry_their_numbers_and_are_counted() -> None:
    def answer(request: Request) -> Line:
        return opinion("unfaithful" if request.sample == 1 else "faithful")

    client = Scripted(answer)
    voter = vote_samples(cast(Judge, load_detector("judge-simple", client)), 3)
    (verdict,) = heard(voter).verdicts
    assert [request.sample for request in client.requests] == [0, 1, 2]
    assert verdict.label == BINARY["faithful"]
    assert verdict.confidence == pytest.approx(2 / 3)
    assert verdict.note.startswith("2 of 3 agree. The votes lie on both sides")
    assert voter.name == "vote of 3 x judge-simple scripted"


def test_sentences_are_voted_on_one_by_one() -> None:
    first = judge("judge-gray7", lambda _: opinion("no-fact"))
    batch = judge("judge-gray7:batch", echo)
    judgement = heard(vote(first, batch))
    assert [str(each.label) for each in judgement.verdicts] == ["no-fact"] * 3  # rank 3 < 6
    assert judgement.example is MILL
    assert judgement.characters_read == len(MILL.source.text)


def test_judges_of_a_vote_are_asked_at_the_same_time() -> None:
    both = asyncio.Event()
    waiting: list[str] = []

    class Patient(Scripted):
        async def ask(self, request: Request) -> Reply:
            waiting.append(self.model)
            if len(waiting) == 2:
                both.set()
            await both.wait()
            return await super().ask(request)

    voters = [cast(Judge, load_detector("judge-simple", Patient(echo, model=m))) for m in "ab"]
    judgement = asyncio.run(asyncio.wait_for(vote(*voters).judge(MILL), 5))
    assert judgement.verdicts[0].note.startswith("2 of 2 agree.")


def test_vote_of_judges_detects_in_order() -> None:
    examples = [replace(MILL, id=str(number)) for number in range(40)]
    voter = vote_samples(judge("judge-gray7", echo), 2)
    assert [each.example.id for each in voter.detect(examples)] == [str(n) for n in range(40)]


def test_failed_judge_does_not_vote_but_is_told() -> None:
    lost = judge("judge-simple", [CallError("transport", "reset")])
    other = judge("judge-simple", lambda _: opinion("faithful"))
    (verdict,) = heard(vote(lost, other, other)).verdicts
    assert verdict.note == "2 of 3 agree. 1 failed (transport). I find it faithful."


def test_wrong_setup_of_one_judge_ends_the_vote() -> None:
    with pytest.raises(ServiceError, match="wrong key"):
        heard(vote(judge("judge-simple", echo), judge("judge-simple", [ServiceError("wrong key")])))


class Counted(Scripted):
    """Counts how often it is open; one that is broken cannot be entered."""

    def __init__(self, broken: bool = False) -> None:
        super().__init__(echo)
        self.open = self.entered = 0
        self.broken = broken

    async def __aenter__(self) -> Self:
        if self.broken:
            raise ServiceError("no such host")
        self.open += 1
        self.entered += 1
        return self

    async def __aexit__(self, *_: Any) -> None:
        self.open -= 1


def test_client_of_a_vote_enters_and_leaves_all() -> None:
    clients = [Counted(), Counted()]
    voter = vote(*(cast(Judge, load_detector("judge-simple", client)) for client in clients))
    next(iter(voter.detect([MILL])))
    assert [client.entered for client in clients] == [1, 1]

    async def inside() -> list[int]:
        async with voter.client:
            return [client.open for client in clients]

    assert asyncio.run(inside()) == [1, 1]
    assert [client.open for client in clients] == [0, 0]


def test_clients_that_were_entered_are_left_when_another_cannot_be() -> None:
    clients = [Counted(), Counted(broken=True)]
    voter = vote(*(cast(Judge, load_detector("judge-simple", client)) for client in clients))
    with pytest.raises(ServiceError, match="no such host"):
        next(iter(voter.detect([MILL])))
    assert clients[0].open == 0


def test_description_tells_each_model_and_equal_ones_once() -> None:
    a, b = judge("judge-simple", echo, "a"), judge("judge-simple", echo, "b")
    assert vote(a, b).client.describe() == {"1. model": "a", "2. model": "b"}
    assert vote_samples(a, 3).client.describe() == {"model": "a", "voters": 3}
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


def test_several_models_are_not_asked_as_one() -> None:
    voter = vote(judge("judge-simple", echo, "a"), judge("judge-simple", echo, "b"))
    with pytest.raises(InputError, match=r"cannot answer as one \(a, b\)"):
        asyncio.run(voter.client.ask(Request(())))


def test_claim_judges_vote_with_their_folds() -> None:
    one = '{"claims": [{"sentence": 1, "claim": "It burned."}]}'
    bad = '{"claims": [{"number": 1, "reason": "No.", "evidence": [], "label": "unfaithful"}]}'
    voter = vote(judge("judge-claims", echo), judge("judge-claims", [one, bad]))
    (verdict,) = heard(voter).verdicts
    assert (voter.unit_kind, verdict.unit.text) == ("response", RESPONSE)
    assert verdict.label == BINARY["unfaithful"]


def test_claims_that_were_checked_in_part_are_not_faithful() -> None:
    """40 claims are checked in two calls, of which the second, with 15, is lost each time."""
    found = {"claims": [{"sentence": 1, "claim": f"It is fact {n}."} for n in range(40)]}

    def answer(request: Request) -> Line:
        if "The mill burned" in request.messages[-1].content.partition("<<<SENTENCES")[2]:
            return json.dumps(found)
        return request.example if "25. " in asked(request) else CallError("transport", "reset")

    voter = vote_samples(judge("judge-claims", answer), 3)
    (failure,) = heard(voter).failures
    assert failure.reason == "transport"
    detail = "only a part of it was judged: 15 of 40 units failed"
    assert failure.detail == f"all 3 failed: {detail}"


def test_samples_of_a_fold_and_of_a_vote_are_all_asked() -> None:
    client = Scripted(echo)
    simple = cast(Judge, load_detector("judge-simple", client))
    heard(vote_samples(fold(simple), 2))
    assert [request.sample for request in client.requests] == [0, 1]
    client.requests.clear()
    (verdict,) = heard(vote_samples(vote(simple, simple), 2)).verdicts
    assert sorted(request.sample for request in client.requests) == [0, 0, 1, 1]
    assert verdict.note.startswith("4 of 4 agree.")


def test_vote_of_a_judge_and_a_detector_works_too(scripted: Script) -> None:
    offline = scripted(lambda unit: Verdict(unit, GRAY7["fabricated"]), name="offline")
    mixed = vote(offline, judge("judge-gray7", echo))
    (judgement,) = mixed.detect([MILL])
    assert [str(each.label) for each in judgement.verdicts] == ["fabricated"] * 3


@pytest.mark.parametrize("samples", [0, -1])
def test_vote_of_no_samples_is_rejected(samples: int) -> None:
    with pytest.raises(InputError, match=f"at least one sample, not {samples}"):
        vote_samples(judge("judge-simple", echo), samples)


def test_all_failed_is_one_failure() -> None:
    voter = vote_samples(judge("judge-simple", lambda _: CallError("budget", "spent")), 2)
    (failure,) = heard(voter).failures
    assert isinstance(failure, Failure)
    assert (failure.reason, failure.detail) == ("budget", "all 2 failed: spent")
