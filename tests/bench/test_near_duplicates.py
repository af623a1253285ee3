"""Texts that are nearly the same, found without comparing all of them."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bench.near_duplicates import NearDuplicates, jaccard, shingles
from assay.core.errors import InputError

WORDS = (
    "the ferry sank in may nobody was hurt it had sailed for ten years between two towns".split()
)
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=40).map(" ".join)


def similarity(one: str, other: str) -> float:
    """The same from the definition: sets of runs of three words."""
    ours, theirs = ({tuple(each[n : n + 3]) for n in range(max(1, len(each) - 2))}
                    for each in (one.split(), other.split()))  # fmt: skip
    return len(ours & theirs) / len(ours | theirs)


@given(TEXTS, TEXTS)
def test_similarity_is_that_of_the_definition(one: str, other: str) -> None:
    assert jaccard(shingles(one), shingles(other)) == pytest.approx(similarity(one, other))


@given(st.lists(TEXTS, max_size=12))
def test_what_is_kept_repeats_nothing_and_what_is_dropped_repeats_something(
    texts: list[str],
) -> None:
    near = NearDuplicates(0.8)
    kept: list[str] = []
    for number, text in enumerate(texts):
        found = near.first("g", str(number), text)
        if found is None:
            kept.append(text)
        else:
            assert found[1] == pytest.approx(similarity(text, texts[int(found[0])]))
            assert found[1] >= 0.8
    # Equal texts have equal signatures; pairs at the threshold are found nearly always.
    assert not any(similarity(*pair) == 1 for pair in combinations(kept, 2))


def test_only_texts_of_one_group_are_compared() -> None:
    near = NearDuplicates(0.5)
    text = "The ferry sank in May, and nobody was hurt."
    assert near.first("one", "a", text) is None
    assert near.first("two", "b", text) is None
    assert near.first("two", "c", text.upper()) == ("b", 1.0)


def test_nearly_all_pairs_at_the_threshold_are_found() -> None:
    # 41 words have 39 shingles; without the last four words, 35 of them: 35 / 39 = 0.897.
    missed = 0
    for number in range(200):
        text = [f"w{number}x{place}" for place in range(41)]
        near = NearDuplicates(0.89)
        near.first("g", "a", " ".join(text))
        missed += near.first("g", "b", " ".join(text[:-4])) is None
    assert missed <= 10


@pytest.mark.parametrize("value", [0, 1.5, float("nan")])
def test_a_similarity_lies_between_a_tenth_and_one(value: float) -> None:
    with pytest.raises(InputError, match="a similarity lies between"):
        NearDuplicates(value)


@given(st.text(max_size=100))
def test_any_text_can_be_looked_at(text: str) -> None:
    near = NearDuplicates(0.9)
    near.first("g", "a", text)
    found = near.first("g", "b", text)
    assert (found is None) == (len(shingles(text)) == 0)
