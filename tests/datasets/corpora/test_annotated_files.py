"""Facts that hold of the corpora of annotated spans, recorded detectors and gray labels."""

from gzip import compress
from hashlib import sha256
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.taxonomies import TAXONOMIES
from assay.datasets.corpus import CORPORA, Card, Corpus, find_card
from tests.datasets.corpora.opinions import gold_of, ids_are_unique, spans_of

pytestmark = pytest.mark.slow

AT_HAND = (
    "faithbench",
    "faithbench-csv",
    "faithbench-paper",
    "faithbench-sentences",
    "faithjudge-judged",
    "faithjudge-peers",
    "leaderboard",
    "ragtruth",
    "storysumm",
)
ELSEWHERE = ("aggrefact", "attributionbench", "farebio", "llm-aggrefact", "tofueval", "verigray")
# What stands beside the card's taxonomy: a verdict on the whole of marked responses.
ALSO = {"ragtruth": {"binary"}, "faithjudge-peers": {"binary", "ragtruth4"}}
ALWAYS = tuple(name for name in AT_HAND if name != "leaderboard")  # which is long
NO_GOLD = ("faithjudge-judged", "leaderboard")


@pytest.mark.shared_data
@pytest.mark.parametrize("name", [*ALWAYS, pytest.param("leaderboard", marks=pytest.mark.soak)])
def test_spans_are_slices_and_labels_are_on_the_menu(name: str, corpora_root: Path) -> None:
    card = find_card(name)
    ids: set[str] = set()
    sources: dict[tuple[str, str], str] = {}
    for annotated in Corpus(card, corpora_root / card.folder):
        example = annotated.example
        assert all(whole[span.start : span.end] == span.text for span, whole in spans_of(annotated))
        assert ids_are_unique(annotated)
        menus = {said.label.taxonomy for said in gold_of(annotated) if said.label}
        assert menus <= {card.taxonomy} | ALSO.get(name, set())
        assert bool(annotated.gold) == (name not in NO_GOLD)
        assert example.split in (card.splits or ("",))
        key = (example.task, example.source.id)
        assert sources.setdefault(key, example.source.text) == example.source.text
        assert example.id not in ids
        ids.add(example.id)


@pytest.mark.shared_data
@pytest.mark.parametrize("name", AT_HAND)
def test_files_are_the_pinned_ones(name: str, corpora_root: Path) -> None:
    card = find_card(name)
    for file in card.files:
        content = (corpora_root / card.folder / file.path).read_bytes()
        assert not file.sha256 or sha256(content).hexdigest() == file.sha256
        assert bool(file.sha256) == bool(file.upstream)


@pytest.mark.soak
@pytest.mark.shared_data
@pytest.mark.parametrize("name", ALWAYS)
def test_repairs_are_the_same_at_each_reading(name: str, corpora_root: Path) -> None:
    card = find_card(name)
    corpus = Corpus(card, corpora_root / card.folder)
    first = list(corpus), corpus.repairs.counts
    assert (list(corpus), corpus.repairs.counts) == first
    assert set(corpus.repairs.meanings) == set(corpus.repairs.counts)


def write(card: Card, folder: Path, content: bytes) -> list[str]:
    """All files of a card with the same content; one table where it names none."""
    names = [file.path for file in card.files] or ["test.jsonl"]
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(compress(content) if path.suffix == ".gz" else content)
    return [str(folder / name) for name in names]


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"5", b"\xff\xfe\n", b'{"a": 1}\n'])
@pytest.mark.parametrize("name", [*AT_HAND, *ELSEWHERE])
def test_a_damaged_file_is_named_in_one_line(name: str, content: bytes, tmp_path: Path) -> None:
    card = find_card(name)
    paths = write(card, tmp_path, content)
    with pytest.raises(InputError) as caught:
        list(Corpus(card, tmp_path))
    assert any(path in str(caught.value) for path in paths)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["faithjudge-judged", "leaderboard"])
def test_a_truncated_archive_is_named(name: str, tmp_path: Path) -> None:
    card = find_card(name)
    (tmp_path / "sources.jsonl.gz").write_bytes(compress(b'{"a": 1}\n' * 99)[:-9])
    with pytest.raises(InputError, match=r"sources\.jsonl\.gz"):
        list(Corpus(card, tmp_path))


@pytest.mark.parametrize("name", [*AT_HAND, *ELSEWHERE])
def test_the_card_says_what_it_is(name: str) -> None:
    card = find_card(name)
    assert (card.name, name in CORPORA) == (name, True)
    assert card.taxonomy in TAXONOMIES
    assert all((card.title, card.origin, card.revision, card.licence, card.labels, card.defects))


@pytest.mark.parametrize("name", ELSEWHERE)
def test_the_card_of_a_corpus_that_is_not_at_hand_describes_its_files(name: str) -> None:
    assert find_card(name).notes


def test_only_open_licences_may_train() -> None:
    may = {name for name in (*AT_HAND, *ELSEWHERE) if find_card(name).may_train}
    assert may == {"ragtruth", "storysumm"}
