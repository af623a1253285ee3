"""Votes of single annotators beside the labels that came of them."""

from assay.audit.ballots import Ballots, count_ballots
from assay.evaluation.policy import GoldPolicy
from tests.audit.ferries import ferry

POLICY = GoldPolicy("sentence")
# s1: one of three says unfaithful, final faithful; s2: none; s3: all three, final unfaithful.
# In b, s1: two of three, final unfaithful.
DATA = (ferry("a", "++-", "-+-", "++-", "++-"), ferry("b", "-++", "-++", "-++", "+++"))


def counted() -> Ballots:
    found = count_ballots(DATA, POLICY)
    assert found is not None
    return found


def test_rows_count_how_units_ended_by_the_votes_against_them() -> None:
    rows = [(r.annotators, r.against, r.units, r.unfaithful.value) for r in counted().rows]
    # No vote: a s2, b s2, b s3. One: a s1. Two: b s1. Three: a s3.
    assert rows == [(3, 0, 3, 0.0), (3, 1, 1, 0.0), (3, 2, 1, 1.0), (3, 3, 1, 1.0)]


def test_rules_say_how_they_would_have_labelled() -> None:
    rules = {r.rule: r for r in counted().rules}
    # Of six units three have a vote against them, two have two or more, one has three.
    assert [rules[r].unfaithful.value for r in ("any", "majority", "unanimous")] == [
        3 / 6,
        2 / 6,
        1 / 6,
    ]
    assert (rules["any"].to_unfaithful, rules["any"].to_faithful) == (1, 0)
    assert (rules["unanimous"].to_unfaithful, rules["unanimous"].to_faithful) == (0, 1)


def test_suppressed_votes_are_listed() -> None:
    (lost,) = counted().suppressed
    assert (lost.example, lost.unit, lost.against) == ("a", "s1", 1)
    assert dict(lost.votes)["a1"] == "unfaithful"
    assert counted().to_dict()["suppressed"][0]["votes"]["a2"] == "faithful"


def test_one_annotator_is_no_vote() -> None:
    assert count_ballots([ferry("a", "++-", "-+-")], POLICY) is None
    assert count_ballots([ferry("a")], POLICY) is None


def test_a_tie_counts_as_unfaithful_as_in_the_pool_of_the_same_name() -> None:
    tied = [ferry("a", "...", "-+-", "++-")]
    found = count_ballots(tied, GoldPolicy("sentence", "majority"))
    assert found is not None
    majority = next(each for each in found.rules if each.rule == "majority")
    # One of two says unfaithful of s1, none of s2, both of s3.
    assert (majority.unfaithful.value, majority.to_unfaithful, majority.to_faithful) == (
        2 / 3,
        0,
        0,
    )
