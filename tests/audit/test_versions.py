"""Ranks before and after labels changed: among all detectors, and among those of one model."""

import csv
import io
from dataclasses import replace

import pytest

from assay import InputError, Judgements
from assay.audit.versions import Versions, rank_shifts
from assay.core.pooling import BY_CORPUS, GoldBasis
from assay.evaluation.corpora.label_changes import compare_labels
from assay.evaluation.evaluate import Settings
from assay.evaluation.policy import GoldPolicy
from assay.report.audit.tables import csv_versions, markdown_versions, shift_table
from tests.audit.ferries import detector, ferry

# s1 of a is revised from unfaithful to faithful.
OLD = (ferry("a", "-+-"), ferry("b", "++-"))
NEW = (ferry("a", "++-"), OLD[1])
BASIS = GoldBasis.of("corpus", [BY_CORPUS])
SETTINGS = Settings(GoldPolicy("sentence"), by_model=True)


def asking(model: str, name: str, **said: str) -> Judgements:
    made = detector(f"{name}-{model}", **said)
    return replace(made, manifest=replace(made.manifest, model=model))


# Before there are 3 faithful and 3 unfaithful labels, afterwards 4 and 2.
DETECTORS = (
    asking("gpt", "p", a="++-", b="++-"),  # (1 + 2/3) / 2 = 0.833, then 1
    asking("gem", "p", a="+++", b="++-"),  # (1 + 1/3) / 2 = 0.667, then (1 + 1/2) / 2 = 0.75
    asking("gpt", "q", a="-+-", b="++-"),  # 1, then (3/4 + 1) / 2 = 0.875
    asking("gem", "q", a="-+-", b="+-+"),  # (2/3 + 2/3) / 2, then (2/4 + 1/2) / 2 = 0.5
)


def versions(*by: Judgements) -> Versions:
    shifts = rank_shifts("ferries", OLD, NEW, by, SETTINGS)
    changes = compare_labels(OLD, NEW, "sentence")
    gold = (BASIS, BASIS)
    return Versions("old", "new", "as read", gold, 2, 0, 0, changes, shifts, by_model=True)


def test_ranks_are_among_detectors_of_one_model() -> None:
    found = [
        (each.model, each.detector, each.rank_before, each.rank_after, each.direction)
        for each in versions(*DETECTORS).shifts
    ]
    assert found == [
        ("gpt", "p-gpt", 2, 1, "up"),
        ("gpt", "q-gpt", 1, 2, "down"),
        ("gem", "p-gem", 1, 1, ""),
        ("gem", "q-gem", 1, 2, "down"),
    ]


def test_the_table_has_each_value_under_its_head() -> None:
    table = shift_table(versions(*DETECTORS).shifts, by_model=True)
    assert table.heads == ["model", "detector", "before", "rank", "after", "rank", "coverage"]
    shown = [cell.partition(" [")[0] for cell in table.texts()[1]]
    assert shown == ["gpt", "q-gpt", "1.000", "1", "0.875", "2 ▼", "100.0%"]


def test_markdown_csv_and_json_name_the_model() -> None:
    found = versions(*DETECTORS)
    assert "| gem | q-gem | " in markdown_versions(found)
    rows = list(csv.DictReader(io.StringIO(csv_versions(found))))
    ranks = {(r["table"], r["row"], r["figure"]): r["value"] for r in rows}
    assert ranks["ranking within gem", "q-gem", "rank before"] == "1"
    assert ranks["ranking within gem", "q-gem", "rank after"] == "2"
    assert ranks["labels that changed", "unfaithful -> faithful", "labels"] == "1"
    assert {r["dataset"] for r in rows} == {"old -> new"}
    document = found.to_dict()
    assert document["ranked_within"] == "model"
    assert [each["model"] for each in document["ranking"]] == ["gpt", "gpt", "gem", "gem"]


def test_detectors_that_name_no_model_cannot_be_ranked_within_one() -> None:
    with pytest.raises(InputError, match="which model it asks"):
        versions(detector("d", a="++-", b="++-"))


def test_those_who_flagged_are_marked_and_the_note_says_why() -> None:
    shifts = rank_shifts("ferries", OLD, NEW, DETECTORS[:2], Settings(), ("p-gpt",))
    table = shift_table(shifts)
    assert [row[0] for row in table.texts()] == ["p-gpt †", "p-gem"]
    assert "† took part in flagging" in table.note
    assert [each.to_dict()["flagged"] for each in shifts] == [True, False]
    plain = shift_table(rank_shifts("ferries", OLD, NEW, DETECTORS[:2], Settings()))
    assert "†" not in plain.note
