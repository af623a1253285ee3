"""A PostgreSQL server that goes away in the middle of a run."""

import json
import time
from collections.abc import Callable, Iterator
from subprocess import Popen

import psycopg
import pytest

from tests import postgres
from tests.cli.conftest import Workplace
from tests.cli.test_run_processes import AT_ONCE, DELAY, LIMIT, wait_for_calls

pytestmark = pytest.mark.slow

Work = Callable[..., Workplace]
COUNT = 300
MANY = 6_000  # of which a quick detector does not judge all before the server has stopped


@pytest.fixture
def database_server() -> Iterator[postgres.Server]:
    """A server of this test's own."""
    with postgres.fickle_server() as made:
        yield made


def runs_at(database: postgres.Server) -> tuple[str, ...]:
    return ("--runs", f"{database.address}/postgres")


def line_at_end(process: "Popen[str]") -> str:
    """The one line that it says when it cannot go on."""
    try:
        _, told = process.communicate(timeout=LIMIT)
    finally:
        process.kill()
    (line,) = (line for line in told.splitlines() if "texts go to" not in line)
    assert process.returncode == 2
    return line


def wait_for_judgements(database: postgres.Server) -> None:
    end = time.monotonic() + LIMIT
    with psycopg.connect(f"{database.address}/postgres", autocommit=True) as connection:
        while time.monotonic() < end:
            known = connection.execute("SELECT to_regclass('judgements')").fetchone()
            if known != (None,) and connection.execute("SELECT 1 FROM judgements").fetchone():
                return
            time.sleep(0.02)
    raise AssertionError("nothing was judged")


def test_run_of_a_judge_says_in_one_line_how_to_go_on_and_goes_on(
    work: Work, database_server: postgres.Server
) -> None:
    place = work(COUNT)
    place.server.delay = DELAY
    command = place.arguments(*runs_at(database_server))
    process = place.start(*command, "--concurrency", str(AT_ONCE))
    wait_for_calls(place.server, COUNT // 2)
    database_server.stop()
    line = line_at_end(process)
    assert line.startswith("assay: cannot use the run 'data--judge-simple--m' in postgresql://")
    assert line.endswith("examples are judged and kept); go on with --resume")
    place.server.wait_until_left()
    database_server.start()
    done = place.assay(*command, "--resume", "--json")
    assert (done.exit_code, json.loads(done.stdout)["done"]) == (0, COUNT)
    assert place.server.calls - COUNT <= AT_ONCE
    assert len(place.server.asked) == COUNT


def test_run_without_a_model_says_so_as_well(work: Work, database_server: postgres.Server) -> None:
    place = work(MANY)
    command = ("run", "data.jsonl", "--detector", "overlap", "--quiet", *runs_at(database_server))
    process = place.start(*command)
    wait_for_judgements(database_server)
    database_server.stop()
    assert line_at_end(process).endswith("go on with --resume")
    database_server.start()
    done = place.assay(*command, "--resume", "--json")
    assert (done.exit_code, json.loads(done.stdout)["done"]) == (0, MANY)


MEASURES = (
    ("evaluate", "judge-simple", "--dataset", "data.jsonl", "--model", "m"),
    ("board", "build", "data.jsonl", "judge-simple", "--model", "m", "--replicates", "20"),
    ("collect", "data.jsonl", "--model", "m", "--out", "said.jsonl"),
    ("mine", "data.jsonl", "judge-simple", "overlap", "--model", "m"),
)


def write_rows(place: Workplace) -> None:
    """Examples of two LLMs with labels, which every command can do something with."""
    rows = (
        {
            "id": f"ex{number}",
            "source": f"Cat {number // 2} sat on the mat all day.",
            "response": f"Cat {number // 2} sat on the mat, says {number % 2}.",
            "model": f"llm{number % 2}",
            "label": number % 3 > 0,
        }
        for number in range(COUNT)
    )
    (place.folder / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_command_that_measures_says_so_and_goes_on_when_it_is_given_again(
    work: Work, database_server: postgres.Server
) -> None:
    _goes_on(MEASURES[0], work(0), database_server)


@pytest.mark.soak
@pytest.mark.parametrize("command", MEASURES[1:], ids=lambda command: command[0])
def test_every_other_command_does_so_too(
    command: tuple[str, ...], work: Work, database_server: postgres.Server
) -> None:
    _goes_on(command, work(0), database_server)


def _goes_on(command: tuple[str, ...], place: Workplace, database_server: postgres.Server) -> None:
    write_rows(place)
    place.server.delay = DELAY
    given = (*command, *runs_at(database_server), "--concurrency", str(AT_ONCE))
    process = place.start(*given, "--quiet")
    wait_for_calls(place.server, COUNT // 2)
    database_server.stop()
    line = line_at_end(process)
    assert line.startswith("assay: cannot use the run '")
    assert line.endswith("the same command goes on")
    place.server.wait_until_left()
    database_server.start()
    done = place.assay(*given, "--quiet")
    assert done.exit_code == 0, done.output
    assert place.server.calls - len(place.server.asked) <= AT_ONCE


@pytest.mark.soak
def test_connection_that_is_ended_ends_a_run_in_one_line(
    work: Work, database_server: postgres.Server
) -> None:
    place = work(COUNT)
    place.server.delay = DELAY
    command = place.arguments(*runs_at(database_server))
    process = place.start(*command, "--concurrency", str(AT_ONCE))
    wait_for_calls(place.server, COUNT // 2)
    with psycopg.connect(f"{database_server.address}/postgres", autocommit=True) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchall()
    assert ended == [(True,)]  # a run takes one connection
    assert line_at_end(process).endswith("examples are judged and kept); go on with --resume")
    done = place.assay(*command, "--resume", "--json")
    assert (done.exit_code, json.loads(done.stdout)["done"]) == (0, COUNT)


@pytest.mark.soak
def test_cache_that_goes_away_ends_a_run_in_one_line(
    work: Work, database_server: postgres.Server
) -> None:
    place = work(COUNT)
    place.server.delay = DELAY
    command = place.arguments("--cache", f"{database_server.address}/postgres")
    process = place.start(*command, "--concurrency", str(AT_ONCE))
    wait_for_calls(place.server, COUNT // 2)
    database_server.stop()
    line = line_at_end(process)
    assert line.startswith("assay: cannot use the cache of replies postgresql://")
    assert line.endswith("examples are judged and kept); go on with --resume")
    place.server.wait_until_left()
    database_server.start()
    done = place.assay(*command, "--resume", "--json")
    assert (done.exit_code, json.loads(done.stdout)["done"]) == (0, COUNT)
    assert place.server.calls - COUNT <= AT_ONCE


def test_server_that_is_not_there_at_all_has_one_line_without_that_advice(
    work: Work, database_server: postgres.Server
) -> None:
    place = work(2)
    database_server.stop()
    done = place.run(*runs_at(database_server))
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert "cannot use the database postgresql://" in done.stderr
    assert "--resume" not in done.stderr
