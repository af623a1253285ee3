"""The suite of other languages: whole, balanced, and seen by nothing that trains."""

import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

import training
from training import made
from training.languages.reading import (
    FAITHFUL,
    LANGUAGES,
    ORIGINAL,
    UNFAITHFUL,
    Record,
    languages,
    records,
)
from training.splits import Kept

MEASURING = "evaluate"  # how modules begin that may read the suite


@pytest.fixture(scope="module")
def written() -> list[Record]:
    return list(records())


@pytest.mark.parametrize("language", LANGUAGES)
def test_language_has_sixty_sentences_half_of_them_unfaithful(
    written: list[Record], language: str
) -> None:
    cases = [case for record in written if record.file == language for case in record.cases]
    wrong = [case for case in cases if case.label == "unfaithful"]
    assert len(cases) == 60
    assert 0.4 <= len(wrong) / len(cases) <= 0.6
    assert len({case.kind for case in wrong}) >= 8


@pytest.mark.parametrize("language", LANGUAGES)
def test_language_has_sentences_across_languages_in_both_directions(
    written: list[Record], language: str
) -> None:
    own = [record for record in written if record.file == language]
    pairs = Counter(
        (record.source_language, case.language)
        for record in own
        for case in record.cases
        if record.is_cross(case)
    )
    assert set(pairs) == {(language, ORIGINAL), (ORIGINAL, language)}
    assert 8 <= pairs.total() <= 12


def test_labels_and_kinds_are_from_the_closed_lists(written: list[Record]) -> None:
    kinds = {"faithful": FAITHFUL, "unfaithful": UNFAITHFUL}
    for record in written:
        for case in record.cases:
            assert case.kind in kinds[case.label]
            assert case.why or (case.label == "faithful" and case.kind != "computed")


def test_ids_are_unique_and_nothing_is_said_twice() -> None:
    examples = list(languages())
    assert len({each.id for each in examples}) == len(examples)
    assert len({each.sentences for each in examples}) == len(examples)


def test_a_sentence_that_stands_in_its_source_is_faithful(written: list[Record]) -> None:
    for record in written:
        for case in record.cases:
            assert case.label == "faithful" or _plain(case.sentence) not in _plain(
                record.source.text
            )


def test_every_source_is_its_own_but_the_english_originals(written: list[Record]) -> None:
    own = [record for record in written if record.source_language == record.file]
    shared = [record for record in written if record.source_language != record.file]
    assert len({record.source.text for record in own}) == len(own)
    originals = {record.id: record.source for record in own if record.file == ORIGINAL}
    assert len(shared) == len(LANGUAGES)
    assert all(originals[record.cluster] == record.source for record in shared)
    translated = Counter(record.file for record in own if record.cluster != record.id)
    assert translated == Counter(dict.fromkeys(LANGUAGES, 2))


def test_sources_are_short(written: list[Record]) -> None:
    for record in written:
        text = record.source.text
        length = len(text) / 2.2 if record.source_language in ("zh", "ja") else len(text.split())
        assert 55 <= length <= 190, record.id


def test_letters_of_a_sentence_are_those_of_its_language(written: list[Record]) -> None:
    scripts = {"ru": "а-я", "zh": "一-鿿", "ja": "ぁ-ヿ一-鿿", "ar": "ء-ي"}
    for record in written:
        for case in record.cases:
            wanted = scripts.get(case.language, "a-z")
            letters = [each for each in case.sentence.lower() if each.isalpha()]
            found = re.findall(f"[{wanted}]", case.sentence.lower())
            assert len(found) > len(letters) / 2, case.sentence


def test_no_module_that_trains_reads_the_suite() -> None:
    folder = Path(training.__file__).parent
    readers = [
        path.name
        for path in folder.rglob("*.py")
        if path.parent.name != "languages"
        and re.search(r"training\.languages|/ \"languages\"", path.read_text("utf-8"))
    ]
    assert [name for name in readers if not name.startswith(MEASURING)] == []


@pytest.mark.soak
def test_no_source_and_no_sentence_is_trained_on(written: list[Record]) -> None:
    kept = Kept()
    kept.keep(record.source.text for record in written)
    own = [*made.written({}, Random(1)), *made.records(300, seed=1)]
    assert len(own) > 1_000
    assert not any(kept.has(item.source) for item in own)
    tested = {_plain(case.sentence) for record in written for case in record.cases}
    assert not tested & {_plain(said.text) for item in own for said in item.sentences}


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
