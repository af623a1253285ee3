"""`ragas`, `trulens` and `facts`: known metrics by their names."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.units import Unit
from assay.detectors.registry import DetectorSpec
from assay.llm.client import CallError, Scripted
from tests.detectors.judges.scripts import MILL, asked, echo, entries, hear, load

CLAIMS = json.dumps(
    {
        "claims": [
            {"sentence": 1, "claim": "The mill burned down."},
            {"sentence": 1, "claim": "The mill burned in 1987."},
            {"sentence": 2, "claim": "The fire at the mill was arson."},
        ]
    }
)
VERDICTS = entries("faithful", "faithful", "unfaithful", key="claims")


def test_ragas_is_the_share_of_supported_claims_and_shows_the_claims() -> None:
    heard = hear("ragas", [CLAIMS, VERDICTS])
    assert heard.labels == ["faithful", "faithful", "faithful", "unfaithful"]
    assert heard.verdict().score == pytest.approx(2 / 3)
    assert heard.verdict().note == "2 of 3 claims are supported."
    assert [each.unit.id for each in heard.findings] == ["response", "s1.c1", "s1.c2", "s2.c1"]


def test_ragas_asks_as_judge_claims_does() -> None:
    ours = hear("judge-claims:fold=mean", [CLAIMS, VERDICTS])
    theirs = hear("ragas", [CLAIMS, VERDICTS])
    assert list(map(asked, theirs.requests)) == list(map(asked, ours.requests))
    assert theirs.findings == ours.findings


def test_ragas_checks_claims_that_the_example_names() -> None:
    claims = tuple(
        Unit(f"c{n}", "claim", text) for n, text in enumerate(("It burned.", "Arson."), 1)
    )
    heard = hear(
        "ragas:unit=claim",
        [entries("faithful", "unfaithful", key="claims")],
        replace(MILL, units=claims),
    )
    assert [(each.unit.id, str(each.label)) for each in heard.findings] == [
        ("c1", "faithful"),
        ("c2", "unfaithful"),
    ]


def test_verdicts_of_ragas_may_be_one_and_zero(tmp_path: Path) -> None:
    path = tmp_path / "ragas.md"
    path.write_text(
        "---\nname: released\nversion: 1\ninputs: source, claims\nreply: json\nkey: statements\n"
        "sentence: statement\nlabel: verdict\nreason: reason\n"
        "choices: 1 = faithful, 0 = unfaithful\ntexts: plain\n---\n# user\n$source\n$claims\n",
        encoding="utf-8",
    )
    texts = [each["claim"] for each in json.loads(CLAIMS)["claims"]]
    said = [{"statement": text, "reason": "So.", "verdict": n % 2} for n, text in enumerate(texts)]
    heard = hear(f"ragas:prompt={path}", [CLAIMS, json.dumps({"statements": said})])
    assert heard.labels[1:] == ["unfaithful", "faithful", "unfaithful"]
    assert heard.verdict().score == pytest.approx(1 / 3)


def test_trulens_is_the_mean_of_the_sentences_numbers() -> None:
    said = [{"supporting_evidence": ["Nobody was hurt."], "score": n} for n in (3, 0, 2)]
    heard = hear("trulens", [json.dumps(each) for each in said])
    assert heard.verdict().score == pytest.approx((3 / 3 + 0 + 2 / 3) / 3)
    assert [each.outcome.score for each in heard.findings[1:]] == [1.0, 0.0, pytest.approx(2 / 3)]
    assert heard.verdict(1).note == "3 of 3 for its support."
    assert heard.verdict(1).evidence[0].text == "Nobody was hurt."


def test_trulens_can_judge_sentences_alone_and_on_the_longer_scale() -> None:
    heard = hear("trulens:unit=sentence,scale=10", ['{"score": 7}'] * 3)
    assert [each.unit.id for each in heard.findings] == ["s1", "s2", "s3"]
    assert heard.verdict().score == 0.7
    assert "from 0 to 10" in asked(heard.requests[0])
    assert heard.requests[0].schema is not None
    assert heard.requests[0].schema["properties"]["score"]["maximum"] == 10


@pytest.mark.parametrize(
    ("reply", "score"),
    [
        ('{"criteria": "It burned.", "supporting_evidence": "NOTHING FOUND", "score": 0}', 0.0),
        ('{"score": "3"}', 1.0),
        ("Criteria: It burned.\nSupporting Evidence: Nobody was hurt.\nScore: 3", 1.0),
        ("**Supporting Evidence**: none\n**Score:** 0.", 0.0),
    ],
)
def test_trulens_reads_objects_and_lines(reply: str, score: float) -> None:
    heard = hear("trulens:unit=sentence", [reply] * 3)
    assert heard.verdict().score == score
    assert len(heard.requests) == 3
    assert "not in the source" not in heard.verdict().note


@pytest.mark.parametrize(
    "reply",
    ['{"score": 7}', '{"score": 1.5}', '{"score": null}', "Score: 1\nScore: 3", "3", "Score: high"],
)
def test_number_off_the_scale_is_a_failure_and_never_the_nearest(reply: str) -> None:
    heard = hear("trulens", [reply] * 6)
    assert {heard.failure(place).reason for place in range(4)} <= {"parse", "off_menu"}


def test_response_of_which_a_sentence_failed_has_no_mean() -> None:
    def reply(request: object) -> str | Exception:
        return (
            CallError("transport", "gone")
            if "arson.\n<<<END SENT" in str(request)
            else '{"score": 3}'
        )

    heard = hear("trulens", lambda request: reply(asked(request)))
    assert heard.labels == ["failed: transport", "None", "failed: transport", "None"]


def test_facts_are_the_two_styles_of_judge_grounding() -> None:
    for theirs, ours in (("facts", "judge-grounding"), ("facts:json", "judge-grounding:json")):
        assert hear(theirs, echo).findings == hear(ours, echo).findings
        assert load(theirs, Scripted(echo, "m")).author.name == f"{theirs} m"


@pytest.mark.parametrize("name", ["ragas", "ragas:unit=claim", "trulens", "trulens:unit=sentence"])
def test_they_are_called_as_they_were_opened(name: str) -> None:
    judge = load(name, Scripted(echo, "m"))
    assert judge.author.name == f"{name} m"
    assert judge.capabilities == DetectorSpec(name).capabilities


@pytest.mark.parametrize(
    "name", ["ragas:unit=word", "trulens:unit=word", "trulens:scale=5", "facts:xml"]
)
def test_unknown_option_is_told(name: str) -> None:
    with pytest.raises(InputError, match="unknown"):
        hear(name, echo)
