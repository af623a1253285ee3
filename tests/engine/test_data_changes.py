"""Data that changes while a run reads it: nothing that was not there at the beginning is judged."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.datasets.selection import DataChoice
from assay.llm.client import CallError, Line, Request, Scripted
from assay.store.journal import Journal
from tests.engine.conftest import COUNT, labels, nothing, open_session, write_rows
from tests.engine.judges import GOOD, Asking, Slow

pytestmark = pytest.mark.slow

Change = Callable[[Path], None]
MANY = 4_000  # rows: more than a reader takes from the file at once


def rewrite(path: Path) -> None:
    """Other texts under the same ids, in the same file."""
    path.write_text(path.read_text("utf-8").replace("sat", "lay"), "utf-8")


def append(path: Path) -> None:
    """Rows after the last."""
    row = {"id": "late", "source": "The cat sat.", "response": "Cat 1 sat. Cat 1 ran."}
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(row))


def truncate(path: Path) -> None:
    """The second half is gone."""
    os.truncate(path, path.stat().st_size // 2)


def replaced(path: Path) -> None:
    """Another file under the same name; whoever has the old one open reads on in that."""
    other = path.with_suffix(".new")
    other.write_text(path.read_text("utf-8").replace("sat", "lay"), "utf-8")
    other.replace(path)


def changing(path: Path, change: Change, asked: list[str], after: int = 8) -> Scripted:
    """Answers everything; when so much has been asked, the data changes."""

    def answer(request: Request) -> Line:
        asked.append(request.messages[-1].content)
        if len(asked) == after:
            change(path)
        return GOOD

    return Scripted(answer)


@pytest.mark.parametrize("change", [rewrite, append, truncate])
def test_changed_data_ends_the_run_and_none_of_it_is_judged(
    journal: Journal, tmp_path: Path, change: Change
) -> None:
    data, asked = write_rows(tmp_path / "many.jsonl", MANY), list[str]()
    before = {f"Cat {n} {did}." for n in range(MANY) for did in ("sat", "ran")}
    client = Slow(changing(Path(data.target), change, asked))
    session = open_session(journal, data, Asking(client))
    with pytest.raises(InputError, match="the data changed while it was read") as caught:
        session.go(nothing)
    assert (caught.value.code, "\n" in str(caught.value)) == ("data-changed", False)
    assert set(asked) <= before  # nothing of what is new was asked
    judged = labels(journal)
    assert 0 < len(judged) <= MANY
    assert "late" not in judged
    assert 2 * len(judged) == len(asked)  # what was under way when it was noticed is kept
    assert journal.fact("state") == "stopped"


def test_file_that_is_replaced_is_read_to_its_end_and_the_new_one_is_refused(
    journal: Journal, tmp_path: Path
) -> None:
    data, asked = write_rows(tmp_path / "a.jsonl", COUNT), list[str]()
    session = open_session(journal, data, Asking(changing(Path(data.target), replaced, asked)))
    assert session.go(nothing).state == "complete"
    assert {each.split()[-1] for each in asked} == {"sat.", "ran."}
    later = open_session(journal, data, Asking(Scripted(())))
    assert later.standing.done == COUNT


def test_retry_does_not_ask_about_other_texts(journal: Journal, data: DataChoice) -> None:
    unreadable = Scripted(lambda request: CallError("parse", "unreadable"))
    open_session(journal, data, Asking(unreadable)).go(nothing)
    again = Scripted(lambda request: GOOD)
    session = open_session(journal, data, Asking(again), attempt=1)
    rewrite(Path(data.target))
    with pytest.raises(InputError, match=r"row 1 \('ex0'\) is another one now"):
        session.go(nothing)
    assert again.requests == []


def test_rows_that_are_missing_or_more_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    data = write_rows(path, 3)
    seen = data.survey()
    write_rows(path, 2)
    with pytest.raises(InputError, match="only 2 of 3 rows are left"):
        list(data.read_again(seen))
    write_rows(path, 4)
    with pytest.raises(InputError, match="there are more than 3 rows now"):
        list(data.read_again(seen))


def test_rows_that_cannot_be_read_are_passed_over_unless_they_change(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    data = write_rows(path, 3)
    good = path.read_text("utf-8").splitlines()
    bad = '{"id": "bad", "source": "The cat sat."}'
    path.write_text("\n".join([good[0], bad, *good[1:]]), "utf-8")
    seen = data.survey()
    assert [each.id for each in data.read_again(seen)] == ["ex0", "ex1", "ex2"]
    readable = bad[:-1] + ', "response": "It sat."}'
    for lines, how in (
        ([good[0], readable, *good[1:]], r"row 2 \('bad'\) is another one now"),
        ([good[0], "{", *good[1:]], "line 2: not valid JSON"),
        ([good[0], bad, bad, *good[1:]], "line 3: no response"),
        (good, r"row 2 \('ex1'\) is another one now"),
        ([good[0], bad, *good[1:], bad], "there are more than 4 rows now"),
    ):
        path.write_text("\n".join(lines), "utf-8")
        with pytest.raises(InputError, match=f"the data changed while it was read: .*{how}"):
            list(data.read_again(seen))
