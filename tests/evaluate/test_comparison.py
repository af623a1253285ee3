"""Two detectors on the same items."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from assay.core import Example, InputError, Verdict
from assay.evaluate.board import Settings, evaluate_judges
from assay.evaluate.comparison import compare, not_significantly_worse
from assay.evaluate.items import Reading
from assay.metrics import Resampling

Make = Callable[..., Example]
SETTINGS = Settings(Reading(unit="sentence"), resampling=Resampling(replicates=200))


def pair_of(example: Example, scores: str) -> Example:
    """The example with a second recorded judge `k`."""
    more = tuple(
        Verdict(unit, score=float(score), judge="k")
        for unit, score in zip(example.units, scores.split(), strict=True)
    )
    return replace(example, recorded=(*example.recorded, *more))


def test_differences_and_errors_are_counted_by_gold_label(make_example: Make) -> None:
    example = make_example("a", "fabricated explicitly-supported contradicting", ".1 .9 .9")
    one, other = evaluate_judges("d", [pair_of(example, ".1 .1 .1")], ["j", "k"], SETTINGS)
    result = compare(one, other)
    assert result.n == 3
    assert [d.first.item.gold.name for d in result.differences] == [
        "explicitly-supported",
        "contradicting",
    ]
    assert result.errors_by_gold["contradicting"] == {"first wrong": 1}
    assert (result.right.only_first, result.right.only_second) == (1, 1)


def test_a_clear_winner_is_significant(make_example: Make) -> None:
    examples = [
        pair_of(make_example(f"{n}", "fabricated explicitly-supported", ".1 .9"), ".9 .9")
        for n in range(30)
    ]
    one, other = evaluate_judges("d", examples, ["j", "k"], SETTINGS)
    result = compare(one, other)
    assert result.balanced_accuracy.difference.value == pytest.approx(0.5)
    assert (result.balanced_accuracy.p_value or 1) < 0.05
    assert (result.right.p_value or 1) < 0.001


def test_only_items_that_both_judged_are_compared(make_example: Make) -> None:
    example = make_example("a", "fabricated explicitly-supported", "- .9")
    one, other = evaluate_judges("d", [pair_of(example, ".1 .9")], ["j", "k"], SETTINGS)
    assert compare(one, other).n == 1


def test_different_items_cannot_be_compared(make_example: Make) -> None:
    first = evaluate_judges("d", [make_example("a", "fabricated", ".1")], ["j"], SETTINGS)[0]
    second = evaluate_judges("d", [make_example("b", "fabricated", ".1")], ["j"], SETTINGS)[0]
    with pytest.raises(InputError, match="same items"):
        compare(first, second)


def test_failing_on_the_hard_items_does_not_make_a_detector_the_best(make_example: Make) -> None:
    # j is right on all it judges but fails on every third; k is right there too and wrong once.
    labels = "fabricated explicitly-supported fabricated"
    examples = [pair_of(make_example(f"{n}", labels, ".1 .9 -"), ".1 .9 .9") for n in range(20)]
    both = evaluate_judges("d", examples, ["j", "k"], SETTINGS)
    assert both[0].figures["balanced accuracy"].value == 1
    assert set(not_significantly_worse(both)) == {"j", "k"}


def test_a_detector_without_any_verdict_is_never_marked(make_example: Make) -> None:
    examples = [pair_of(make_example(f"{n}", "fabricated", "-"), ".1") for n in range(3)]
    examples += [
        pair_of(make_example(f"g{n}", "explicitly-supported", "-"), ".9") for n in range(3)
    ]
    assert not_significantly_worse(evaluate_judges("d", examples, ["j", "k"], SETTINGS)) == ["k"]
