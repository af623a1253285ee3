"""The kept part of a vocabulary reads any text, and each kept word can be built."""

from base64 import b64decode
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.detectors.embedded.detector import SHIPPED
from assay.detectors.embedded.tokens import FIRST_WORD, Tokenizer
from training.base import SPECIALS
from training.vocabulary import choose_words, complete, rows_of, write_words

pytestmark = pytest.mark.soak

BYTES = [bytes([number]) for number in range(256)]
MERGED = [b"th", b"er", b"ther", b"there", b"in", b"ing", b"he", b"the", b" the"]
ALL = BYTES + MERGED


def built(word: bytes, ranks: dict[bytes, int]) -> list[bytes]:
    """The tokens that merging in order of rank makes of a word."""
    parts = [bytes([byte]) for byte in word]
    while len(parts) > 1:
        joins = [ranks.get(a + b, len(ranks)) for a, b in pairwise(parts)]
        best = min(range(len(joins)), key=joins.__getitem__)
        if joins[best] == len(ranks):
            break
        parts[best : best + 2] = [parts[best] + parts[best + 1]]
    return parts


def numbered(words: list[bytes]) -> dict[bytes, int]:
    return {word: number for number, word in enumerate(words)}


def test_all_bytes_are_kept() -> None:
    words = choose_words(MERGED, ["there there"], commonest=0, seen=100)
    assert set(words) == set(BYTES)


def test_common_words_and_words_that_are_met_are_kept() -> None:
    words = choose_words(ALL, ["there, there"], commonest=257, seen=2)
    assert b"th" in words  # among the first 257
    assert b"there" in words  # met twice, once after a blank
    assert b"ing" not in words


def test_words_that_a_kept_word_needs_are_kept_too() -> None:
    words = choose_words(ALL, ["there"] * 3, commonest=256, seen=3)
    assert [word for word in words if len(word) > 1] == [b"th", b"er", b"ther", b"there"]


def test_kept_words_stay_in_the_order_of_the_merges() -> None:
    words = choose_words(ALL, ["there the thing"] * 9, commonest=0, seen=5)
    assert words == [word for word in ALL if word in words]


def test_every_kept_word_can_be_built() -> None:
    words = choose_words(ALL, ["there the thing there"] * 9, commonest=0, seen=5)
    ranks = numbered(words)
    assert [word for word in words if built(word, ranks) != [word]] == []


def test_missing_bytes_come_last() -> None:
    assert complete([b"b", b"ab"])[:3] == [b"b", b"ab", b"\x00"]
    assert len(complete([b"b", b"ab"])) == 257


def test_rows_of_the_embedding_follow_the_specials() -> None:
    assert rows_of([b"b", b"?"], [b"a", b"b"]) == [SPECIALS + 1, SPECIALS - 1]


@given(st.text(st.characters().filter(str.isprintable) | st.sampled_from("\n\t")))
def test_any_printable_text_is_read_and_written_back(text: str) -> None:
    words = choose_words(ALL, ["there the thing"] * 9, commonest=0, seen=5)
    tokens = Tokenizer(words).encode(text)
    assert b"".join(words[token - FIRST_WORD] for token in tokens).decode() == text


def test_written_vocabulary_is_read_back(tmp_path: Path) -> None:
    write_words(ALL, tmp_path / "vocabulary.txt")
    tokens = Tokenizer.read((tmp_path / "vocabulary.txt").read_bytes()).encode("the")
    assert tokens.tolist() == [FIRST_WORD + ALL.index(b"the")]


def test_shipped_vocabulary_has_all_bytes_and_only_words_that_can_be_built() -> None:
    path = SHIPPED / "vocabulary.txt"
    if not path.is_file():
        pytest.skip(f"there is no model at {SHIPPED}")
    words = [b64decode(line) for line in path.read_bytes().split()]
    ranks = numbered(words)
    assert set(BYTES) <= set(words)
    assert [word for word in words if built(word, ranks) != [word]] == []
