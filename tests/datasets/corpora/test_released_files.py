"""Facts that hold of every corpus of judged summaries, answers and claims."""

from gzip import compress
from hashlib import sha256
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.datasets.corpora import (
    bump,
    defacto,
    diasumfact,
    faceval,
    fib,
    grayfacts,
    lfqa,
    longsciverify,
    qags,
    summac,
    summedits,
    wice,
    xsumfaith,
)
from assay.datasets.corpus import CORPORA, Card, Corpus, find_card
from tests.datasets.corpora.opinions import gold_of, ids_are_unique, spans_of

pytestmark = pytest.mark.slow

MODULES = (
    bump,
    defacto,
    diasumfact,
    faceval,
    fib,
    grayfacts,
    lfqa,
    longsciverify,
    qags,
    summac,
    summedits,
    wice,
    xsumfaith,
)
CARDS = (*(module.CARD for module in MODULES), wice.TOKENS)
cards = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)


@pytest.mark.shared_data
@cards
def test_spans_are_slices_and_labels_are_on_the_menu(card: Card, corpora_root: Path) -> None:
    ids: set[str] = set()
    sources: dict[str, str] = {}
    for annotated in Corpus(card, corpora_root / card.folder):
        source = annotated.example.source
        assert all(whole[span.start : span.end] == span.text for span, whole in spans_of(annotated))
        assert ids_are_unique(annotated)
        ends = [0, *(each.end for each in source.passages)]
        starts = [*(each.start for each in source.passages), len(source.text)]
        assert all(end <= start for end, start in zip(ends, starts, strict=True))
        menus = {said.label.taxonomy for said in gold_of(annotated) if said.label}
        assert menus <= {card.taxonomy}
        assert annotated.gold
        assert annotated.example.split in (card.splits or ("",))
        assert sources.setdefault(source.id, source.text) == source.text
        assert annotated.id not in ids
        ids.add(annotated.id)
    assert len(sources) == len(set(sources.values()))


@pytest.mark.shared_data
@cards
def test_files_are_the_pinned_ones(card: Card, corpora_root: Path) -> None:
    for file in card.files:
        content = (corpora_root / card.folder / file.path).read_bytes()
        assert not file.sha256 or sha256(content).hexdigest() == file.sha256
        assert bool(file.sha256) == bool(file.upstream)


@pytest.mark.soak
@pytest.mark.shared_data
@cards
def test_repairs_are_the_same_at_each_reading(card: Card, corpora_root: Path) -> None:
    corpus = Corpus(card, corpora_root / card.folder)
    first = [*corpus], corpus.repairs.counts
    assert ([*corpus], corpus.repairs.counts) == first
    assert set(corpus.repairs.meanings) == set(corpus.repairs.counts)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"5", b"\xff\xfe\n", b'{"a": 1}\n'])
@cards
def test_a_damaged_file_is_named_in_one_line(card: Card, content: bytes, tmp_path: Path) -> None:
    for file in card.files:
        path = tmp_path / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(compress(content) if path.suffix == ".gz" else content)
    with pytest.raises(InputError) as caught:
        list(Corpus(card, tmp_path))
    assert any(str(tmp_path / file.path) in str(caught.value) for file in card.files)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("module", [fib, summac, xsumfaith], ids=lambda module: module.CARD.name)
def test_a_truncated_archive_is_named(module: object, tmp_path: Path) -> None:
    card = module.CARD  # type: ignore[attr-defined]
    path = tmp_path / card.files[0].path
    path.write_bytes(compress(b'{"a": 1}\n' * 99)[:-9])
    with pytest.raises(InputError, match=path.name):
        list(Corpus(card, tmp_path))


@cards
def test_the_card_says_what_the_labels_mean(card: Card) -> None:
    assert card.labels
    assert card.paper
    assert card.defects
    assert len(card.revision) == 40
    assert card.may_train == ("none stated" not in card.licence)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.CARD.name)
def test_a_corpus_is_found_by_its_name(module: object) -> None:
    card = module.CARD  # type: ignore[attr-defined]
    assert card.name in CORPORA
    assert find_card(card.name) is card
