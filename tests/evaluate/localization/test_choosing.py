"""Which prompt of a style is better, with a model that answers one of them better."""

from dataclasses import replace

import pytest

from assay.core.errors import UnknownNameError
from assay.core.examples import Example
from assay.detectors.localize.making import STYLES
from assay.evaluate.localization.cases import make_cases
from assay.evaluate.localization.choosing import choose_variant, compare_f1
from assay.evaluate.localization.llm_matcher import LlmMatcher
from assay.evaluate.localization.measuring import measure
from assay.evaluate.localization.offline import OfflineMatcher
from assay.llm.client import Request
from assay.llm.scripted import Line, Scripted
from assay.metrics import Resampling
from tests.detectors.judges.scripts import asked
from tests.detectors.localize.scripts import listed
from tests.evaluate.localization.stories import WRECK, failed, gold, judged, unit

HOW = Resampling(replicates=200)
CARGO = unit("The wreck held no silver.", "silver")
RIGHT = listed(
    {
        "quotes": ["silver"],
        "evidence": [],
        "description": "The response speaks of silver.",
        "category": "extrinsic-wrong",
    }
)
NOTHING = listed()


def examples(count: int) -> list[Example]:
    made = (gold(replace(WRECK, id=str(n)), CARGO) for n in range(count))
    return [replace(each, source=replace(each.source, id=each.id)) for each in made]


def answering(variant: str, reply: str) -> Scripted:
    """A model that answers one wording with a reply and the other with nothing found."""
    opening = {"a": "You compare a response", "b": "Task: find"}[variant]

    def answer(request: Request) -> Line:
        return reply if opening in asked(request) else NOTHING

    return Scripted(answer)


@pytest.mark.parametrize("variant", ["a", "b"])
def test_variant_with_the_higher_f1_is_taken(variant: str) -> None:
    client = answering(variant, RIGHT)
    choice = choose_variant("localize-zero", examples(12), client, OfflineMatcher(), resampling=HOW)
    assert choice.better == f"localize-zero:{variant}"
    sign = 1 if variant == "a" else -1
    assert choice.comparison.difference.value == pytest.approx(sign * 1.0)
    assert choice.is_clear
    assert len(client.requests) == 24
    assert [each.judge for each in choice.variants] == ["localize-zero:a", "localize-zero:b"]


def test_equals_go_to_the_first_and_the_difference_is_called_luck() -> None:
    choice = choose_variant(
        "localize-zero", examples(4), Scripted(lambda _: RIGHT), OfflineMatcher(), resampling=HOW
    )
    assert (choice.better, choice.is_clear) == ("localize-zero:a", False)
    assert choice.comparison.p_value == 1.0


def test_only_examples_that_both_are_measured_on_are_compared() -> None:
    first, second, third = examples(3)
    matcher = OfflineMatcher()
    one = make_cases([judged(first, [CARGO]), failed(second), judged(third, [])], matcher)
    two = make_cases([judged(first, []), judged(second, [CARGO]), judged(third, [])], matcher)
    first_side, second_side = (measure("j", "offline", each, HOW) for each in (one, two))
    comparison = compare_f1(first_side, second_side, HOW)
    # On the first and third: 1 of 2 errors found with 1 prediction, 2/3; and nothing found, 0.
    assert comparison.first == pytest.approx(2 / 3)
    assert comparison.second == 0.0
    assert comparison.difference.n == 2


def test_nothing_measured_is_no_choice() -> None:
    choice = choose_variant(
        "localize-cot", examples(2), Scripted(lambda _: "?"), OfflineMatcher(), resampling=HOW
    )
    assert choice.comparison.difference.value is None
    assert (choice.better, choice.is_clear) == (None, False)


def test_variant_of_which_nothing_could_be_matched_has_no_f1_to_compare() -> None:
    first, second = examples(2)
    said = [judged(first, [CARGO]), judged(second, [])]
    lost = measure("j", "m", make_cases(said, LlmMatcher(Scripted(lambda _: "?"))), HOW)
    good = measure("j", "offline", make_cases(said, OfflineMatcher()), HOW)
    assert compare_f1(lost, good, HOW).first is None


def test_unknown_style_names_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'localize-cot'"):
        choose_variant("localize-cott", examples(1), Scripted(()), OfflineMatcher())
    assert len(STYLES) == 6
