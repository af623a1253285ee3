"""The taxonomies as the papers define them."""

import pytest

from assay.core.errors import UnknownNameError
from assay.core.labels import Taxonomy
from assay.core.taxonomies import ERROR5, FAITHBENCH, GRAY7, NLI, TAXONOMIES, taxonomy


def test_gray7_is_in_the_order_of_verigray() -> None:
    """Section 5.2 of VeriGray, from the least to the most faithful."""
    assert GRAY7.names == (
        "contradicting",
        "fabricated",
        "ambiguous",
        "no-fact",
        "out-dependent",
        "implicitly-supported",
        "explicitly-supported",
    )
    assert [label.rank for label in GRAY7] == list(range(7))


def test_gray7_is_read_coarsely_as_in_verigray() -> None:
    """Section 3 of VeriGray: faithful, unfaithful, not sure, and no-fact by itself."""
    assert {label.name: label.coarse for label in GRAY7} == {
        "contradicting": "unfaithful",
        "fabricated": "unfaithful",
        "ambiguous": "not-sure",
        "no-fact": "no-fact",
        "out-dependent": "not-sure",
        "implicitly-supported": "faithful",
        "explicitly-supported": "faithful",
    }


def test_faithbench_is_in_its_order_of_severity() -> None:
    """Section 3.1 of FaithBench: unwanted is worse than questionable, benign, consistent."""
    ranks = {label.name: label.rank for label in FAITHBENCH}
    assert ranks["unwanted"] < ranks["questionable"] < ranks["benign"] < ranks["consistent"]
    assert ranks["unwanted.intrinsic"] == ranks["unwanted.extrinsic"] == ranks["unwanted"]
    kinds = [label.name for label in FAITHBENCH if label.parent == "unwanted"]
    assert kinds == ["unwanted.intrinsic", "unwanted.extrinsic"]


@pytest.mark.parametrize(
    ("menu", "alias", "name"),
    [
        (GRAY7, "Generally-Supported", "implicitly-supported"),
        (GRAY7, "Inconsistent", "contradicting"),
        (FAITHBENCH, "Unwanted.Instrinsic", "unwanted.intrinsic"),
        (FAITHBENCH, "Unwanted.Intrinsic", "unwanted.intrinsic"),
        (NLI, "Not Attributable", "neutral"),
        (ERROR5, "interpretive labeling", "semantic-reframing.labeling"),
        (ERROR5, "Domain-Knowledge Equivalence", "semantic-reframing.equivalence"),
        (ERROR5, "interpretive inference", "semantic-reframing.inference"),
    ],
)
def test_name_that_a_release_uses_finds_its_label(menu: Taxonomy, alias: str, name: str) -> None:
    assert menu[alias].name == name


@pytest.mark.parametrize("menu", TAXONOMIES.values(), ids=str)
def test_labels_stand_in_order_and_every_name_finds_its_own(menu: Taxonomy) -> None:
    ranks = [label.rank for label in menu]
    assert ranks == sorted(ranks)
    for label in menu:
        assert all(menu[name] is label for name in (label.name, *label.aliases))
        assert label.taxonomy == menu.name
        assert label.meaning.endswith(".")


def test_unknown_taxonomy_raises_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'gray7'"):
        taxonomy("grey7")
