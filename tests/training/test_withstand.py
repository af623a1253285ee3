"""The suite that was written for measuring only: whole, balanced, and seen nowhere else."""

from collections import Counter
from random import Random

import pytest

from assay.core.rendering import read_source
from assay.datasets.overlaps import h80, h200
from assay.text.sentences import split_sentences
from training import made
from training.items import TARGETS
from training.measured import Measured, suite
from training.splits import Kept
from training.withstand.reading import ANSWER, Record, records, withstand
from training.withstand.variants import CHANGES, Pair, pairs

pytestmark = pytest.mark.soak

ONLY_ENTAILED = {"free-paraphrase", "light-paraphrase", "same-value"}
NEVER_ENTAILED = {"invented", "other-value"}
BOTH = {
    "arithmetic",
    "attribution",
    "hedge",
    "inference",
    "name",
    "negation",
    "presupposed",
    "role-swap",
    "short-answer",
    "time-order",
    "wrong-binding",
}


@pytest.fixture(scope="module")
def written() -> list[Record]:
    return list(records())


@pytest.fixture(scope="module")
def cases() -> list[Measured]:
    return list(withstand())


@pytest.fixture(scope="module")
def looks() -> list[Pair]:
    return list(pairs())


def test_there_are_enough_sources_and_sentences(
    written: list[Record], cases: list[Measured]
) -> None:
    assert len(written) >= 120
    assert sum(len(case.sentences) for case in cases) >= 1_000
    assert len({record.domain for record in written}) >= 10


def test_each_kind_has_enough_cases(written: list[Record]) -> None:
    kinds = Counter(case.kind for record in written for case in record.cases)
    assert set(kinds) == ONLY_ENTAILED | NEVER_ENTAILED | BOTH
    assert min(kinds.values()) >= 40


def test_about_half_of_the_sentences_is_faithful(cases: list[Measured]) -> None:
    faithful = [each for case in cases for each in case.faithful]
    assert 0.45 < sum(faithful) / len(faithful) < 0.55


def test_labels_are_known_and_agree_with_the_kind(written: list[Record]) -> None:
    for record in written:
        for case in record.cases:
            assert case.label in TARGETS
            assert case.kind not in ONLY_ENTAILED or case.label == "entailed"
            assert case.kind not in NEVER_ENTAILED or case.label != "entailed"


def test_answers_are_whole_and_wrong_in_one_sentence_at_most(cases: list[Measured]) -> None:
    answers = [case for case in cases if case.group == ANSWER]
    assert sum(answer.response for answer in answers) >= 60
    for answer in answers:
        assert answer.question
        assert 3 <= len(answer.sentences) <= 6
        assert answer.faithful.count(0) <= 1
        assert set(answer.labels) <= set(TARGETS)


def test_short_answer_and_presupposed_case_has_its_question(cases: list[Measured]) -> None:
    for case in cases:
        if case.group in ("withstand-short-answer", "withstand-presupposed"):
            assert case.question.endswith("?")


def test_ids_are_unique_and_nothing_is_said_twice_of_a_source(cases: list[Measured]) -> None:
    assert len({case.id for case in cases}) == len(cases)
    said = [(case.cluster, case.question, text) for case in cases for text in case.sentences]
    assert len(set(said)) == len(said)


def test_every_case_is_one_sentence_and_is_not_copied(cases: list[Measured]) -> None:
    for case in cases:
        for text in case.sentences:
            assert [span.text for span in split_sentences(text)] == [text]
            assert case.group == "withstand-short-answer" or text not in case.source.text


def test_sources_are_neither_very_short_nor_long(written: list[Record]) -> None:
    for record in written:
        assert 60 <= len(read_source(record.source).text.split()) <= 250


def test_no_two_sources_begin_alike(written: list[Record]) -> None:
    texts = [read_source(record.source).text for record in written]
    for print_of in (h80, h200):
        prints = set(map(print_of, texts))
        assert None not in prints
        assert len(prints) == len(texts)


def test_no_source_is_shared_with_the_other_suite_or_with_items_made_here(
    written: list[Record],
) -> None:
    kept = Kept()
    kept.keep(read_source(record.source).text for record in written)
    own = [*made.written({}, Random(1)), *made.records(300, seed=1)]
    assert len(own) > 1_000
    assert not any(kept.has(item.source) for item in own)
    assert not any(kept.has(example.source.text) for example in suite())


def test_no_sentence_is_trained_on_or_in_the_other_suite(cases: list[Measured]) -> None:
    tested = {_plain(text) for case in cases for text in case.sentences if len(text.split()) > 5}
    own = made.written({}, Random(1))
    trained = {_plain(said.text) for item in own for said in item.sentences}
    assert not tested & trained
    assert not tested & {_plain(example.sentences[0]) for example in suite()}


def test_variants_keep_what_was_said_and_its_gold(looks: list[Pair]) -> None:
    named = Counter(pair.variant for pair in looks)
    assert set(named) == {*CHANGES, "question-added", "question-restates"}
    assert min(named.values()) >= 100
    for pair in looks:
        plain, changed = pair.plain, pair.changed
        assert (changed.sentences, changed.labels) == (plain.sentences, plain.labels)
        assert (changed.source.text, changed.question) != (plain.source.text, plain.question)


def test_variants_keep_the_words_of_the_source(looks: list[Pair]) -> None:
    for pair in looks:
        before, after = pair.plain.source.text, pair.changed.source.text
        if pair.variant in ("wrapped", "trailing-newline", "lower-case", "markdown"):
            assert _plain(before) == _plain(after)
        elif pair.variant.startswith("distractors"):
            assert before in after
        elif pair.variant == "passages-reordered":
            assert sorted(_plain(before)) == sorted(_plain(after))


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
