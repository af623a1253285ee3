"""Readings of labels for agreement: what is one class, what is left out, and what is in order."""

import pytest

from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import TAXONOMIES
from assay.evaluation.agreement import agreement as module
from assay.evaluation.agreement.agreement import agreement_readings


def test_gray7_has_its_classes_an_order_a_coarse_and_a_binary_reading() -> None:
    seven, order, coarse, binary = agreement_readings("gray7", "sentence")
    assert (seven.name, seven.level, len(seven.classes)) == ("seven classes", "nominal", 7)
    assert (order.name, order.level) == ("seven classes in order", "ordinal")
    assert coarse.table["ambiguous"] == coarse.table["out-dependent"]
    assert coarse.table["no-fact"] not in (coarse.table["ambiguous"], coarse.table["fabricated"])
    assert binary.name == "faithful / unfaithful"
    assert set(binary.table) == {
        "contradicting",
        "fabricated",
        "implicitly-supported",
        "explicitly-supported",
    }


def test_faithbench_has_the_readings_of_its_paper() -> None:
    found = {each.name: each.table for each in agreement_readings("faithbench")}
    assert list(found)[2:] == [
        "consistent / unwanted",
        "consistent / benign / unwanted",
        "consistent + benign / questionable / unwanted",
    ]
    merged = found["consistent + benign / questionable / unwanted"]
    assert merged["consistent"] == merged["benign"] != merged["questionable"]
    assert "benign" not in found["consistent / unwanted"]
    assert "unwanted.extrinsic" not in found["four classes"]  # counts as unwanted


@pytest.mark.parametrize("menu", TAXONOMIES)
def test_every_taxonomy_has_a_reading_of_all_its_classes(menu: str) -> None:
    first, *_ = agreement_readings(menu)
    assert set(first.table) == {each.name for each in TAXONOMIES[menu] if not each.parent}
    for each in agreement_readings(menu):
        assert set(each.table.values()) <= set(range(len(each.classes)))


def test_taxonomy_of_a_plugin_is_read_as_its_labels_say(monkeypatch: pytest.MonkeyPatch) -> None:
    names = (("wrong", "unfaithful"), ("odd", "not-sure"), ("fine", "faithful"))
    labels = tuple(
        Label("ours", name, "", rank, coarse)  # type: ignore[arg-type]
        for rank, (name, coarse) in enumerate(names)
    )
    made = Taxonomy("ours", "Ours", labels)
    monkeypatch.setattr(module, "taxonomy", lambda menu: made)
    monkeypatch.setattr("assay.core.readings.taxonomy", lambda menu: made)
    agreement_readings.cache_clear()
    found = agreement_readings("ours")
    agreement_readings.cache_clear()
    assert [each.name for each in found] == [
        "three classes",
        "three classes in order",
        "faithful / unfaithful",
    ]
    assert "odd" not in found[2].table
