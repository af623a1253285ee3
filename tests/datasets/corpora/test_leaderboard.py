"""The leaderboard's summaries with recorded detectors."""

import json
from collections import Counter
from gzip import compress
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.datasets.corpora.leaderboard import CARD
from assay.datasets.corpus import Corpus
from tests.datasets.corpora.opinions import recorded_of

pytestmark = pytest.mark.slow


def write(folder: Path, *rows: Any) -> Corpus:
    (folder / "sources.jsonl.gz").write_bytes(compress(b'{"id": 0, "text": "A text."}\n'))
    given = {"source_id": 0, "model": "a/m", "summary": "Short.", "hhem_1": 0.5, "true_nli": 1}
    lines = "\n".join(json.dumps({**given, **row}) for row in rows)
    (folder / "summaries.jsonl.gz").write_bytes(compress(lines.encode()))
    return Corpus(CARD, folder)


def test_examples_of_a_source_share_it(tmp_path: Path) -> None:
    first, second = write(tmp_path, {}, {"model": "b"})
    assert first.example.source is second.example.source
    assert (first.id, second.id) == ("a/m/0", "b/0")


def test_a_null_summary_is_skipped_and_counted(tmp_path: Path) -> None:
    corpus = write(tmp_path, {"summary": None}, {})
    assert len(list(corpus)) == 1
    assert corpus.repairs.counts == {"null-summary": 1}


@pytest.mark.parametrize(
    ("printed", "text"),
    [
        ("[ContentBlock(text='It\\'s\\n\"so\"', type='text')]", 'It\'s\n"so"'),
        ("[ContentBlock(text=\"It's so\", type='text')]", "It's so"),
    ],
)
def test_a_printed_object_gives_its_text(printed: str, text: str, tmp_path: Path) -> None:
    corpus = write(tmp_path, {"summary": printed})
    assert [annotated.example.response.text for annotated in corpus] == [text]
    assert corpus.repairs.counts == {"printed-object": 1}


@pytest.mark.parametrize("text", ["[1] A note.", "[ContentBlock(text='a, type='text')]"])
def test_other_brackets_stay(text: str, tmp_path: Path) -> None:
    corpus = write(tmp_path, {"summary": text})
    assert [annotated.example.response.text for annotated in corpus] == [text]
    assert not corpus.repairs.counts


def test_a_printed_empty_list_stays_and_is_counted(tmp_path: Path) -> None:
    corpus = write(tmp_path, {"summary": "[]"})
    assert [annotated.example.response.text for annotated in corpus] == ["[]"]
    assert corpus.repairs.counts == {"empty-printed-object": 1}


def test_a_detector_that_was_not_run_is_not_missing(tmp_path: Path) -> None:
    first, second = write(tmp_path, {"gpt_4o": 0}, {"true_nli": None})
    assert [outcome.author for outcome in recorded_of(first)] == ["hhem-1", "true-nli", "gpt-4o"]
    assert [bool(each.verdict) for each in recorded_of(second)] == [True, False]


@pytest.mark.parametrize("row", [{"source_id": 9}, {"summary": 5}])
def test_a_row_that_cannot_be_used_raises(row: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"summaries\.jsonl\.gz"):
        list(write(tmp_path, row))


@pytest.fixture(scope="module")
def corpus(corpora_root: Path) -> Corpus:
    return Corpus(CARD, corpora_root / CARD.folder)


@pytest.fixture(scope="module")
def examples(corpus: Corpus, record_testsuite_property: Any) -> list[Annotated]:
    began = process_time()
    examples = list(corpus)
    record_testsuite_property("leaderboard loading seconds", round(process_time() - began, 2))
    return examples


@pytest.mark.soak
@pytest.mark.shared_data
def test_the_release_has_the_published_counts(corpus: Corpus, examples: list[Annotated]) -> None:
    assert len(examples) == 66_658 - 303
    assert len({annotated.example.response.model for annotated in examples}) == 68
    assert len({annotated.example.source.id for annotated in examples}) == 1_006
    assert corpus.repairs.counts == {
        "null-summary": 303,
        "printed-object": 1_967,
        "empty-printed-object": 10,
    }


@pytest.mark.soak
@pytest.mark.shared_data
def test_recorded_detectors_are_present(examples: list[Annotated]) -> None:
    outcomes = [outcome for annotated in examples for outcome in recorded_of(annotated)]
    counts = Counter(outcome.author for outcome in outcomes)
    assert Counter(counts.values()) == {66_355: 5, 7_872: 6}
    failures = Counter(each.reason for each in outcomes if each.failure)
    # 220 null predictions, 7 of them on null summaries
    assert failures == {"missing": 213, "parse": 4}


@pytest.mark.soak
@pytest.mark.shared_data
def test_the_models_rates_come_out(corpora_root: Path, examples: list[Annotated]) -> None:
    path = corpora_root / "leaderboard_summaries/model_rates.json"
    rates = json.loads(path.read_text(encoding="utf-8"))["faithbench_repo_csvs"]
    found: dict[str, list[bool]] = {}
    for annotated in examples:
        said = next(each for each in recorded_of(annotated) if each.author == "hhem-2.1")
        assert said.verdict
        found.setdefault(annotated.example.response.model, []).append((said.score or 0) < 0.5)
    for row in rates:
        doubts = found[row["model"]]
        assert round(100 * sum(doubts) / len(doubts), 2) == row["hhem_2_1_rate_lt_0.5"]
