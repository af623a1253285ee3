"""A new version of the data: the gold that supersedes, what it rests on, and what came of it."""

from dataclasses import replace
from typing import Any

import pytest

from assay import Annotated, Author
from assay.audit.adjudication import adjudicate, decided_record
from assay.audit.disagreement import Comparing
from assay.audit.forms import is_form, read_forms
from assay.audit.outcomes import AuditReport, report_on
from assay.audit.revisions import Application, apply_revisions, misfits
from assay.audit.verification import rule_on
from assay.audit.votes import recorded_vote, with_votes
from assay.core.codec import read_example, write_example
from assay.core.judgements import GOLD
from assay.core.taxonomies import ERROR5
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.decisions.proposals import Proposal
from assay.evaluation.evaluate import Settings
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldPolicy
from tests.audit.ferries import (
    NO,
    RESPONSE,
    Edit,
    detector,
    ferry,
    filled,
    flagged,
    incorrect,
    stands,
)

KIND: dict[str, Any] = {"error": {"taxonomy": "error5", "label": "hedging-removal"}}
# The gold of s1 is wrong in a and b. d is right about both, e repeats the gold.
DATA = (ferry("a", "-+-", "-+-", "++-"), ferry("b", "-+-"), ferry("c", "++-"))
D, E = detector("d", a="++-", b="++-", c="++-"), detector("e", a="-+-", b="-+-", c="+++")
LINES = flagged(*DATA, by=(D, E)).lines  # a s1, b s1, c s3


def application(
    edits: dict[str, Edit], agreeing: int = 3, *, unverified: bool = False
) -> tuple[Application, list[Proposal]]:
    """Decisions by ann about the examples of some ids, with three votes of which so many agree."""
    lines = [
        filled(line, edits.get(line.id, lambda unit: None), where=f"f line {n}")
        for n, line in enumerate(LINES, start=1)
    ]
    flags, wrong = read_forms(lines)
    assert wrong == []
    votes = []
    for each in adjudicate(flags).decided:
        if each.is_revision:
            for number in range(3):
                labels = "+++" if number < agreeing else "-+-"
                (said,) = detector("v", **{each.proposal.line.id: labels})
                votes.append(recorded_vote(each, said, f"v{number}", Comparing()))
    told = {line.id: line for line in with_votes([f.line for f in flags], votes)}
    flags = [replace(flag, line=told[flag.line.id]) for flag in flags]
    decided = adjudicate(flags).decided
    ruled = {each.key: each for each in rule_on(decided)}
    return Application(decided, ruled, unverified), flags


def labels_of(annotated: Annotated) -> str:
    found = gold_labels(annotated, "sentence", "corpus")
    return "".join("+" if label.coarse == "faithful" else "-" for _, label in found)


def revised(
    edits: dict[str, Edit], agreeing: int = 3, *, unverified: bool = False
) -> list[Annotated]:
    made, _ = application(edits, agreeing, unverified=unverified)
    return list(apply_revisions(DATA, made))


def test_verified_revision_supersedes_and_everything_before_is_there() -> None:
    a, b, c = revised({"a": incorrect(**KIND), "b": stands("ambiguous")})
    assert [labels_of(each) for each in (a, b, c)] == ["++-", "-+-", "++-"]
    assert c == DATA[2]  # nobody decided about it
    old, first, second, *votes, decision, gold = a.judgements
    assert (old, first.author.name, second.author.name) == (DATA[0].judgements[0], "a1", "a2")
    assert [each.author.name for each in votes] == [f"verify-revision v{n}" for n in range(3)]
    assert (decision.author, decision.supersedes) == (Author("ann", "person"), "a/gold/1")
    assert (gold.author, gold.round, gold.supersedes) == (GOLD, 2, "a/ann/1")
    verdict = gold.verdicts[0]
    assert verdict.note == "Was unfaithful, revised by ann; 3 of 3 votes agree. It says so."
    assert verdict.evidence[0].text == "crosses twice\na day"
    assert verdict.error == ERROR5["hedging-removal"]
    assert gold.verdicts[1:] == old.verdicts[1:]
    assert [each.author.name for each in a.gold] == ["a1", "a2", "gold"]
    assert not any(map(is_form, a.judgements))
    assert read_example(write_example(a)) == a


