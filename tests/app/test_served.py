"""Detectors that are served: each gets the settings that are for it."""

import pytest

from assay.app.rows import limited, read_rows
from assay.app.served import DetectorChoice
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.problems import Problem
from assay.core.rendering import read_source
from assay.core.texts import Response, Span
from assay.core.units import Unit
from assay.detectors.local import LocalOptions
from assay.knowledge.opening import KnowledgeChoice
from assay.llm.settings.options import Options


def test_settings_go_to_the_detectors_they_are_for() -> None:
    options, local = Options(budget_calls=5), LocalOptions(threshold=0.4)
    names = ("overlap", "embedded", "judge-simple", "overlap")
    choice = DetectorChoice(names, ("a-model",), 3, options, local)
    found = choice.requests()
    assert list(found) == ["overlap", "embedded", "judge-simple"]
    specs = {name: each.detector for name, each in found.items()}
    assert specs["overlap"].local == LocalOptions()
    assert specs["embedded"].local == local
    judge = specs["judge-simple"]
    assert (judge.models, judge.votes, judge.options) == (("a-model",), 3, options)
    assert specs["embedded"].models == ()


def test_usual_choice_is_the_usual_detector_under_the_name_that_was_asked_for() -> None:
    ((name, request),) = DetectorChoice().requests().items()
    assert (name, request.detector.asked) == ("auto", "auto")


@pytest.mark.parametrize(
    ("choice", "field"),
    [
        (DetectorChoice(("overlap",), ("a-model",)), "model"),
        (DetectorChoice(("overlap",), votes=2), "votes"),
        (DetectorChoice(("overlap",), local=LocalOptions(threshold=0.4)), "threshold"),
        (DetectorChoice(("overlap",), peers="faithbench"), "peers"),
        (DetectorChoice(("facts",), knowledge=KnowledgeChoice("wikipedia")), "knowledge"),
        (DetectorChoice(("faithjudge",), ("a-model",)), "peers"),
        (DetectorChoice(("overlapp",)), "detector"),
    ],
)
def test_setting_that_is_for_nobody_is_refused(choice: DetectorChoice, field: str) -> None:
    with pytest.raises(InputError) as caught:
        choice.requests()
    assert caught.value.field == field


def test_row_with_too_much_of_a_text_is_a_problem_and_the_others_stay() -> None:
    rows = read_rows(
        [
            {"source": "a" * 20, "response": "He ran. " * 2},
            {"source": "a" * 21, "response": "b"},
            {"source": "a", "response": "b", "question": "c" * 21},
            {"response": "b"},
            {"source": "a", "response": "He ran. She ran."},
            {"source": "a", "response": "He. She. It."},
        ],
        None,
        None,
    )
    found = list(limited(rows, characters=20, sentences=2))
    assert [each.field if isinstance(each, Problem) else "" for each in found] == [
        "",
        "source",
        "question",
        "source_field",
        "",
        "response",
    ]
    assert str(found[1]) == "row 2: the source has 21 characters; up to 20 are read"
    assert str(found[5]) == "row 6: the response has more than 2 sentences to judge"


def test_sentences_that_an_example_names_are_counted_too() -> None:
    span = Span.cut("He ran.", 0, 7, "response")
    units = tuple(Unit.at("sentence", span, f"s{number}") for number in range(3))
    example = Example("a", read_source("He ran."), Response("He ran."), units=units)
    (found,) = limited([example], characters=100, sentences=2)
    assert isinstance(found, Problem)
    assert "more than 2 sentences" in found.message
