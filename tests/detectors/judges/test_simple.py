"""`judge-simple` and `judge-fewshot`: short questions."""

import pytest

from assay.core.taxonomies import BINARY
from tests.detectors.judges.scripts import RESPONSE, hear, opinion


@pytest.mark.parametrize("label", ["faithful", "unfaithful", "Unfaithful"])
def test_one_call_gives_one_verdict_on_the_response(label: str) -> None:
    heard = hear("judge-simple", [opinion(label)])
    assert heard.findings[0].text == RESPONSE
    assert heard.verdict().label == BINARY[label]
    assert heard.verdict().note == f"I find it {label}."


@pytest.mark.parametrize(
    ("said", "label"), [("consistent", "faithful"), ("hallucinated", "unfaithful")]
)
def test_other_names_of_the_two_labels_are_understood(said: str, label: str) -> None:
    assert hear("judge-simple", [opinion(said)]).labels == [label]


def test_fewshot_answers_in_three_labels_for_each_sentence() -> None:
    script = [opinion("entailment"), opinion("neutral"), opinion("contradiction")]
    assert hear("judge-fewshot", script).labels == ["entailment", "neutral", "contradiction"]


def test_worked_examples_of_fewshot_show_each_label_and_can_be_read() -> None:
    system = hear("judge-fewshot", [opinion("neutral")] * 3).requests[0].messages[0].content
    replies = [line.removeprefix("Reply: ") for line in system.splitlines() if "Reply: {" in line]
    shown = [hear("judge-fewshot", [reply] * 3).labels[0] for reply in replies]
    assert set(shown) == {"entailment", "neutral", "contradiction"}
    assert len(shown) == system.count("\nSource: ") == system.count("\nSentence: ")
