"""Labels that their author is not sure of: what they count as."""

from dataclasses import replace

import pytest

from assay.core.examples import Example
from assay.core.folding import Rule, fold_outcomes
from assay.core.judgements import Author, Judgement
from assay.core.results import UNSURE, Result, Totals, is_flagged, is_unsure
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.evaluation.policy import says_faithful

LABELS = {
    "bad": GRAY7["contradicting"],
    "made up": GRAY7["fabricated"],
    "good": GRAY7["implicitly-supported"],
    "nothing": GRAY7["no-fact"],
}


def verdict(said: str, number: int = 1) -> Outcome:
    name = said.removesuffix("?")
    attributes = Attributes(unsure=True) if said.endswith("?") else Attributes()
    if said == "failed":
        return Failure(f"s{number}", "language")
    return Verdict(f"s{number}", LABELS[name], 0.5, attributes=attributes)


def result(*said: str) -> Result:
    units = tuple(Unit(unit_id("sentence", n), "sentence", "b") for n in range(1, len(said) + 1))
    outcomes = tuple(verdict(each, n) for n, each in enumerate(said, 1))
    return Result(
        Example("1", Source("a"), Response("b")), Judgement("1", Author("d"), units, outcomes)
    )


def test_unsure_verdict_is_not_sure_and_leans_by_its_label() -> None:
    for said, leaning in (("bad?", "unfaithful"), ("good?", "faithful")):
        made = verdict(said)
        assert (made.coarse, made.leaning) == ("not-sure", leaning)
        assert is_unsure(made)
    assert verdict("bad").coarse == verdict("bad").leaning == "unfaithful"
    assert not is_unsure(verdict("failed"))


@pytest.mark.parametrize(
    ("said", "label", "coarse"),
    [
        (("good", "bad?"), "bad", "not-sure"),
        (("good", "good?"), "good", "not-sure"),
        (("bad?", "made up"), "made up", "unfaithful"),  # one is wrong for sure
        (("good", "nothing"), "good", "faithful"),
        (("good", "bad"), "bad", "unfaithful"),
    ],
)
@pytest.mark.parametrize("rule", ["worst", "any"])
def test_response_is_unsure_if_it_hangs_on_what_is(
    said: tuple[str, ...], label: str, coarse: str, rule: str
) -> None:
    folded = fold_outcomes("response", map(verdict, said), rule)  # type: ignore[arg-type]
    assert folded.coarse == coarse
    assert folded.leaning == LABELS[label].coarse
    if rule == "worst":
        assert folded.label == LABELS[label]


@pytest.mark.parametrize("rule", ["worst", "any"])
def test_failed_sentence_leaves_what_leans_to_unfaithful(rule: Rule) -> None:
    folded = fold_outcomes("response", map(verdict, ("good", "bad?", "failed")), rule)
    assert (folded.coarse, folded.leaning) == ("not-sure", "unfaithful")
    assert isinstance(fold_outcomes("response", map(verdict, ("good?", "failed")), rule), Failure)


def test_mean_of_labels_counts_what_they_lean_to() -> None:
    said = map(verdict, ("good?", "good", "nothing?", "bad?"))
    units = [replace(each, score=None) for each in said if isinstance(each, Verdict)]
    folded = fold_outcomes("response", units, "mean")
    assert folded.score == pytest.approx(2 / 3)


def test_sums_count_what_is_not_sure_apart() -> None:
    totals = Totals()
    totals.add(result("bad", "bad?", "good?", "good"))
    assert totals.labels == {"contradicting": 1, "implicitly-supported": 1, UNSURE: 2}
    assert totals.coverage == 1


def test_what_is_not_sure_needs_a_look() -> None:
    assert [is_flagged(each) for each in result("good?", "good").counted] == [True, False]


def test_measuring_goes_by_the_label() -> None:
    assert says_faithful(verdict("good?")) is True
    assert says_faithful(verdict("bad?")) is False
    assert says_faithful(verdict("bad?"), gold=("gray7",)) is False
