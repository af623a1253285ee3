"""Sources that corpora share, by hashes of how they begin."""

import json
from collections.abc import Iterable
from hashlib import md5
from pathlib import Path
from typing import Any

import pytest

from assay.datasets.corpus import load_corpus
from assay.datasets.overlaps import SourcePrints, find_overlaps, h80, h200

pytestmark = pytest.mark.slow

TEXT = "The ferry has crossed the strait of Otranto since 1986, and nobody minds. " * 4


def sha(letters: str) -> str:
    return md5(letters.encode()).hexdigest()[:16]


def write_qags(root: Path, *articles: str) -> None:
    (root / "qags").mkdir()
    row: dict[str, Any] = {"summary_sentences": [{"sentence": "It did.", "responses": []}]}
    row["summary_sentences"][0]["responses"] = [{"worker_id": 0, "response": "yes"}]
    lines = [json.dumps({**row, "article": article}) for article in articles]
    (root / "qags" / "mturk_cnndm.jsonl").write_text("\n".join(lines))
    (root / "qags" / "mturk_xsum.jsonl").write_text(lines[0])


def test_hash_is_taken_over_lower_case_letters_and_digits() -> None:
    letters = "".join(character for character in TEXT.lower() if character.isalnum())
    assert h80(TEXT) == sha(letters[:80])
    first = "".join(character for character in TEXT[:200].lower() if character.isalnum())
    assert h200(TEXT) == sha(first)


def test_spacing_changes_only_the_hash_of_200_characters() -> None:
    spaced = TEXT.replace(",", " ,  ")
    assert h80(spaced) == h80(TEXT)
    assert h200(spaced) != h200(TEXT)


def test_letters_beyond_ascii_do_not_count() -> None:
    assert h80("é" + TEXT) == h80(TEXT)


def test_very_short_source_has_no_hash() -> None:
    prints = SourcePrints(["Too short.", TEXT, TEXT, TEXT.upper()])
    assert (len(prints), prints.short, len(prints.h80)) == (3, 1, 1)


def test_shared_sources_of_the_corpora_that_are_here_are_counted(tmp_path: Path) -> None:
    write_qags(tmp_path, TEXT, "Another story. " * 20)
    found = find_overlaps(SourcePrints([TEXT.replace(" ", "  ")]), tmp_path)
    assert found.compared == ("qags",)
    (shared,) = found.shared
    assert (shared.corpus, shared.h80, shared.h200, shared.sources) == ("qags", 1, 0, 2)


def test_corpus_is_not_compared_with_itself(tmp_path: Path) -> None:
    write_qags(tmp_path, TEXT)
    assert find_overlaps(SourcePrints([TEXT]), tmp_path, skip="qags").compared == ()


def test_damaged_corpus_is_named_and_the_others_are_compared(tmp_path: Path) -> None:
    write_qags(tmp_path, TEXT)
    (tmp_path / "grayfacts").mkdir()
    (tmp_path / "grayfacts" / "grayfacts.jsonl").write_text("nonsense")
    found = find_overlaps(SourcePrints([TEXT]), tmp_path)
    assert found.compared == ("qags",)
    assert "line 1 is not JSON" in found.unread["grayfacts"]


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((shared_data / "overlaps.json").read_text("utf-8"))
    return document


def prints_of(name: str, root: Path) -> SourcePrints:
    return SourcePrints(each.example.source.text for each in load_corpus(name, root))


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("corpus", "parts"),
    [
        ("xsumfaith", ["xsumfaith"]),
        ("bump", ["bump"]),
        ("storysumm", ["storysumm"]),
        ("qags", ["qags_cnndm", "qags_xsum"]),
        ("diasumfact", ["diasumfact"]),
        ("longsciverify", ["longsciverify"]),
    ],
)
def test_hashes_are_those_of_the_published_list(
    corpus: str, parts: Iterable[str], shared_data: Path, published: dict[str, Any]
) -> None:
    prints = prints_of(corpus, shared_data)
    lists = [published["datasets"][part] for part in parts]
    assert prints.h80 <= {each for part in lists for each in part["h80"]}
    assert prints.h200 <= {each for part in lists for each in part["h200"]}
    assert len(prints.h80) >= sum(len(part["h80"]) for part in lists) - prints.short


@pytest.mark.soak
@pytest.mark.shared_data
def test_overlap_of_leaderboard_and_xsumfaith_is_the_known_one(
    shared_data: Path, published: dict[str, Any]
) -> None:
    leaderboard = prints_of("leaderboard", shared_data)
    xsumfaith = prints_of("xsumfaith", shared_data)
    known = next(
        each
        for each in published["known_overlaps"]
        if (each["a"], each["b"]) == ("leaderboard_summaries", "xsumfaith")
    )
    assert len(leaderboard.h80 & xsumfaith.h80) == known["shared_sources_prefix80"] == 299
    assert len(leaderboard.h200 & xsumfaith.h200) == known["shared_sources_prefix200"] == 264
    assert (len(leaderboard.h80), len(xsumfaith.h80)) == (known["sources_a"], known["sources_b"])
