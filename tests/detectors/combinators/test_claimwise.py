"""Any detector, on the claims that a model finds."""

import json
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.folding import fold_judgement
from assay.core.judgements import Judgement
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.combinators.claimwise import claimwise
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.llm.client import CallError, Scripted
from tests.detectors.judges.scripts import echo, load
from tests.judging import judge_all, judge_one

Script = Callable[..., Detector]
SOURCE = "The old mill in Vejby burned down in 1987. Nobody was hurt."
MILL = Example("mill", Source(SOURCE), Response("The mill, which was in Vejby, burned in 1950."))
CLAIMS = ("The mill was in Vejby.", "The mill burned down in 1950.")


def found(*claims: str, sentence: int = 1) -> str:
    return json.dumps({"claims": [{"sentence": sentence, "claim": each} for each in claims]})


@pytest.mark.parametrize("inner", ["overlap", "embedded"])
def test_each_claim_is_judged_alone_and_the_worst_decides(inner: str) -> None:
    client = Scripted([found(*CLAIMS)])
    judgement = judge_one(load(f"claimwise:{inner}", client), MILL)
    right, wrong = judgement.findings
    assert (right.id, right.kind, right.text) == ("s1.c1", "claim", CLAIMS[0])
    assert [span.text for span in right.unit.spans] == [MILL.response.text]
    assert (right.coarse, wrong.coarse) == ("faithful", "unfaithful")
    assert right.score is not None
    assert wrong.score is not None
    assert right.score > wrong.score
    assert all(SOURCE[span.start : span.end] == span.text for span in right.evidence)
    assert fold_judgement(judgement).coarse == "unfaithful"
    assert len(client.requests) == 1


def test_the_model_that_finds_claims_sees_no_source() -> None:
    client = Scripted([found(*CLAIMS)])
    judge_one(load("claimwise:overlap", client), MILL)
    (request,) = client.requests
    shown = "\n".join(message.content for message in request.messages)
    assert MILL.response.text in shown
    assert SOURCE not in shown


def test_named_claims_are_judged_without_a_model() -> None:
    units = (Unit("s1.c2", "claim", CLAIMS[1]), Unit("s1", "sentence", MILL.response.text))
    client = Scripted([])
    judgement = judge_one(load("claimwise:overlap", client), replace(MILL, units=units))
    assert judgement.units == units[:1]
    assert judgement.verdicts[0].coarse == "unfaithful"
    assert not client.requests


def test_detector_of_responses_is_asked_about_each_claim_as_a_response() -> None:
    def answer(request: object) -> str:
        text = str(request)
        if "take a response apart" in text:
            return found(*CLAIMS)
        label = "unfaithful" if "1950." in text.partition("<<<RESPONSE")[2] else "faithful"
        return json.dumps({"reason": "R.", "label": label})

    client = Scripted(answer)
    judgement = judge_one(load("claimwise:judge-simple", client), MILL)
    assert [(each.id, each.label) for each in judgement.findings] == [
        ("s1.c1", BINARY["faithful"]),
        ("s1.c2", BINARY["unfaithful"]),
    ]
    assert len(client.requests) == 3


def test_failures_of_the_detector_stay_failures_of_their_claims(scripted: Script) -> None:
    def outcome(unit: Unit) -> Verdict | Failure:
        if "1950" in unit.text:
            return Failure(unit.id, "too_long", "it is too long")
        return Verdict(unit.id, GRAY7["explicitly-supported"], 0.9)

    inner = scripted(outcome)
    judgement = judge_one(claimwise(Scripted([found(*CLAIMS)]), inner), MILL)
    assert judgement.findings[0].label == GRAY7["explicitly-supported"]
    assert judgement.outcomes[1] == Failure("s1.c2", "too_long", "it is too long")
    assert isinstance(fold_judgement(judgement), Failure)


@pytest.mark.parametrize(
    ("line", "reason"),
    [(CallError("transport", "gone"), "transport"), (found(), "missing")],
)
def test_without_claims_the_response_is_a_failure(line: CallError | str, reason: str) -> None:
    (failure,) = judge_one(load("claimwise:overlap", Scripted([line])), MILL).failures
    assert (failure.unit, failure.reason) == ("response", reason)


