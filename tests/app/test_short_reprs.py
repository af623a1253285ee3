"""What a user sees of a result at a prompt or in a failed test: one short line."""

from pathlib import Path

import pytest

import assay

ROWS = "source,response,label\n" + "".join(
    f"The ferry carries 90 cars.,The ferry carries {n} cars.,{label}\n"
    for n, label in ((90, "faithful"), (900, "unfaithful"), (9, "unfaithful"))
)


def test_results_are_one_short_line_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text(ROWS, encoding="utf-8")
    data = assay.DataChoice("x.csv", columns=assay.Columns(label="label"))
    report = assay.check("The ferry carries 90 cars.", "It carries 900.", detector="overlap")
    evaluated = assay.evaluate("overlap", data=data)
    results = (
        report,
        report[0],
        report.sentences[0],
        evaluated,
        evaluated["overlap"],
        assay.compare("overlap", "gold:x.csv", data=data),
        assay.run("x.csv", detector="overlap", runs="runs"),
    )
    assert [repr(each) for each in results if len(repr(each)) > 120] == []
    assert repr(results[-1]) == "<Run x--overlap: complete, 3 of 3 examples>"
    assert repr(results[-2]).startswith("<overlap and gold:x.csv: 3 items, ")
    assert repr(results[4]).startswith("<overlap: 3 items, balanced accuracy ")