def test_decision_that_the_label_stands_is_kept_and_is_no_vote_of_an_annotator() -> None:
    _, b, _ = revised({"b": stands("system-error", "The ferry is right.")})
    assert [each.author.name for each in b.judgements] == ["gold", "ann", "gold"]
    assert [each.author.name for each in b.gold] == ["gold"]
    assert b.judgements[1].verdicts[0].note == "The ferry is right."
    assert b.judgements[2].verdicts == b.judgements[0].verdicts


def test_unverified_revision_is_applied_only_if_that_is_wanted() -> None:
    assert labels_of(revised({"a": incorrect()}, agreeing=1)[0]) == "-+-"
    a = revised({"a": incorrect()}, agreeing=1, unverified=True)[0]
    assert labels_of(a) == "++-"
    assert "1 of 3 votes agree" in a.judgements[-1].verdicts[0].note


def test_labels_that_only_annotators_gave_become_gold_as_a_whole() -> None:
    alone = ferry("a", "...", "-+-", "++-")  # the worst of the two counts
    assert labels_of(alone) == "-+-"
    made, _ = application({"a": incorrect()})
    (after,) = apply_revisions([alone], made)
    assert labels_of(after) == "++-"
    assert [each.unit for each in after.judgements[-1].verdicts] == ["s1", "s2", "s3"]


def test_second_audit_goes_on_from_the_first() -> None:
    a = revised({"a": incorrect()})[0]
    (line,) = flagged(a, by=(detector("e", a="-+-"),)).lines
    assert line.judgements[-1].round == 3
    flags, wrong = read_forms([filled(line, incorrect("unfaithful", "48 people"))])
    assert wrong == []
    decided = adjudicate(flags).decided
    ruled = {each.key: each for each in rule_on(decided)}
    (again,) = apply_revisions([a], Application(decided, ruled, unverified=True))
    assert labels_of(again) == "-+-"
    assert [(j.author.name, j.round) for j in again.judgements[-2:]] == [("ann", 2), ("gold", 3)]
    assert again.judgements[-1].supersedes == "a/ann/2"


def test_flags_of_other_data_are_refused_with_their_lines() -> None:
    _, flags = application({})
    other = replace(DATA[0].example, id="a", source=replace(DATA[0].example.source, text="Else."))
    changed = ferry("b", "++-")
    told = [str(each) for each in misfits([Annotated(other), changed], flags)]
    assert told[0].startswith("f line 1: the source of example 'a' is another text")
    assert "f line 2: example 'b', unit s1: its gold label is faithful in the data" in told[1]
    assert told[2] == "f line 3: the data has no example 'c'"
    assert list(misfits(DATA, flags)) == []


def report(edits: dict[str, Edit]) -> AuditReport:
    made, _ = application(edits)
    after = list(apply_revisions(DATA, made))
    return report_on("ferries", DATA, after, made, [D, E], Settings(GoldPolicy("sentence")))


def test_report_counts_like_the_papers_table_2() -> None:
    found = report({"a": incorrect(**KIND), "b": stands("ambiguous")})
    (tally,) = found.tallies
    assert (tally.units, tally.flagged, tally.incorrect, tally.ambiguous) == (9, 3, 1, 1)
    assert (tally.open, tally.system_errors, tally.revised) == (1, 0, 1)
    assert (tally.rate.value, tally.rate.n) == (1 / 9, 9)
    assert found.standings["verified"] == 1
    assert not found.is_complete  # c is open
    assert found.changes.counts == (("unfaithful", "faithful", 1),)
    # One of a's two annotators had called s1 faithful.
    assert (found.with_minority.value, found.with_minority.n) == (1.0, 1)


def test_profile_takes_the_kind_of_people_then_that_of_detectors() -> None:
    (profile,) = report({"a": incorrect(**KIND), "b": incorrect()}).profiles
    shares = {each.label.name: (each.count, each.share.value) for each in profile.kinds}
    assert shares["hedging-removal"] == (1, 1.0)
    assert shares["temporal-state"] == (0, 0.0)
    assert (profile.without, profile.by_people) == (1, 1)


