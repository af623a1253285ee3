"""The shipped figures: readable, complete, and each with a demand that can be met or not."""

from collections import Counter
from pathlib import Path

import pytest

from assay import InputError
from assay.evaluation.reproduce import TABLES
from assay.evaluation.reproduce.cells import (
    FOLDER,
    Expectation,
    read_expectation,
    read_figures,
    read_published,
)


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("verigray-notebook", 36),  # 2 detectors x (4 rates x 4 thresholds + 2)
        ("verigray-table4", 10),  # 2 detectors x 5 metrics
        ("faithbench-table1", 30),  # 10 LLMs x 3 sets of classes
        ("faithbench-table2", 42),  # 11 detectors with predictions, 10 without, x 2 metrics
        ("faithbench-table3", 37),  # 16 x 2, two rows again joined by sample, one figure reprinted
        ("faithbench-agreement", 9),  # 3 readings x (paper, notebook, standard convention)
        ("faithjudge-leaderboard", 230),  # 46 LLMs x (4 counts + overall)
        ("faithjudge-table3", 28),  # 4 classes x (2 golds + 2 binary and 3 ternary classes)
        ("faithjudge-table4", 16),  # 4 tasks x 2 prompts x 2 metrics
        ("faithjudge-table5", 32),  # 4 tasks x (3 judges and their majority) x 2 metrics
        ("revisiting-table1", 10),  # 3 benchmarks x 3 sizes, and words counted in two ways
        ("revisiting-table2", 15),  # 3 benchmarks x 5 columns
        ("revisiting-table4", 48),  # 4 methods x 2 models x 3 benchmarks, before and after
        ("vectara-2024-10-02", 61),
    ],
)
def test_every_cell_of_a_table_is_shipped(name: str, cells: int) -> None:
    assert len(read_published(name)) == cells


def test_every_shipped_figure_belongs_to_a_table() -> None:
    shipped = [each for path in FOLDER.glob("*.csv") for each in read_figures(path)]
    assert {each.table for each in shipped} == set(TABLES)


def test_no_figure_is_shipped_twice() -> None:
    for name in TABLES:
        keys = Counter((p.row, p.metric, p.published_in) for p in read_published(name))
        assert max(keys.values()) == 1


def test_every_allowance_has_a_reason() -> None:
    figures = [each for name in TABLES for each in read_published(name)]
    allowed = [each for each in figures if each.expectation.demand != "exact"]
    assert [each for each in allowed if not each.expectation.reason] == []


def test_expectations_are_read() -> None:
    assert read_expectation("exact") == Expectation("exact")
    assert read_expectation("absent: no data") == Expectation("absent", 0, "no data")
    known = read_expectation("differs by up to 0.3: two: reasons")
    assert known == Expectation("differs", 0.3, "two: reasons")


@pytest.mark.parametrize("text", ["", "roughly", "within 0.1", "within: reason", "differs: reason"])
def test_expectation_that_is_not_understood_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="unknown expectation"):
        read_expectation(text)


def test_file_with_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "figures.csv"
    path.write_text("table,row\n", encoding="utf-8")
    with pytest.raises(InputError, match="must have the columns"):
        read_figures(path)
