"""How several annotators' labels become one, and how that is said."""

import pytest

from assay import InputError, taxonomy
from assay.core.pooling import BY_CORPUS, GoldBasis, Pool, Voices, find_pool, pool_labels

BINARY = taxonomy("binary")
SPLIT = [BINARY["unfaithful"], BINARY["faithful"], BINARY["faithful"]]


@pytest.mark.parametrize(
    ("pool", "label"),
    [
        ("any", "unfaithful"),
        ("corpus", "unfaithful"),
        ("majority", "faithful"),
        ("all", "faithful"),
    ],
)
def test_a_response_is_unfaithful_if_any_most_or_all_say_so(pool: Pool, label: str) -> None:
    assert pool_labels(SPLIT, pool) == label


@pytest.mark.parametrize(("former", "pool"), [("worst", "any"), ("best", "all")])
def test_the_former_names_of_pools_are_read(former: str, pool: str) -> None:
    assert find_pool(former) == pool


def test_an_unknown_pool_names_those_that_there_are() -> None:
    with pytest.raises(InputError, match=r"pool 'mean'.*Choices: all, any, corpus, majority"):
        find_pool("mean")


@pytest.mark.parametrize(
    ("pool", "voices", "words"),
    [
        ("corpus", [BY_CORPUS], "the corpus's own labels"),
        ("corpus", [Voices(2), Voices(2)], "worst of 2 annotators (any)"),
        ("any", [Voices(2), Voices(4)], "worst of 2 to 4 annotators (any)"),
        ("majority", [Voices(3)], "majority of 3 annotators (ties count as unfaithful)"),
        ("all", [Voices(2)], "best of 2 annotators (all)"),
        ("all", [Voices(1)], "labels of one annotator each"),
        ("any", [Voices(1, own=True)], "worst of one annotator and the corpus's own label (any)"),
        (
            "corpus",
            [BY_CORPUS, Voices(1), Voices(2), Voices(3)],
            "the corpus's own labels for 1, labels of one annotator each for 1, "
            "worst of 2 to 3 annotators (any) for 2",
        ),
        ("any", [], "none"),
    ],
)
def test_a_statement_says_whose_labels_gold_is(
    pool: Pool, voices: list[Voices], words: str
) -> None:
    assert GoldBasis.of(pool, voices).describe() == f"gold: {words}"


def test_json_counts_the_labels_by_who_gave_them() -> None:
    voices = [BY_CORPUS, Voices(1), Voices(1), Voices(2), Voices(3), Voices(3), Voices(1, own=True)]
    found = GoldBasis.of("majority", voices).to_dict()
    del found["statement"]
    assert found == {
        "pool": "majority",
        "labels": 7,
        "own": 1,
        "single": 2,
        "pooled": 4,
        "annotators": [1, 3],
    }
