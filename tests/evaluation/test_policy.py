"""Which labels count as faithful, of people and of detectors."""

import pytest

from assay import InputError, Label, Verdict, taxonomy
from assay.core.pooling import GoldBasis, Voices
from assay.core.readings import READINGS, USUAL_READINGS
from assay.core.taxonomies import TAXONOMIES
from assay.core.verdicts import Failure
from assay.evaluation.policy import GoldPolicy, Threshold, says_faithful

GRAY7, NLI, FAITHBENCH = taxonomy("gray7"), taxonomy("nli"), taxonomy("faithbench")
SENTENCES = GoldPolicy(unit="sentence")
SUPPORTED = {"explicitly-supported", "implicitly-supported"}


def reads(
    label: Label,
    gold: tuple[str, ...] = (),
    threshold: Threshold = None,
    policy: GoldPolicy = SENTENCES,
) -> bool | None:
    return says_faithful(Verdict("s1", label), policy, gold, threshold)


@pytest.mark.parametrize("label", GRAY7.labels, ids=str)
def test_predictions_on_the_scale_of_verigray_are_cut_as_in_its_paper(label: Label) -> None:
    # People's out-dependent, ambiguous and no-fact are left out; a detector's are not supported.
    assert reads(label, gold=("gray7",)) is (label in SUPPORTED)


@pytest.mark.parametrize("label", GRAY7.labels, ids=str)
def test_beside_gold_of_another_taxonomy_the_coarse_reading_counts(label: Label) -> None:
    assert reads(label, gold=("binary",)) is (label in SUPPORTED | {"no-fact"})


@pytest.mark.parametrize("name", USUAL_READINGS)
@pytest.mark.parametrize("unit", ["sentence", "response"])
def test_a_label_that_the_reading_counts_is_read_alike_for_people_and_detectors(
    name: str, unit: str
) -> None:
    policy = GoldPolicy(unit)  # type: ignore[arg-type]
    for label in taxonomy(name):
        gold = policy.is_faithful(label)
        if gold is not None:
            assert reads(label, (name,), policy=policy) is gold


@pytest.mark.parametrize(
    ("reading", "faithful"),
    [
        ("faithbench", {"consistent", "benign"}),
        ("faithbench-strict", {"consistent"}),
        ("faithjudge", {"consistent"}),  # leaves benign and questionable out: below consistent
    ],
)
def test_a_named_reading_is_applied_to_predictions(reading: str, faithful: set[str]) -> None:
    policy = GoldPolicy("response", reading=reading)
    found = {each.name for each in FAITHBENCH if reads(each, ("faithbench",), policy=policy)}
    assert found == faithful


def test_sentences_of_faithbench_are_read_strictly_and_summaries_are_not() -> None:
    benign = FAITHBENCH["benign"]
    assert reads(benign, ("faithbench",)) is False
    assert reads(benign, ("faithbench",), policy=GoldPolicy("response")) is True


@pytest.mark.parametrize(
    ("label", "threshold", "faithful"),
    [
        ("no-fact", "implicitly-supported", False),
        ("no-fact", "no-fact", True),
        ("out-dependent", "out-dependent", True),
        ("out-dependent", "Out_Dependent", True),
        ("ambiguous", "no-fact", False),
    ],
)
def test_label_threshold_goes_by_the_order_of_labels(
    label: str, threshold: str, faithful: bool
) -> None:
    assert reads(GRAY7[label], ("gray7",), threshold) is faithful


@pytest.mark.parametrize("menu", ["nli", "finesure9", "binary", "faithbench"])
def test_label_threshold_leaves_other_taxonomies_alone(menu: str) -> None:
    for label in taxonomy(menu):
        assert reads(label, ("gray7",), "implicitly-supported") is reads(label, ("gray7",))


def test_scores_are_cut_at_a_threshold_and_else_at_one_half() -> None:
    assert says_faithful(Verdict("s1", score=0.4), threshold=0.3) is True
    assert says_faithful(Verdict("s1", score=0.3), threshold=0.3) is True
    assert says_faithful(Verdict("s1", score=0.4)) is False
    assert says_faithful(Verdict("s1", score=0.5)) is True
    assert says_faithful(Verdict("s1", score=0.4), threshold="no-fact") is False


def test_score_threshold_comes_before_a_label_but_needs_a_score() -> None:
    both = Verdict("s1", GRAY7["fabricated"], score=0.4)
    assert says_faithful(both, threshold=0.3) is True
    assert says_faithful(both, threshold=0.0) is True
    assert says_faithful(both, threshold=0.5) is False
    assert reads(NLI["entailment"], threshold=1.0) is True


@pytest.mark.parametrize("threshold", [None, 0.5, "no-fact"])
def test_a_failure_is_neither_faithful_nor_unfaithful(threshold: Threshold) -> None:
    assert says_faithful(Failure("s1", "parse"), SENTENCES, ("gray7",), threshold) is None


def test_a_reading_that_is_not_binary_is_refused() -> None:
    with pytest.raises(InputError, match="does not say which labels are faithful"):
        GoldPolicy("sentence", reading="gray7-nli").is_faithful(GRAY7["fabricated"])


def test_a_taxonomy_that_nothing_reads_as_faithful_or_not_is_told_in_one_line() -> None:
    label = taxonomy("falsealarm5")["overlooked"]
    with pytest.raises(InputError, match=r"no reading says which falsealarm5 labels are faithful"):
        GoldPolicy().is_faithful(label)


def test_every_usual_reading_exists_and_is_of_its_taxonomy() -> None:
    assert {name: READINGS[each].origin for name, each in USUAL_READINGS.items()} == {
        name: name for name in USUAL_READINGS
    }
    assert USUAL_READINGS.keys() <= TAXONOMIES.keys()


def test_a_policy_is_described_and_a_reading_that_fits_no_label_is_refused() -> None:
    basis = GoldBasis.of("any", [Voices(2)])
    assert GoldPolicy("sentence", "any").describe(["gray7", "binary"], basis) == (
        "sentence level; gold: worst of 2 annotators (any); verigray: VeriGray's first protocol, "
        "for people's labels: not-sure and no-fact are left out; binary labels as they are"
    )
    with pytest.raises(InputError, match="the gold labels here are gray7"):
        GoldPolicy(reading="faithjudge").require_reading(["gray7"])
