"""Labels and verdicts of whatever taxonomies, held against each other."""

import pytest

from assay.audit.disagreement import Comparing, strength
from assay.core.errors import InputError, UnknownNameError
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, ERROR5, FAITHBENCH, FINESURE9, GRAY7, NLI
from assay.core.verdicts import Verdict

OK, WRONG = "explicitly-supported", "contradicting"
NLI_CLASSES = Comparing("gray7-nli", frozenset({"ambiguous", "out-dependent"}))


def says(label: Label | None = None, score: float | None = None) -> Verdict:
    return Verdict("s1", label, score)


@pytest.mark.parametrize(
    ("label", "verdict", "expected"),
    [
        (GRAY7[OK], says(GRAY7[WRONG]), 1.0),
        (GRAY7[OK], says(GRAY7["fabricated"]), 1.0),
        # One step of the six in the order of gray7.
        (GRAY7[OK], says(GRAY7["implicitly-supported"]), 0.1667),
        (GRAY7["ambiguous"], says(GRAY7["fabricated"]), 0.1667),
        (GRAY7[OK], says(NLI["entailment"]), 0.0),
        (GRAY7[OK], says(NLI["neutral"]), 1.0),
        (GRAY7[OK], says(score=0.1), 1.0),
        (GRAY7[OK], says(score=0.9), 0.0),
        # Neither a score nor NLI can say "not sure": nobody can tell whether they are wrong.
        (GRAY7["out-dependent"], says(score=0.1), None),
        (GRAY7["no-fact"], says(NLI["neutral"]), None),
        (GRAY7["out-dependent"], says(FAITHBENCH["consistent"]), 0.5),
        (FAITHBENCH["unwanted"], says(FAITHBENCH["unwanted.intrinsic"]), 0.0),
        # Two steps of three.
        (FAITHBENCH["benign"], says(FAITHBENCH["unwanted"]), 0.6667),
        # Other kinds of error, of which none is worse than the other.
        (ERROR5["fabricated-link"], says(ERROR5["hedging-removal"]), 0.25),
        (FINESURE9["entity"], says(FINESURE9["linking"]), 0.25),
        (FINESURE9["entity"], says(FINESURE9["entity"]), 0.0),
        (FAITHBENCH["unwanted.extrinsic"], says(FAITHBENCH["unwanted.intrinsic"]), 0.25),
        (FAITHBENCH["unwanted.extrinsic"], says(FAITHBENCH["unwanted"]), 0.0),
    ],
)
def test_how_strongly_a_verdict_disagrees(
    label: Label, verdict: Verdict, expected: float | None
) -> None:
    assert strength(label, verdict) == expected
    assert Comparing().strength(label, verdict) == expected


@pytest.mark.parametrize(
    ("label", "verdict", "expected"),
    [
        # gray7-nli reads both kinds of support as entailment.
        (GRAY7["implicitly-supported"], says(NLI["entailment"]), 0.0),
        (GRAY7[WRONG], says(NLI["contradiction"]), 0.0),
        # Contradiction and neutral are both unfaithful, one of two steps apart.
        (GRAY7[WRONG], says(NLI["neutral"]), 0.5),
        (GRAY7["fabricated"], says(NLI["entailment"]), 1.0),
        (GRAY7["fabricated"], says(GRAY7["out-dependent"]), 0.0),
        # A table to nli must exist: there is none from finesure9 or binary, nor for a score.
        (GRAY7["fabricated"], says(FINESURE9["entity"]), None),
        (GRAY7["fabricated"], says(BINARY["faithful"]), None),
        (GRAY7["fabricated"], says(score=0.9), None),
        (GRAY7["no-fact"], says(NLI["neutral"]), None),
    ],
)
def test_with_a_reading_both_sides_are_read_in_its_target(
    label: Label, verdict: Verdict, expected: float | None
) -> None:
    assert NLI_CLASSES.strength(label, verdict) == expected


def test_reading_to_binary_takes_each_taxonomy_by_its_usual_table() -> None:
    comparing = Comparing("verigray")
    assert comparing.strength(GRAY7[OK], says(FINESURE9["entity"])) == 1.0
    assert comparing.strength(GRAY7[OK], says(score=0.2)) == 1.0
    assert comparing.strength(GRAY7[OK], says(NLI["entailment"])) == 0.0
    assert comparing.strength(GRAY7[OK], says(GRAY7["ambiguous"])) is None  # verigray leaves it out


def test_labels_left_out_are_not_looked_at() -> None:
    counted = [label.name for label in GRAY7 if NLI_CLASSES.counts(label)]
    # No-fact has no entry in the reading; the other two are named.
    assert counted == [WRONG, "fabricated", "implicitly-supported", OK]


def test_reading_and_left_out_labels_must_fit_the_gold() -> None:
    with pytest.raises(InputError, match="is for gray7 labels; the gold labels here are binary"):
        Comparing("gray7-nli").require_labels({"binary"})
    with pytest.raises(UnknownNameError, match="unknown gold label 'ambigous'"):
        Comparing(left_out=frozenset({"ambigous"})).require_labels({"gray7"})
    with pytest.raises(UnknownNameError, match="unknown reading"):
        Comparing("gray8")
