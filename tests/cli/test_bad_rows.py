"""A row of the data that cannot be read costs no other where detectors are measured."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import BINARY
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from tests.cli.conftest import assay, error_of, line_of

SOURCE = "The ferry crosses the strait twice a day. It carried 48,200 passengers last year."
GOOD = "The ferry crosses the strait twice a day."
BAD = "Wizards painted eleven purple castles."


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four rows with labels, of which the third cannot be read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_RUNS", str(tmp_path / "runs"))
    rows = [
        json.dumps({"id": str(n), "source": SOURCE, "response": said, "label": label})
        for n, (said, label) in enumerate([(GOOD, 1), (BAD, 0), (GOOD, 1)])
    ]
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join([*rows[:2], "{broken", rows[2]]), encoding="utf-8")
    return path


def measured(*arguments: str) -> dict[str, Any]:
    """The document of a command that left out one row, told it in one line, and exits with 2."""
    done = assay(*arguments, "--dataset", "data.jsonl", "--json")
    assert line_of(done).startswith(("data.jsonl line 3: ", "data.jsonl record 3: "))
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def unread(found: dict[str, Any]) -> tuple[int, list[str]]:
    return found["unread_rows"], [each["where"] for each in found["problems"]]


@pytest.mark.usefixtures("data")
def test_evaluate_measures_the_rows_that_can_be_read() -> None:
    found = measured("evaluate", "overlap")
    assert unread(found) == (1, ["data.jsonl line 3"])
    assert found["reading"].endswith("; without 1 row that cannot be read")
    (detector,) = found["detectors"]
    assert (detector["n"], detector["coverage"]) == (3, 1)


def test_compare_compares_the_rows_that_can_be_read(data: Path) -> None:
    readable = data.read_text(encoding="utf-8").replace("{broken\n", "")
    data.with_name("same.jsonl").write_text(readable, encoding="utf-8")
    found = measured("compare", "overlap", "gold:same.jsonl")
    assert unread(found) == (1, ["data.jsonl line 3"])
    assert found["n"] == 3


def write_marked(path: Path) -> None:
    """Four rows in our own form, of which the third cannot be read; people marked BAD."""
    rows = []
    for id, text in (("0", GOOD), ("1", BAD), ("2", BAD)):
        unit = Unit.response(text) if text == GOOD else _purple(text)
        label = BINARY["faithful" if text == GOOD else "unfaithful"]
        verdict = Verdict(unit.id, label, attributes=Attributes(explanation="No castle is told."))
        said = Judgement(id, Author("ann", "person"), (unit,), (verdict,))
        rows.append(write_example(Annotated(Example(id, Source(SOURCE), Response(text)), (said,))))
    path.write_bytes(b"\n".join([*rows[:2], b"{broken", rows[2]]))


def _purple(text: str) -> Unit:
    start = text.index("purple")
    return Unit.at("span", Span.cut(text, start, start + 6, "response"), "p1")


def test_localize_measures_the_rows_that_can_be_read(data: Path) -> None:
    write_marked(data)
    (found,) = measured("localize", "evaluate", "overlap")["corpora"]
    assert unread(found) == (1, ["data.jsonl record 3"])
    assert (found["hits"]["gold"], found["coverage"]) == (2, 1)


def test_explain_errors_explains_the_rows_that_can_be_read(data: Path) -> None:
    write_marked(data)
    found = measured("explain-errors", "overlap")
    assert unread(found) == (1, ["data.jsonl record 3"])
    assert found["units"] == 2


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "overlap"),
        ("compare", "overlap", "embedded"),
        ("localize", "evaluate", "overlap"),
        ("explain-errors", "overlap"),
    ],
)
def test_file_in_which_no_row_can_be_read_is_refused(data: Path, command: tuple[str, ...]) -> None:
    data.write_text("{broken\n{broken\n", encoding="utf-8")
    done = assay(*command, "--dataset", "data.jsonl")
    assert "none of the 2 rows of data.jsonl can be read" in error_of(done)
    assert not done.stdout
