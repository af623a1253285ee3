"""The shipped model on small texts of our own: what a user may expect of it at the least."""

import pytest

from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.core.verdicts import Verdict
from assay.detectors.embedded.detector import EmbeddedDetector
from tests.detectors.checking import check_with, only_verdict
from tests.judging import judge_all

SOURCE = (
    "The council of Lindmoor voted on Tuesday by 14 votes to 9 to keep the night ferry for two more"
    " years. Councillor Henrik Vass, who voted against, said the money might be better spent on a"
    " night bus. The ferry carried 48,200 passengers last year, a third fewer than before the"
    " bridge was opened in 2019. The operator plans to replace the diesel engine in 2026."
)
RECORD = {
    "name": "Blue Door",
    "city": "Tucson",
    "hours": {"Monday": "9:0-17:0", "Tuesday": "9:0-17:0"},
    "attributes": {"OutdoorSeating": False, "WiFi": "free"},
}


def verdict(source: object, response: str, question: str = "") -> Verdict:
    return only_verdict(check_with(EmbeddedDetector(), source, response, question))


@pytest.mark.parametrize(
    "sentence",
    [
        "The council voted by 14 to 9 to keep the ferry.",
        "Henrik Vass voted against keeping the ferry.",
        "The operator wants to replace the engine.",
        "Vass would have preferred a night bus.",
    ],
)
def test_true_sentences_are_supported(sentence: str) -> None:
    # One of them is not sure: the source has its "against" in a clause of its own.
    assert verdict(SOURCE, sentence).leaning == "faithful"


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The council voted by 14 to 6 to keep the ferry.", "14 votes to 9"),
        ("The bridge was opened in 2016.", "2019"),
        ("Henrik Vass voted against because he owns a bus company.", "Henrik Vass"),
        ("The ferry carried 84,200 passengers last year.", "48,200"),
    ],
)
def test_false_sentences_are_not_and_the_evidence_shows_why(sentence: str, quote: str) -> None:
    found = verdict(SOURCE, sentence)
    assert found.coarse == "unfaithful"
    assert any(quote in span.text for span in found.evidence)


def test_records_are_read_as_records() -> None:
    # Name and place are in lines of their own, which makes it an inference.
    assert str(verdict(RECORD, "Blue Door is in Tucson.").label) == "implicitly-supported"
    assert str(verdict(RECORD, "Blue Door has outdoor seating.").label) == "contradicting"


def test_name_of_another_passage_is_not_explicit() -> None:
    source = "Present: Priya, Tom, Elena.\n\nTom will write the migration guide by Friday."
    right = verdict(source, "Tom will write the migration guide by Friday.")
    wrong = verdict(source, "Elena will write the migration guide by Friday.")
    assert str(right.label) == "explicitly-supported"
    assert str(wrong.label) != "explicitly-supported"


@pytest.mark.parametrize("answer", ["Yes.", "No."])
def test_bare_answers_are_never_sure(answer: str) -> None:
    found = verdict("Pets are welcome.", answer, "Are pets allowed?")
    assert found.coarse == "not-sure"
    assert "bare answers" in found.note


def test_answers_are_read_with_their_question() -> None:
    passages = ["The ferry leaves at 23:50.", "The bus leaves at 23:40."]
    assert verdict(passages, "It leaves at 23:50.", "When does the ferry leave?").score is not None


def test_the_same_text_gets_the_same_score_alone_and_among_others() -> None:
    text = "The bridge was opened in 2016."
    examples = [Example(str(n), read_source(SOURCE), Response(text)) for n in range(5)]
    scores = [each.verdicts[0].score for each in judge_all(EmbeddedDetector(), examples)]
    assert scores == pytest.approx([verdict(SOURCE, text).score] * 5, abs=1e-3)


def test_detector_is_loaded_once() -> None:
    first, second = EmbeddedDetector(), EmbeddedDetector()
    assert first is not second
    assert first._model is second._model
