"""Readings of one taxonomy's labels as another's, as each paper reads them."""

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.readings import READINGS, Reading, reading
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7, taxonomy


def read_as(name: str) -> dict[str, list[str]]:
    """The origin's labels by what the reading makes of them."""
    found: dict[str, list[str]] = {}
    for label in taxonomy(reading(name).origin):
        found.setdefault(str(reading(name)(label)), []).append(label.name)
    return found


@pytest.mark.parametrize("each", READINGS.values(), ids=list(READINGS))
def test_every_reading_covers_its_origin_and_stays_on_the_targets_menu(each: Reading) -> None:
    assert set(each.table) == set(taxonomy(each.origin).names)
    targets = {name for name in each.table.values() if name is not None}
    assert targets <= set(taxonomy(each.target).names)


@pytest.mark.parametrize("each", READINGS.values(), ids=list(READINGS))
def test_no_reading_turns_the_order_round(each: Reading) -> None:
    labels = taxonomy(each.origin).labels
    ranks = [(label.rank, target.rank) for label in labels if (target := each(label))]
    for low, low_target in ranks:
        assert all(low_target <= target for rank, target in ranks if rank > low)


def test_verigrays_first_protocol_leaves_out_not_sure_and_no_fact() -> None:
    assert read_as("verigray") == {
        "faithful": ["implicitly-supported", "explicitly-supported"],
        "unfaithful": ["contradicting", "fabricated"],
        "None": ["ambiguous", "no-fact", "out-dependent"],
    }


@pytest.mark.parametrize("name", GRAY7.names[1:])
def test_threshold_is_faithful_from_its_label_upwards(name: str) -> None:
    place = GRAY7.names.index(name)
    assert read_as(f"from-{name}") == {
        "unfaithful": list(GRAY7.names[:place]),
        "faithful": list(GRAY7.names[place:]),
    }


def test_faithbench_joins_benign_with_consistent_and_questionable_with_unwanted() -> None:
    found = read_as("faithbench")
    assert found["faithful"] == ["benign", "consistent"]
    assert "questionable" in found["unfaithful"]
    assert "None" not in found


def test_faithbench_strict_keeps_only_consistent_as_faithful() -> None:
    found = read_as("faithbench-strict")
    assert found["faithful"] == ["consistent"]
    assert {"benign", "questionable"} <= set(found["unfaithful"])


def test_faithjudge_leaves_out_the_gray_labels() -> None:
    assert read_as("faithjudge") == {
        "unfaithful": ["unwanted", "unwanted.intrinsic", "unwanted.extrinsic"],
        "None": ["questionable", "benign"],
        "faithful": ["consistent"],
    }


def test_faithbench_classes_merge_the_kinds_of_unwanted() -> None:
    merged = reading("faithbench-classes")
    assert merged(FAITHBENCH["unwanted.extrinsic"]) == FAITHBENCH["unwanted"]
    assert merged(FAITHBENCH["benign"]) == FAITHBENCH["benign"]


def test_only_entailment_is_faithful() -> None:
    assert read_as("nli-binary") == {
        "unfaithful": ["contradiction", "neutral"],
        "faithful": ["entailment"],
    }


def test_label_of_another_taxonomy_raises() -> None:
    with pytest.raises(InputError, match="takes gray7 labels, not binary"):
        reading("verigray")(BINARY["faithful"])


def test_unknown_reading_raises_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'faithjudge'"):
        reading("faithjugde")
