"""Audits of released data: votes of single annotators, and two versions of the same labels."""

from pathlib import Path

from assay.app.audit.outcomes import VersionsRequest, compare_versions
from assay.audit.ballots import count_ballots
from assay.datasets.selection import DataChoice, load
from assay.evaluation.policy import GoldPolicy


def test_votes_of_qags_are_decided_by_the_majority(shared_data: Path) -> None:
    annotated = load(DataChoice("qags", str(shared_data))).annotated
    found = count_ballots(annotated, GoldPolicy("sentence"))
    assert found is not None
    rows = [(row.against, row.units, row.unfaithful.value) for row in found.rows]
    assert rows == [(0, 458, 0.0), (1, 189, 0.0), (2, 139, 1.0), (3, 167, 1.0)]
    changes = {row.rule: (row.to_unfaithful, row.to_faithful) for row in found.rules}
    assert changes == {"any": (189, 0), "majority": (0, 0), "unanimous": (0, 139)}
    assert len(found.suppressed) == 189


def test_faithbench_was_relabelled_between_its_paper_and_its_release(shared_data: Path) -> None:
    request = VersionsRequest(
        "faithbench-paper",
        "faithbench",
        detectors=("hhem-1", "true-nli"),
        folder=str(shared_data),
    )
    found = compare_versions(request)
    assert (found.examples, found.only_old, found.only_new) == (700, 50, 50)
    # 37 of 700 labels: 17 + 10 + 7 became unwanted, 3 another class.
    assert [count for *_, count in found.changes.counts] == [17, 10, 7, 1, 1, 1]
    moved = {each.detector: each.direction for each in found.shifts}
    assert moved == {"hhem-1": "up", "true-nli": "down"}
