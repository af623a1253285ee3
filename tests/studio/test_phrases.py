"""What happened, in words."""

from assay.annotation.items.history import HistoryEntry, UnitDifference
from assay.studio.phrases import changed, details, happened


def entry(kind: str, stage: str = "", **detail: object) -> HistoryEntry:
    return HistoryEntry("2026-01-01", "ann", 1, stage, kind, None, (), detail)


def test_a_change_names_the_stage_and_not_the_machinery() -> None:
    assert happened(entry("submit", "annotate", round=2, work=7)) == "submitted the annotation"
    assert details(entry("submit", "annotate", round=2, work=7)) == []


def test_an_item_that_moves_on_says_where_it_is_now() -> None:
    moved = entry("state", **{"from": "open", "to": "adjudication"})
    assert happened(moved) == "the item is now waiting for an adjudicator"
    assert details(moved) == []


def test_a_kind_without_a_phrase_is_still_told() -> None:
    assert happened(entry("account-made")) == "account made"
    assert details(entry("imported", added=3, again=False)) == ["added: 3", "again: no"]


def test_a_unit_says_what_changed_beside_its_label() -> None:
    difference = UnitDifference("s1", "It sat.", None, "fabricated", ("label", "note", "external"))
    assert changed(difference) == "reason, outside evidence"
