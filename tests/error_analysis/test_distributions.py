"""Distributions by hand arithmetic."""

from dataclasses import replace

import pytest

from assay.core.judgements import Author
from assay.core.taxonomies import FINAL4, RECHECK3
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.error_analysis.beliefs import beliefs
from assay.error_analysis.explanations import (
    Explained,
    Statement,
    distributions,
)
from tests.error_analysis.cases import MODEL, invented, missed, proposed, unexplained

TRUE, FALSE = FINAL4["extrinsic-correct"], FINAL4["extrinsic-wrong"]
ANN = Author("ann", "person")


def explained(count: int, category: str = "") -> list[Explained]:
    items = [missed(Unit("i1", "inconsistency", f"{category} {n}")) for n in range(count)]
    proposal = proposed(category) if category else None
    return [replace(each, proposal=proposal) for each in unexplained(items)]


def test_shares_are_of_the_decided_with_wilson_intervals() -> None:
    answer = Statement(ANN, Verdict("i1", TRUE))
    people = [replace(e, answer=answer) for e in explained(2, "extrinsic-wrong")]
    models = explained(6, "extrinsic-correct")
    gold = unexplained([missed(category="extrinsic-wrong")] * 2)
    lost = Statement(MODEL, Failure("i1", "parse"))
    failed = [replace(e, proposal=lost) for e in explained(3)]
    told, nothing = distributions([*people, *models, *gold, *failed, *explained(1)])
    shares = {share.category.name: share for share in told.shares}
    # 2 + 6 of 10 decided are true additions, 8 of 10: Wilson's interval is [0.490, 0.943].
    share = shares["extrinsic-correct"]
    assert (share.count, share.by_people) == (8, 2)
    assert str(share.share) == "0.800 [0.490, 0.943] n=10"
    assert shares["extrinsic-wrong"].count == 2
    assert (told.errors, told.decided, told.open) == (14, 10, 1)
    assert told.decided_by == {"people": 2, "model": 6, "gold": 2}
    assert told.failures == {"parse": 3}
    assert (nothing.errors, nothing.shares[0].share.value) == (0, None)


def test_sides_are_counted_apart() -> None:
    alarm = replace(unexplained([invented()])[0], proposal=proposed("omission"))
    one, other = distributions([*explained(1, "extrinsic-wrong"), alarm])
    assert (one.side, one.decided, other.side, other.decided) == ("missed", 1, "invented", 1)
    assert [share.category.taxonomy for share in other.shares] == ["falsealarm5"] * 5


def test_what_is_no_error_is_counted_apart_and_changes_no_share() -> None:
    wrong = Statement(ANN, Verdict("i1", RECHECK3["matcher-wrong"]))
    not_sure = Statement(MODEL, Verdict("i1", RECHECK3["unsure"]))
    left_out = [
        replace(explained(1, "extrinsic-wrong")[0], answer=wrong),
        replace(explained(1)[0], proposal=not_sure),
    ]
    told, _ = distributions([*explained(2, "extrinsic-wrong"), *left_out, *explained(1)])
    shares = {share.category.name: str(share.share) for share in told.shares}
    assert shares["extrinsic-wrong"] == "1.000 [0.342, 1.000] n=2"
    assert (told.errors, told.decided, told.open) == (5, 2, 1)
    # Of the four that were looked at.
    excluded = told.to_dict()["excluded"]
    assert [(each["count"], each["by_people"]) for each in excluded.values()] == [
        (1, 1),
        (0, 0),
        (1, 0),
    ]
    assert (excluded["unsure"]["share"]["value"], excluded["unsure"]["share"]["n"]) == (0.25, 4)


def test_belief_is_a_mean_for_each_category_with_failures_beside() -> None:
    def believed(each: Explained, outcome: Outcome) -> Explained:
        return replace(each, belief=Statement(MODEL, outcome))

    true = [
        believed(each, Verdict("i1.c1", score=score))
        for each, score in zip(explained(2, "extrinsic-correct"), (1.0, 0.8), strict=True)
    ]
    false = believed(explained(1, "extrinsic-wrong")[0], Verdict("i1.c1", score=0.2))
    lost = believed(explained(1, "extrinsic-wrong")[0], Failure("i1", "refused"))
    one, other = beliefs([*true, false, lost, *explained(1, "intrinsic-alteration")])
    assert (one.category, one.mean.n, other.category, other.mean.n) == (TRUE, 2, FALSE, 1)
    assert one.mean.value == pytest.approx(0.9)
    assert other.mean.value == pytest.approx(0.2)
    assert (other.failures, one.failures) == ({"refused": 1}, {})
