"""Runs are anybody's files: whatever is in one, it is a line for the user and never a crash."""

import io
import json
import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.app.runs import export_run, list_runs, show_run
from assay.cli.output import make_console
from assay.core.errors import AssayError
from assay.core.taxonomies import taxonomy
from assay.report.tables import facts_view
from assay.report.terminal import closing_line, run_facts
from assay.store.runs import open_run_judgements
from tests.cli.conftest import assay, line_of

pytestmark = pytest.mark.slow

COLUMNS = {
    "runs": ("name", "manifest", "facts"),
    "examples": ("position", "example", "source_characters"),
    "judgements": tuple(
        "position round author at supersedes is_current attempt failures retryable "
        "characters_read record".split()
    ),
    "units": ("unit", "kind", "parent", "is_part", "label", "is_scored", "reason"),
}
VALUES: tuple[Any, ...] = ("\x1b[31m", -1, 2**62, float("inf"), b"\xff\xfe")
DOCUMENTS: tuple[Any, ...] = (
    *(7, "null", "[]", "{}", '{"author":{"name":"a"}}', "NaN", '{"usage":{"cost":NaN}}'),
    *('{"usage":[]}', '{"usage":{"cost":"x"}}', '{"usage":{"seconds":1e400}}', '{"state":3}'),
    *('{"adaptations":7}', '{"usage":{"calls":3}}', '{"author":{"name":"a"},"taxonomy":"no"}'),
    *("[" * 100_000, '{"author":{"name":"a"},"examples":-1}', '{"state":"dancing"}'),
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one good run."""
    folder = tmp_path_factory.mktemp("runs")
    rows = [{"id": f"e{n}", "source": f"Cat {n} sat.", "response": "Cat 1 ran."} for n in range(3)]
    data = folder / "data.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    asked = ("--detector", "overlap", "--runs", str(folder), "--name", "good", "--quiet")
    assert assay("run", str(data), *asked).exit_code == 0
    return folder


def copied(runs: Path, target: Path) -> Path:
    target.mkdir(exist_ok=True)
    shutil.copy(runs / "good.sqlite", target / "good.sqlite")
    return Path(shutil.copy(runs / "good.sqlite", target / "bad.sqlite"))


def use(folder: Path) -> None:
    """Does with a run whatever reads it; it may be refused, in words, and nothing else."""
    place = str(folder)
    names = {line.name: line for line in list_runs(place)[1]}
    assert names["good"].problem == ""
    assert "bad" in names
    with suppress(AssayError):
        summary = show_run("bad", place)
        json.dumps(summary.to_dict(), allow_nan=False)
        console = make_console()
        with console.capture():
            console.print(facts_view(run_facts(summary)))
            console.print(closing_line(summary.totals, taxonomy(summary.manifest.taxonomy)))
    with suppress(AssayError):
        stream = io.StringIO()
        export_run("bad", stream, place)
        json.loads(stream.getvalue(), parse_constant=pytest.fail)
    with suppress(AssayError):
        list(open_run_judgements("bad", place))


@pytest.mark.parametrize("table", COLUMNS)
def test_any_value_in_any_column_is_a_line_or_is_read(
    runs: Path, tmp_path: Path, table: str
) -> None:
    for column in COLUMNS[table]:
        for value in DOCUMENTS if column in ("manifest", "facts", "record") else VALUES:
            bad = copied(runs, tmp_path / "runs")
            with closing(sqlite3.connect(bad)) as connection, suppress(sqlite3.Error):
                connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
                connection.commit()
            use(tmp_path / "runs")


def test_a_table_that_is_missing_is_a_line(runs: Path, tmp_path: Path) -> None:
    for table in (*COLUMNS, "alembic_version"):
        bad = copied(runs, tmp_path / "runs")
        with closing(sqlite3.connect(bad)) as connection:
            connection.execute(f"DROP TABLE {table}")
        use(tmp_path / "runs")


@given(data=st.data())
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_truncated_files_and_flipped_bytes_are_a_line_or_are_read(
    runs: Path, tmp_path: Path, data: st.DataObject
) -> None:
    bad = copied(runs, tmp_path / "runs")
    content = bytearray(bad.read_bytes())
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content))) :]
    for _ in range(data.draw(st.integers(1, 8))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    bad.write_bytes(content)
    use(tmp_path / "runs")


def test_list_names_the_bad_run_beside_the_good_ones(runs: Path, tmp_path: Path) -> None:
    bad = copied(runs, tmp_path / "runs")
    with closing(sqlite3.connect(bad)) as connection:
        connection.execute("UPDATE runs SET facts = ?", ('{"usage": "all"}',))
        connection.commit()
    done = assay("runs", "list", "--runs", str(tmp_path / "runs"))
    assert done.exit_code == 0
    assert "complete" in done.stdout
    assert "damaged" in done.stdout
    assert "the state of run 'bad' is damaged: Expected `object`, got `str`" in line_of(
        assay("runs", "show", "bad", "--runs", str(tmp_path / "runs"))
    )


def test_export_of_a_damaged_judgement_is_not_a_success(runs: Path, tmp_path: Path) -> None:
    bad = copied(runs, tmp_path / "runs")
    with closing(sqlite3.connect(bad)) as connection:
        connection.execute("UPDATE judgements SET record = replace(record, '0.', 'NaN')")
        connection.commit()
    out = tmp_path / "out.json"
    done = assay("runs", "export", "bad", "--runs", str(tmp_path / "runs"), "--out", str(out))
    assert "a judgement of the run 'bad' is damaged" in line_of(done)
    assert not out.exists()


@pytest.mark.parametrize("name", ["../good", "..", "a/b", "/etc/passwd", "good\x1b[2J", ""])
def test_names_of_runs_are_not_paths(runs: Path, name: str) -> None:
    for command in ("show", "export", "delete"):
        assert line_of(assay("runs", command, "--runs", str(runs), "--", name))


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE judgements SET failures = 'lots'",
        "UPDATE judgements SET record = '{' WHERE position = 2",
        "DROP TABLE units",
    ],
)
def test_damage_is_told_by_whatever_reads_a_run(runs: Path, tmp_path: Path, damage: str) -> None:
    bad = copied(runs, tmp_path / "runs")
    with closing(sqlite3.connect(bad)) as connection:
        connection.execute(damage)
        connection.commit()
    for command in ("show", "export"):
        message = line_of(assay("runs", command, "bad", "--runs", str(tmp_path / "runs")))
        assert "damaged" in message or "no such table" in message


def test_a_place_that_does_not_fit_its_text_is_not_exported(runs: Path, tmp_path: Path) -> None:
    bad = copied(runs, tmp_path / "runs")
    with closing(sqlite3.connect(bad)) as connection:
        connection.execute(
            """UPDATE judgements SET record = replace(record, '"end":', '"end":9')"""
        )
        connection.commit()
    message = line_of(assay("runs", "export", "bad", "--runs", str(tmp_path / "runs")))
    assert "a judgement of the run 'bad'" in message
    assert "does not fit its text of 10 characters" in message


def test_what_is_no_file_is_told_for_what_it_is(runs: Path, tmp_path: Path) -> None:
    folder = copied(runs, tmp_path / "runs").parent
    (folder / "link.sqlite").symlink_to("nowhere.sqlite")
    (folder / "folder.sqlite").mkdir()
    listed = {line.name: line.problem for line in list_runs(str(folder))[1]}
    assert listed["link"].endswith("link.sqlite is not a run of assay: it is a link to nothing")
    assert listed["folder"].endswith("folder.sqlite is not a run of assay: it is a folder")
    assert "a link to nothing" in line_of(assay("runs", "show", "link", "--runs", str(folder)))


def test_a_run_without_its_form_is_damaged_and_not_newer(runs: Path, tmp_path: Path) -> None:
    bad = copied(runs, tmp_path / "runs")
    with closing(sqlite3.connect(bad)) as connection:
        connection.execute("DELETE FROM alembic_version")
        connection.commit()
    message = line_of(assay("runs", "show", "bad", "--runs", str(tmp_path / "runs")))
    assert message.endswith("bad.sqlite is damaged: it does not say its form")
