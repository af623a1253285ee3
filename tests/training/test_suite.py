"""The perturbation suite: enough cases of each kind, and nothing of it in what is trained on."""

import json
from collections import Counter
from collections.abc import Iterator

import pytest

from assay.datasets.overlaps import h80
from training.made import WRITTEN
from training.measured import Measured, suite

pytestmark = pytest.mark.soak


@pytest.fixture(scope="module")
def cases() -> list[Measured]:
    return list(suite())


def written() -> Iterator[tuple[str, list[str]]]:
    """The source of each written record, where it is its own, and all its sentences."""
    for path in WRITTEN.glob("*.jsonl"):
        for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            versions = [
                each[way] for each in record["sentences"] for way in each if "faithful" in way
            ]
            yield record["source"].get("text", ""), versions


def test_each_kind_has_enough_cases(cases: list[Measured]) -> None:
    counts = Counter(case.group.removeprefix("suite-") for case in cases)
    paraphrases = counts.pop("paraphrase")
    assert paraphrases >= 200
    assert len(counts) == 12
    assert counts.total() >= 400
    assert min(counts.values()) >= 32


def test_paraphrases_and_nothing_else_are_entailed(cases: list[Measured]) -> None:
    for case in cases:
        entailed = case.group == "suite-paraphrase"
        assert case.labels[0] in (("entailed",) if entailed else ("neutral", "contradicted"))
        assert case.response == case.faithful[0] == entailed


def test_case_is_no_sentence_of_its_source_and_comes_once(cases: list[Measured]) -> None:
    texts = [case.sentences[0] for case in cases]
    assert len(set(texts)) == len(texts)
    assert not any(case.sentences[0] in case.source.text for case in cases)


def test_no_sentence_of_the_suite_is_written_for_training(cases: list[Measured]) -> None:
    tested = {_plain(case.sentences[0]) for case in cases}
    trained = {_plain(text) for _, versions in written() for text in versions}
    assert len(trained) > 20_000
    assert not tested & trained


def test_no_source_of_the_suite_is_written_for_training(cases: list[Measured]) -> None:
    tested = {h80(case.source.text) for case in cases}
    whole = {_plain(case.source.text) for case in cases}
    assert None not in tested
    for source, _ in written():
        assert not source or h80(source) not in tested
        assert _plain(source) not in whole


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
