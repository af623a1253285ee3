"""Sentences that are measured on and never trained on: computed figures, fresh everyday texts."""

from collections import Counter
from pathlib import Path

import pytest

from training.withstand.reading import ANSWER, Record, examples, read_records, records

FOLDER = Path(__file__).resolve().parents[2] / "training"
FILES = ("computed/dev.jsonl", "computed/held.jsonl", "fresh/everyday.jsonl")


def read(name: str) -> list[Record]:
    return list(read_records(FOLDER / name))


@pytest.mark.parametrize("name", FILES)
def test_right_and_wrong_sentences_are_about_as_many(name: str) -> None:
    labels = Counter(case.label == "entailed" for each in read(name) for case in each.cases)
    assert 0.4 <= labels[True] / labels.total() <= 0.6


def test_no_sentence_or_source_stands_in_two_files() -> None:
    files = [*map(read, FILES), list(records())]
    sources = [str(each.source) for file in files for each in file]
    assert len(set(sources)) == len(sources)


def test_fresh_answers_are_faithful_and_whole() -> None:
    measured = [each for record in read("fresh/everyday.jsonl") for each in examples(record)]
    answers = [each for each in measured if each.group == ANSWER]
    assert len(answers) == 30
    assert all(each.response == 1 and len(each.sentences) > 1 for each in answers)
