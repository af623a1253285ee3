"""A detector that was run beside one recorded with the data."""

import pytest

from assay.core.judgements import Author, Manifest
from assay.core.taxonomies import BINARY
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.evaluation.concordance import Concordance, concordances
from assay.evaluation.evaluate import Evaluation
from assay.evaluation.items import Item, Judged
from assay.metrics import Estimate
from assay.report.evaluation.table import details


def said(score: float | None) -> Outcome:
    """A verdict at 0.5, or a failure."""
    if score is None:
        return Failure("response", "too_long")
    return Verdict("response", BINARY["faithful" if score >= 0.5 else "unfaithful"], score)


def evaluation(name: str, scores: list[float | None], version: str) -> Evaluation:
    """What a detector says of examples e0, e1, … of two sources."""
    judged = tuple(
        Judged(
            Item(f"e{n}", f"s{n % 2}", "m", Unit.response("It sank."), BINARY["faithful"], True),
            said(score),
            None if score is None else score >= 0.5,
        )
        for n, score in enumerate(scores)
    )
    manifest = Manifest(Author(name, version=version))
    return Evaluation(name, judged, failures={}, figures={}, manifest=manifest)  # type: ignore[arg-type]


RUN = evaluation("hhem", [0.9, 0.8, 0.1, 0.6, None], "abc")
RECORD = evaluation("hhem-2.1-open", [0.8, 0.6, 0.2, 0.3, 0.7], "")


def test_same_verdicts_and_scores_are_counted_where_both_have_them() -> None:
    [found] = concordances([RUN, RECORD])
    assert (found.detector, found.recorded, found.same.n) == ("hhem", "hhem-2.1-open", 4)
    assert found.same.value == pytest.approx(3 / 4)  # they differ on e3 alone
    assert found.difference == pytest.approx((0.1 + 0.2 + 0.1 + 0.3) / 4)
    assert found.largest == pytest.approx(0.3)
    assert found.correlation == pytest.approx(1.0)  # 0.9 0.8 0.6 0.1 and 0.8 0.6 0.3 0.2


def test_detectors_that_were_all_run_or_all_recorded_are_not_compared() -> None:
    assert not list(concordances([RUN, RUN]))
    assert not list(concordances([RECORD, RECORD]))


def test_scores_that_are_all_equal_have_no_correlation() -> None:
    [found] = concordances([evaluation("a", [0.7, 0.7], "1"), evaluation("b", [0.7, 0.9], "")])
    assert (found.correlation, found.scored) == (None, 2)


def test_every_figure_stands_under_its_head() -> None:
    class Report:
        concordances = (Concordance("a", "b", Estimate(0.25, 4), 3, 0.5, 0.125, 0.75),)
        by_model = ()
        evaluations = ()

    [table] = details(Report())  # type: ignore[arg-type]
    cells = {column.head: column.write(table.rows[0]) for column in table.columns}
    assert cells == {
        "detector": "a",
        "recorded": "b",
        "same verdict": "0.250 n=4",
        "scores": "3",
        "rank corr.": "0.500",
        "mean diff.": "0.125",
        "largest": "0.750",
    }
