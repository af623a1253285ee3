"""Several people who decide about the same flags."""

from dataclasses import replace

import pytest

from assay.audit.adjudication import Adjudication, adjudicate
from assay.audit.forms import read_forms
from assay.core.errors import UnknownNameError
from assay.decisions.proposals import Proposal, Settling
from tests.audit.ferries import Edit, detector, ferry, filled, flagged, incorrect, stands

IDS = ("a", "b", "c")
LINES = flagged(
    *(ferry(id, "-+-") for id in IDS), by=(detector("d", a="++-", b="++-", c="++-"),)
).lines


def by_people(**edits: tuple[Edit, Edit, Edit]) -> list[Proposal]:
    """Three flags with what each person decided about them."""
    found: list[Proposal] = []
    for name, chosen in edits.items():
        lines = [
            filled(line, edit, name, f"{name} {line.id}")
            for line, edit in zip(LINES, chosen, strict=True)
        ]
        flags, wrong = read_forms(lines)
        assert wrong == []
        found = (
            [
                replace(f, decisions=(*f.decisions, *g.decisions))
                for f, g in zip(found, flags, strict=True)
            ]
            if found
            else flags
        )
    return found


def decided(settling: Settling | None = None) -> Adjudication:
    ambiguous, error, wrong = stands("ambiguous"), stands("system-error"), incorrect()
    flags = by_people(ann=(wrong, ambiguous, error), bo=(wrong, ambiguous, ambiguous))
    return adjudicate(flags, settling)


def test_what_all_decide_counts_and_a_difference_is_a_conflict() -> None:
    found = decided()
    assert found.counts == {
        "open": 0,
        "conflict": 1,
        "incorrect": 1,
        "ambiguous": 1,
        "system-error": 0,
    }
    assert found.by_person["bo"] == {"incorrect": 1, "ambiguous": 2, "system-error": 0}
    (conflict,) = found.conflicts
    assert conflict.proposal.key == ("c", "s1")


def test_agreement_is_measured_where_people_overlap() -> None:
    agreement = decided().agreement
    assert agreement is not None
    # Two of three alike. Chance: incorrect 1/3 * 1/3, ambiguous 1/3 * 2/3, error 1/3 * 0 = 1/3,
    # so that kappa is (2/3 - 1/3) / (1 - 1/3) = 1/2.
    assert agreement.raw.value == pytest.approx(2 / 3)
    assert agreement.chance_corrected.value == pytest.approx(0.5)
    assert (agreement.measure, agreement.raw.n) == ("cohen_kappa", 3)


def test_one_person_may_be_preferred() -> None:
    assert decided(Settling(prefer="ann")).counts["system-error"] == 1
    with pytest.raises(UnknownNameError, match="unknown annotator 'cy'"):
        decided(Settling(prefer="cy"))


def test_most_may_decide() -> None:
    ambiguous, wrong = stands("ambiguous"), incorrect()
    flags = by_people(
        ann=(wrong, wrong, wrong), bo=(wrong, ambiguous, wrong), cy=(wrong, ambiguous, ambiguous)
    )
    found = adjudicate(flags, Settling(majority=True))
    assert [each.state for each in found.decided] == ["incorrect", "ambiguous", "incorrect"]
