"""What counts as hallucinated at each level."""

import pytest

from assay import Failure, Verdict
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7, NLI, RAGTRUTH4
from assay.evaluation.levels import Counting, class_of, find_levels, is_hallucinated


def counted(menu: object, place: int) -> list[str]:
    labels = list(menu)  # type: ignore[call-overload]
    level = find_levels([labels[0].taxonomy])[place]
    return [label.name for label in labels if is_hallucinated(label, level)]


def test_each_level_adds_labels() -> None:
    unwanted = [name for name in FAITHBENCH.names if name.startswith("unwanted")]
    assert counted(FAITHBENCH, 0) == unwanted
    assert counted(FAITHBENCH, 1) == [*unwanted, "questionable"]
    assert counted(FAITHBENCH, 2) == [*unwanted, "questionable", "benign"]
    assert counted(GRAY7, 0) == ["contradicting", "fabricated"]
    assert counted(GRAY7, 1) == ["contradicting", "fabricated", "ambiguous"]
    assert counted(GRAY7, 2) == ["contradicting", "fabricated", "ambiguous", "out-dependent"]


@pytest.mark.parametrize(
    ("menu", "names"),
    [
        (BINARY, ["unfaithful"]),
        (NLI, ["contradiction", "neutral"]),
        (RAGTRUTH4, list(RAGTRUTH4.names)),
    ],
)
def test_others_have_one_level(menu: object, names: list[str]) -> None:
    assert len(find_levels([names[0] and menu.name])) == 1  # type: ignore[attr-defined]
    assert sorted(counted(menu, 0)) == sorted(names)


def test_levels_of_several_taxonomies_are_laid_side_by_side() -> None:
    levels = find_levels(["gray7", "faithbench", "nli", "binary"])
    assert [level.name for level in levels] == ["unfaithful", "ambiguous", "out-dependent"]
    assert levels[1].title == "unfaithful + ambiguous / unwanted + questionable"
    assert levels[1].readings == {
        "gray7": "from-no-fact",
        "faithbench": "faithbench",
        "nli": "nli-binary",
    }


@pytest.mark.parametrize(
    ("outcome", "is_refusal", "counting", "found"),
    [
        (Verdict("response", BINARY["unfaithful"]), False, Counting(), "hallucinated"),
        (Verdict("response", score=0.5), False, Counting(), "faithful"),
        (Verdict("response", score=0.4), False, Counting(), "hallucinated"),
        (Failure("response", "parse"), False, Counting("unfaithful"), "failed"),
        (Failure("response", "refused"), False, Counting(), "failed"),  # the judge refused
        (Failure("response", "invalid"), False, Counting(), "invalid"),
        (Failure("response", "invalid"), False, Counting("unfaithful"), "hallucinated"),
        (Failure("response", "invalid"), True, Counting("unfaithful"), "refused"),
        (Failure("response", "invalid"), True, Counting(refusals="judged"), "invalid"),
        (Verdict("response", score=0.9), True, Counting(refusals="unfaithful"), "hallucinated"),
        (None, True, Counting(), "uncounted"),
    ],
)
def test_each_outcome_is_in_one_class(
    outcome: Verdict | Failure | None, is_refusal: bool, counting: Counting, found: str
) -> None:
    (level,) = find_levels(["binary"])
    assert class_of(outcome, level, counting, is_refusal=is_refusal) == found
