"""Replay of a report."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from assay import check
from assay.core import (
    Answers,
    Example,
    ExternalEvidence,
    Failure,
    InputError,
    Interpretation,
    Judgement,
    Outcome,
    Relation,
    Span,
    Taxonomy,
    Unit,
    Verdict,
)
from assay.core.taxonomies import GRAY7
from assay.core.units import UnitKind
from assay.detectors import Detector, load_detector

Make = Callable[..., Example]
Script = Callable[..., Detector]


@pytest.fixture
def replay(tmp_path: Path) -> Callable[[str], Detector]:
    """Writes text to a file and loads the detector that replays it."""

    def load(text: str) -> Detector:
        path = tmp_path / "report.json"
        path.write_text(text, encoding="utf-8")
        return load_detector(f"recorded:{path}")

    return load


@dataclass(frozen=True)
class Fixed:
    """A detector that says the same of every example."""

    outcomes: tuple[Outcome, ...]
    unit_kind: UnitKind
    name: str = "fixed"
    taxonomy: Taxonomy = GRAY7

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        return (Judgement(example, self.outcomes, 3) for example in examples)


def opinion(unit: Unit) -> Outcome:
    """A verdict with all that one can have, or a failure."""
    if unit.text.startswith("No"):
        return Failure(unit, "refused", "it would not say", raw="No, I will not.")
    return Verdict(
        unit,
        GRAY7["ambiguous"],
        score=0.25,
        confidence=0.5,
        note="Two readings 😀.",
        evidence=(Span.cut("The cat sat.", 4, 7, "source"),),
        external=(ExternalEvidence("https://example.org", "a quote", "A title"),),
        answers=Answers(True, several_readings=True),
        interpretations=(Interpretation(GRAY7["fabricated"], "the cat"),),
    )


def test_replay_gives_back_exactly_what_was_written(
    make_example: Make, scripted: Script, replay: Callable[[str], Detector]
) -> None:
    examples = [make_example(response="😀 It sat. No way.", id="a"), make_example(id="b")]
    report = check(examples, detector=scripted(opinion, name="a judge"))
    again = check(examples, detector=replay(report.to_json()))
    assert [each.judgement for each in again] == [each.judgement for each in report]
    assert again.detector == "recorded a judge"
    assert again.to_dict()["examples"] == report.to_dict()["examples"]


@pytest.mark.parametrize("kind", ["response", "claim", "relation", "span"])
def test_units_of_every_kind_are_replayed_as_they_were(
    kind: UnitKind, make_example: Make, scripted: Script, replay: Callable[[str], Detector]
) -> None:
    text = "It sat. No way."
    spans = tuple(Span.cut(text, start, start + 2, "response") for start in (0, 3))
    claim = Unit("claim", "The cat sat", spans[:1])
    units = {
        "response": (Unit.at("response", Span.cut(text, 0, len(text), "response")),),
        "claim": (claim, Unit("claim", "No way", spans), Unit("claim", "A cat sat")),
        "relation": (Relation("relation", "sat, so No", spans, "cause", claim, claim, spans[1]),),
        "span": (Unit.at("span", spans[0]), Unit.at("span", spans[1])),
    }[kind]
    judge = Fixed(tuple(map(opinion, units)), kind)
    example = make_example(response=text)
    report = check([example], detector=judge)
    detector = replay(report.to_json())
    assert detector.unit_kind == kind
    assert [each.judgement for each in check([example], detector=detector)] == [
        each.judgement for each in report
    ]


def test_document_of_old_without_a_unit_kind_is_about_sentences(
    make_example: Make, replay: Callable[[str], Detector]
) -> None:
    document = check([make_example()]).to_dict()
    del document["unit_kind"]
    detector = replay(json.dumps(document))
    assert detector.unit_kind == "sentence"
    assert len(next(detector.detect([make_example()])).verdicts) == 1


def test_units_of_another_kind_than_was_judged_are_left_aside(
    make_example: Make, scripted: Script, replay: Callable[[str], Detector]
) -> None:
    whole = scripted(lambda unit: Verdict(unit, GRAY7["fabricated"]), unit_kind="response")
    example = make_example()
    detector = replay(check([example], detector=whole).to_json())
    named = replace(example, units=(Unit.at("sentence", Span.cut("It sat.", 0, 7, "response")),))
    (judgement,) = detector.detect([named])
    assert [outcome.unit.kind for outcome in judgement.verdicts] == ["response"]


def test_example_that_the_file_lacks_has_a_missing_failure_for_each_sentence(
    make_example: Make, replay: Callable[[str], Detector]
) -> None:
    detector = replay(check([make_example()]).to_json())
    (judgement,) = detector.detect([make_example(response="It sat. It ate.", id="7")])
    assert [failure.unit.text for failure in judgement.failures] == ["It sat.", "It ate."]
    assert {failure.reason for failure in judgement.failures} == {"missing"}
    assert "has no example '7'" in judgement.failures[0].detail
    assert judgement.characters_read == 0


def test_unit_that_the_file_lacks_is_a_missing_failure(
    make_example: Make, replay: Callable[[str], Detector]
) -> None:
    example = make_example(response="It sat.")
    detector = replay(check([example]).to_json())
    units = (Unit.at("sentence", Span.cut("It sat.", 0, 7, "response")), Unit("claim", "It sat"))
    named = Example("1", example.source, example.response, units=units)
    (judgement,) = detector.detect([named])
    assert len(judgement.verdicts) == 1
    assert judgement.failures[0].detail.endswith("has no verdict on this claim")


@pytest.mark.parametrize(
    "changed",
    [{"source": "A dog ran off."}, {"response": "It ran."}],
    ids=["source", "response"],
)
def test_text_that_has_changed_since_is_a_missing_failure(
    changed: dict[str, str], make_example: Make, replay: Callable[[str], Detector]
) -> None:
    detector = replay(check([make_example()]).to_json())
    judgement = next(detector.detect([make_example(**changed)]))
    assert judgement.verdicts == ()
    assert {failure.reason for failure in judgement.failures} == {"missing"}
    assert "is about another text" in judgement.failures[0].detail


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a file that 'assay check --json' wrote"),
        ('{"detector": "x", "taxonomy": "gray7"}', "is not a file that"),
        ('{"detector": "x", "taxonomy": "gray7", "examples": 5}', "is not a file that"),
        ('{"detector": "x", "taxonomy": "gray7", "examples": [{}]}', "is not a file that"),
        ('{"detector": "x", "taxonomy": "grey7", "examples": []}', "Did you mean 'gray7'"),
    ],
)
def test_file_that_is_no_report_raises(
    text: str, message: str, replay: Callable[[str], Detector]
) -> None:
    with pytest.raises(InputError, match=message):
        replay(text)


def test_file_that_is_not_there_raises() -> None:
    with pytest.raises(InputError, match=r"cannot read nowhere\.json: No such file"):
        load_detector("recorded:nowhere.json")


def test_two_records_with_the_same_id_raise(
    make_example: Make, replay: Callable[[str], Detector]
) -> None:
    report = check([make_example(id="7"), make_example(id="7")])
    with pytest.raises(InputError, match="two examples with the id '7'"):
        replay(report.to_json())


@pytest.mark.parametrize(
    "damage", [{"label": 5}, {"score": "high"}, {"score": 7}, {"text": None}, {"start": "x"}]
)
def test_damaged_record_raises(
    damage: dict[str, Any], make_example: Make, replay: Callable[[str], Detector]
) -> None:
    document = check([make_example()]).to_dict()
    document["examples"][0]["sentences"][0] |= damage
    with pytest.raises(InputError):
        list(replay(json.dumps(document)).detect([make_example()]))
