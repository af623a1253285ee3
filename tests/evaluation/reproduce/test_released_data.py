"""The published tables come out of the released data."""

from functools import cache
from pathlib import Path

import pytest

from assay.evaluation.reproduce import Cell, Reproduction, reproduce

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]


@cache
def reproduction(name: str, root: Path) -> Reproduction:
    (done,) = reproduce([name], root)
    return done


def cells_of(name: str, root: Path) -> list[Cell]:
    return list(reproduction(name, root).cells)


def figures(name: str, root: Path) -> dict[tuple[str, str], float | None]:
    return {(c.published.row, c.published.metric): c.ours for c in cells_of(name, root)}


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("verigray-notebook", {"exact": 36}),
        ("verigray-table4", {"exact": 1, "differs (known)": 9}),
        ("faithbench-table1", {"exact": 30}),
        ("faithbench-table2", {"exact": 22, "not computable": 20}),
        ("faithbench-table3", {"exact": 30, "differs (known)": 7}),
        (
            "faithbench-agreement",
            {"exact": 3, "within tolerance": 3, "differs (known)": 3},
        ),
        ("faithjudge-leaderboard", {"exact": 230}),
        ("faithjudge-table3", {"exact": 6, "differs (known)": 2, "not computable": 20}),
        ("faithjudge-table4", {"not computable": 16}),
        ("faithjudge-table5", {"not computable": 32}),
        ("revisiting-table1", {"exact": 2, "differs (known)": 2, "not computable": 6}),
        ("revisiting-table2", {"differs (known)": 1, "not computable": 14}),
        ("revisiting-table4", {"not computable": 48}),
        (
            "vectara-2024-10-02",
            {"exact": 52, "within tolerance": 3, "differs (known)": 6},
        ),
    ],
)
def test_cells_have_the_status_that_is_known(
    name: str, counts: dict[str, int], shared_data: Path
) -> None:
    done = reproduction(name, shared_data)
    assert done.counts == counts
    assert done.failed == 0


@pytest.mark.parametrize(
    ("detector", "loss"), [("GPT-5", 0.3604321114293988), ("DeepSeek-R1", 0.34106311660485367)]
)
def test_ranking_loss_of_verigray_to_twelve_decimals(
    detector: str, loss: float, shared_data: Path
) -> None:
    ours = figures("verigray-notebook", shared_data)[detector, "ranking loss"]
    assert ours == pytest.approx(loss, abs=1e-12, rel=0)


@pytest.mark.parametrize(
    ("row", "accuracy", "f1"),
    [("RAGAS, joined by sample", 60.25, 59.45), ("TruLens, joined by sample", 55.71, 52.06)],
)
def test_claims_joined_by_sample_give_other_figures_than_the_paper(
    row: str, accuracy: float, f1: float, shared_data: Path
) -> None:
    ours = figures("faithbench-table3", shared_data)
    assert ours[row, "balanced accuracy"] == pytest.approx(accuracy, abs=0.005)
    assert ours[row, "macro F1"] == pytest.approx(f1, abs=0.005)


@pytest.mark.parametrize(
    ("metric", "alphas"),
    [
        ("alpha, authors' convention", (0.756, 0.683, 0.591)),
        ("alpha, nominal and pooled", (0.767, 0.615, 0.527)),
    ],
)
def test_agreement_depends_on_the_convention(
    metric: str, alphas: tuple[float, ...], shared_data: Path
) -> None:
    ours = figures("faithbench-agreement", shared_data)
    found = [value for (_, name), value in ours.items() if name == metric]
    assert found == pytest.approx(list(alphas), abs=0.0005)


def test_leaderboard_rates_lie_within_the_stated_distances(shared_data: Path) -> None:
    gaps = [abs(c.difference or 0) for c in cells_of("vectara-2024-10-02", shared_data)]
    assert sum(gap <= 0.15 for gap in gaps) == 55
    assert max(gaps) == pytest.approx(1.302, abs=0.001)  # Flan-T5-large: 18.3 against 171 / 1,006


def test_one_summary_keeps_the_votes_from_the_published_margins(shared_data: Path) -> None:
    ours = figures("faithjudge-table3", shared_data)
    classes = ("unwanted", "questionable", "benign", "consistent")
    by_votes = [ours[name, "gold, majority of the votes"] for name in classes]
    released = [ours[name, "gold, released where it is"] for name in classes]
    assert (by_votes, released) == ([395, 67, 84, 204], [396, 67, 84, 203])
