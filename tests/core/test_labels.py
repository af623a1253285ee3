"""Menus of labels, and pooling several labels into one."""

from collections.abc import Callable, Iterable
from itertools import permutations

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Label, best, majority, worst
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7

Pool = Callable[[Iterable[Label]], Label]


def faithbench(*names: str) -> list[Label]:
    return [FAITHBENCH[name] for name in names]


def test_worst_is_the_least_faithful() -> None:
    assert worst(faithbench("consistent", "questionable", "benign")).name == "questionable"


def test_best_is_the_most_faithful() -> None:
    assert best(faithbench("unwanted", "questionable", "benign")).name == "benign"


def test_majority_is_the_most_frequent() -> None:
    assert majority(faithbench("benign", "unwanted", "benign")).name == "benign"


def test_tied_majority_goes_to_the_less_faithful() -> None:
    assert majority(faithbench("consistent", "benign")).name == "benign"
    assert majority(faithbench("consistent", "consistent", "benign", "benign")).name == "benign"


@pytest.mark.parametrize("pool", [worst, best, majority])
def test_pooling_does_not_depend_on_the_order(pool: Pool) -> None:
    labels = faithbench("unwanted", "unwanted.intrinsic", "unwanted.extrinsic", "benign")
    assert len({pool(order) for order in permutations(labels)}) == 1


@pytest.mark.parametrize("pool", [worst, best, majority])
def test_pooling_nothing_raises(pool: Pool) -> None:
    with pytest.raises(InputError, match="empty list of labels"):
        pool([])


@pytest.mark.parametrize("pool", [worst, best, majority])
def test_pooling_labels_of_two_taxonomies_raises(pool: Pool) -> None:
    with pytest.raises(InputError, match="labels of binary and gray7"):
        pool([GRAY7["fabricated"], BINARY["faithful"]])


@pytest.mark.parametrize("name", ["no-fact", "No-Fact", "NO_FACT", " no fact "])
def test_label_is_found_in_any_spelling(name: str) -> None:
    assert GRAY7[name].name == "no-fact"


def test_unknown_label_raises_with_a_suggestion_and_the_menu() -> None:
    with pytest.raises(UnknownNameError) as caught:
        GRAY7["fabrikated"]
    assert str(caught.value).startswith("unknown gray7 label 'fabrikated'.")
    assert "Did you mean 'fabricated'?" in str(caught.value)
    assert "out-dependent" in str(caught.value)


def test_unknown_label_that_is_like_none_is_not_given_a_suggestion() -> None:
    with pytest.raises(UnknownNameError) as caught:
        BINARY["zzz"]
    assert "Did you mean" not in str(caught.value)


def test_label_equals_its_name_and_the_same_label() -> None:
    label = GRAY7["contradicting"]
    assert label == "contradicting"
    assert label in {"contradicting", "fabricated"}
    assert label != "fabricated"
    assert label == Label("gray7", "contradicting", "", 0, "unfaithful")
    assert label != 5


def test_labels_of_the_same_name_differ_by_taxonomy() -> None:
    other = Label("mine", "faithful", "", 1, "faithful")
    assert other != BINARY["faithful"]
    assert len({other, BINARY["faithful"]}) == 2