def test_kind_of_semantic_reframing_is_counted_with_it() -> None:
    named: dict[str, Any] = {"error": {"taxonomy": "error5", "label": "Interpretive labeling"}}
    plain: dict[str, Any] = {"error": {"taxonomy": "error5", "label": "semantic-reframing"}}
    (profile,) = report({"a": incorrect(**named), "b": incorrect(**plain)}).profiles
    counts = {each.label.name: each.count for each in profile.shown}
    assert counts["semantic-reframing"] == profile.known == 2
    assert counts["semantic-reframing.labeling"] == 1
    below = profile.to_dict()["kinds"]["semantic-reframing"]["kinds"]
    assert {name: each["count"] for name, each in below.items()} == {
        "semantic-reframing.labeling": 1,
        "semantic-reframing.equivalence": 0,
        "semantic-reframing.inference": 0,
    }
    (without,) = report({"a": incorrect(**plain)}).profiles
    assert [each.label.name for each in without.shown] == [e.name for e in ERROR5 if not e.parent]


def test_detectors_error_is_the_kind_where_people_gave_none() -> None:
    data = ferry("a", "++-")
    (said,) = detector("d", a="-+-")
    verdict = replace(said.verdicts[0], error=ERROR5["temporal-state"])
    said = replace(said, outcomes=(verdict, *said.outcomes[1:]))
    by = replace(detector("d"), read=lambda: [said])
    (line,) = flagged(data, by=(by,)).lines
    flags, _ = read_forms([filled(line, incorrect("unfaithful"))])
    decided = adjudicate(flags).decided
    ruled = {each.key: each for each in rule_on(decided)}
    made = Application(decided, ruled, unverified=True)
    after = list(apply_revisions([data], made))
    found = report_on("x", [data], after, made, [], Settings(GoldPolicy("sentence")))
    counts = {each.label.name: each.count for each in found.profiles[0].kinds}
    assert (counts["temporal-state"], found.profiles[0].by_people) == (1, 0)


def test_ranks_before_and_after_mark_who_moved() -> None:
    found = report({"a": incorrect(), "b": incorrect()})
    shifts = {each.detector: each for each in found.shifts}
    # Before, 5 of 9 are unfaithful: a s1 s3, b s1 s3, c s3; d misses a s1 and b s1, recall 3/5,
    # and is right about the faithful ones: (3/5 + 1) / 2 = 0.8. e misses c s3: (4/5 + 1) / 2 = 0.9.
    assert (shifts["d"].before.value, shifts["e"].before.value) == pytest.approx((0.8, 0.9))
    # After, a s1 and b s1 are faithful: d is right about all; e finds 2 of 3 unfaithful ones and
    # 4 of 6 faithful ones, (2/3 + 2/3) / 2.
    assert (shifts["d"].after.value, shifts["e"].after.value) == pytest.approx((1.0, 2 / 3))
    moved = [(s.detector, s.rank_before, s.rank_after, s.direction) for s in found.shifts]
    assert moved == [("d", 2, 1, "up"), ("e", 1, 2, "down")]


def test_label_of_a_response_that_no_longer_follows_is_counted() -> None:
    (gold,) = DATA[2].judgements  # of c, whose only unfaithful sentence is s3
    whole = Unit.response(RESPONSE)
    judgement = replace(
        gold, units=(*gold.units, whole), outcomes=(*gold.outcomes, Verdict(whole.id, NO))
    )
    data = (*DATA[:2], replace(DATA[2], judgements=(judgement,)))
    made, _ = application({"c": incorrect("faithful", "48 people")})
    after = list(apply_revisions(data, made))
    settings = Settings(GoldPolicy("sentence"))
    assert report_on("ferries", data, after, made, [], settings).out_of_step == 1
    assert report({"b": incorrect()}).out_of_step == 0


def test_decided_units_say_who_decided_what() -> None:
    made, _ = application({"a": incorrect()})
    told = decided_record(made.decided[0])
    assert (told["decision"], told["decisions"][0]["evidence"]) == (
        "incorrect",
        ["crosses twice\na day"],
    )