@pytest.mark.parametrize("inner", ["overlap", "embedded"])
def test_wrong_sentence_that_the_model_leaves_out_still_makes_it_unfaithful(inner: str) -> None:
    response = Response("The old mill in Vejby burned down in 1987. Anna Berg was hurt in 1950.")
    client = Scripted([found("The old mill in Vejby burned down in 1987.")])
    judgement = judge_one(load(f"claimwise:{inner}", client), replace(MILL, response=response))
    right, wrong = judgement.findings
    assert (right.coarse, wrong.coarse) == ("faithful", "unfaithful")
    assert (wrong.id, wrong.text) == ("s2.c1", "Anna Berg was hurt in 1950.")
    assert wrong.note.endswith("No claim was found in it, so it is checked whole.")
    assert fold_judgement(judgement).coarse == "unfaithful"


def test_claim_without_a_sentence_says_so() -> None:
    client = Scripted([found("The mill was in Vejby.", sentence=7)])
    finding, _ = judge_one(load("claimwise:overlap", client), MILL).findings
    assert finding.note.endswith("The model names sentence 7, and the response has 1.")


def test_many_examples_are_judged_each_with_its_own_source() -> None:
    examples = [
        Example(
            str(n), Source(f"The bus {n} stops in Vejle."), Response(f"Bus {n} stops in Vejle.")
        )
        for n in range(70)
    ]
    judgements = judge_all(load("claimwise:overlap", Scripted(echo)), examples)
    assert [each.example for each in judgements] == [each.id for each in examples]
    assert all(each.verdicts[0].coarse == "faithful" for each in judgements)


def test_it_says_what_it_is_made_of() -> None:
    judge = load("claimwise:overlap", Scripted([], model="m"))
    assert judge.author.name == "claimwise overlap, claims by m"
    assert list(judge.prompt_digests) == ["judge-claims-split"]
    can = DetectorSpec("claimwise:overlap").capabilities
    assert can == judge.capabilities
    assert (can.unit_kind, can.taxonomy, can.asks_model) == ("claim", GRAY7, True)
    assert DetectorSpec("claimwise:judge-simple").capabilities.taxonomy == BINARY
    assert load("claimwise", Scripted([])).author.name.startswith("claimwise embedded")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("judge-claims", "looks for units itself"),
        ("localize-zero", "looks for units itself"),
        ("faithjudge", "claims have none"),
        ("claimwise:overlap", "looks for units itself"),
        ("p-true", "p-true judges answers to questions"),
        ("p-true:repeat=2", "p-true judges answers to questions"),
        ("overlapp", "unknown detector"),
    ],
)
def test_detector_that_cannot_judge_claims_is_refused(name: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        DetectorSpec(f"claimwise:{name}")


def test_a_file_for_the_first_prompt_comes_before_the_detector(tmp_path: object) -> None:
    path = f"{tmp_path}/split.md"
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            "---\nname: mine\nversion: 1\ninputs: sentences\n---\n# user\nSplit $sentences\n"
        )
    judge = load(f"claimwise:split={path},overlap", Scripted([]))
    assert list(judge.prompt_digests) == ["mine"]
    assert judge.author.name == "claimwise overlap, claims by [mine] scripted"


def test_marks_in_the_text_of_claims_are_not_taken_for_marks_of_the_response(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inner = open_detector(DetectorSpec("overlap"))
    judge = type(inner).judge

    async def marking(self: Detector, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        async for each in judge(self, examples):
            mark = Span("response", 0, 3, "The")
            marked = (replace(said, marks=(mark,)) for said in each.verdicts)
            yield replace(each, outcomes=tuple(marked))

    monkeypatch.setattr(type(inner), "judge", marking)
    judgement = judge_one(claimwise(Scripted([found(*CLAIMS)]), inner), MILL)
    assert [each.marks for each in judgement.findings] == [(), ()]
