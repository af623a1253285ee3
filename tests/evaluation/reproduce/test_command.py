"""`assay reproduce`: what it prints, and how it ends."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.datasets.corpus import CORPORA
from assay.evaluation.reproduce import TABLES

Run = Callable[..., Any]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with VeriGray's data alone, and matrices of our own in it."""
    folder = tmp_path / "data"
    (folder / "verigray").mkdir(parents=True)
    labels = "contradicting fabricated ambiguous no-fact out-dependent implicitly-supported"
    document = {
        "labels": [*labels.split(), "explicitly-supported"],
        "figures": [{"detector": "GPT-5", "matrix": [[1] * 7] * 7}],
    }
    (folder / "verigray/confusions.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def test_tables_are_listed(run: Run) -> None:
    done = run("--list")
    assert done.code == 0
    assert [name for name in TABLES if name not in done.out] == []


def test_tables_are_listed_as_json(run: Run) -> None:
    listed = json.loads(run("--list", "--json").out)["tables"]
    assert [each["name"] for each in listed] == list(TABLES)
    assert sum(each["cells"] for each in listed) == 604


def test_unknown_table_is_bad_input_and_a_near_name_is_suggested(run: Run, root: Path) -> None:
    done = run("faithbench-tabel1", "--data", str(root))
    assert (done.code, done.out) == (2, "")
    assert "Did you mean 'faithbench-table1'?" in done.err


def test_missing_folder_is_bad_input(run: Run, tmp_path: Path) -> None:
    done = run("--data", str(tmp_path / "nowhere"))
    assert done.code == 2
    assert done.err.startswith("assay: there is no released data at")
    assert (
        "--data DIR or ASSAY_DATA; 'assay reproduce --list' says what each table needs" in done.err
    )


@pytest.mark.parametrize("name", [name for name, table in TABLES.items() if table.needs])
def test_what_a_table_needs_is_what_it_says_is_missing(run: Run, tmp_path: Path, name: str) -> None:
    needs = TABLES[name].needs
    assert set(needs) <= {*CORPORA, "verigray/confusions.json"}
    done = run(name, "--data", str(tmp_path))
    if name.startswith("revisiting"):  # what is not here is left out
        return
    assert done.code == 2
    assert needs[0] in done.err or "faithbench/paper_annotations" in done.err
    assert "--data DIR or ASSAY_DATA" in done.err


def test_missing_file_is_bad_input(run: Run, root: Path) -> None:
    done = run("faithjudge-leaderboard", "--data", str(root))
    assert done.code == 2
    assert "faithjudge-judged is not at" in done.err


def test_damaged_file_is_bad_input(run: Run, root: Path) -> None:
    (root / "verigray/confusions.json").write_text("{", encoding="utf-8")
    done = run("verigray-notebook", "--data", str(root))
    assert (done.code, "is not JSON" in done.err) == (2, True)


def test_folder_may_come_from_the_environment(
    run: Run, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(root))
    assert run("verigray-notebook").code == 1


def test_cells_that_should_match_and_do_not_are_told_and_counted(run: Run, root: Path) -> None:
    done = run("verigray-notebook", "--data", str(root))
    summary = done.out.splitlines()[-1].split()
    assert done.code == 1
    assert "GPT-5: ranking loss" in done.out
    assert "DIFFERS" in done.out
    assert "not computable (1)" in done.out  # there is no matrix of DeepSeek-R1
    assert "1: the data gives no such figure" in done.out
    assert summary == ["verigray-notebook", "36", "0", "0", "0", "0", "36"]


def test_json_has_every_cell_with_published_ours_and_difference(run: Run, root: Path) -> None:
    (table,) = json.loads(run("verigray-notebook", "--data", str(root), "--json").out)["tables"]
    cell = next(each for each in table["cells"] if each["metric"] == "ranking loss")
    assert len(table["cells"]) == table["failed"] == 36
    assert table["counts"]["DIFFERS"] == 18
    # In a matrix of ones the predictions tell nothing: half of all pairs are in the wrong order.
    assert (cell["ours"], cell["n"], cell["status"]) == (0.5, 49, "DIFFERS")
    assert cell["difference"] == pytest.approx(0.5 - 0.3604321114293988)


@pytest.mark.shared_data
def test_known_differences_are_told_with_their_reason(run: Run, shared_data: Path) -> None:
    done = run("faithbench-table3", "--data", str(shared_data))
    assert done.code == 0
    assert "RAGAS, joined by sample: balanced accuracy" in done.out
    assert "3: the paper pairs predictions and labels by position" in done.out
    assert "differs (known: 3)" in done.out
    assert "(authors' notebook output)" in done.out
