"""Which task a response was written for."""

import pytest

from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response, Source
from assay.detectors.judges.faithjudge import (
    ANSWER,
    DESCRIPTION,
    SUMMARY,
    WritingTask,
    task_of,
)

RECORD = {"name": "Blue Door", "hours": {"Mon": "9-5"}}


def example(source: object = "A text.", question: str = "", task: str = "") -> Example:
    return Example("1", read_source(source), Response("It."), question=question, task=task)


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("faithbench-summary", SUMMARY),
        ("Summarization", SUMMARY),
        ("summary", SUMMARY),
        ("ragtruth-qa", ANSWER),
        ("QA", ANSWER),
        ("question answering", ANSWER),
        ("ragtruth-data2txt", DESCRIPTION),
        ("Data2txt", DESCRIPTION),
        ("data-to-text", DESCRIPTION),
    ],
)
def test_the_name_of_the_task_decides(name: str, task: WritingTask) -> None:
    assert task_of(example(task=name)) is task
    assert task_of(example(RECORD, question="Who?", task=name)) is task


@pytest.mark.parametrize("name", ["", "xsum", "aqaba"])
def test_without_a_known_name_the_form_decides(name: str) -> None:
    assert task_of(example(task=name)) is SUMMARY
    assert task_of(example(question="Who?", task=name)) is ANSWER
    assert task_of(example(RECORD, task=name)) is DESCRIPTION


def test_a_question_about_a_record_is_answered() -> None:
    assert task_of(example(RECORD, question="When?")) is ANSWER


@pytest.mark.parametrize(
    "source",
    [
        ["LONDON: it rained.", "It stopped."],
        [{"title": "Rain: what we know", "text": "It rained: a lot."}],
        ["one passage: only"],
        [["nested: one"], ["nested: two"]],
        "name: value",
    ],
)
def test_passages_are_not_structured_data(source: object) -> None:
    assert task_of(example(source)) is SUMMARY


@pytest.mark.parametrize("source", [RECORD, {"name": "Blue Door"}, [RECORD, RECORD]])
def test_records_are_structured_data(source: object) -> None:
    assert task_of(example(source)) is DESCRIPTION


def test_an_empty_source_is_summarised() -> None:
    assert task_of(Example("1", Source(""), Response(""))) is SUMMARY
