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
