"""`assay run --engine ray` where it cannot be: one clear line each, and nothing is begun."""

import socket
import sys
from collections.abc import Callable

import pytest

from tests.cli.conftest import Workplace, line_of

Work = Callable[..., Workplace]
OVERLAP = ("run", "data.jsonl", "--detector", "overlap")


def test_engine_that_does_not_exist_is_refused(work: Work) -> None:
    done = work(1).assay(*OVERLAP, "--engine", "spark")
    assert line_of(done) == "the engine is ray or ray://HOST:PORT, not 'spark' (--engine)"


def test_no_workers_are_refused(work: Work) -> None:
    done = work(1).assay(*OVERLAP, "--engine", "ray", "--workers", "0")
    assert line_of(done) == "the workers are 1 or more, not 0 (--workers)"


def test_workers_without_an_engine_are_refused(work: Work) -> None:
    done = work(1).assay(*OVERLAP, "--workers", "2")
    expected = "the workers are those of an engine, and none is named (--workers)"
    assert line_of(done) == expected


def test_missing_ray_is_named(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    place = work(1)
    done = place.assay(*OVERLAP, "--engine", "ray")
    expected = "judging on Ray needs an optional package: pip install 'assay-faith[ray]'"
    assert line_of(done) == expected
    assert not (place.folder / "assay-runs" / "data--overlap").exists()


def test_address_where_nothing_answers_is_named_at_once(work: Work) -> None:
    pytest.importorskip("ray")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        where = f"ray://127.0.0.1:{taken.getsockname()[1]}"
        done = work(1).assay(*OVERLAP, "--engine", where)
    assert line_of(done) == f"nothing answers at {where}: Connection refused (--engine)"


@pytest.mark.parametrize("command", ["evaluate", "mine", "audit flag", "board build"])
def test_commands_that_judge_have_the_engine(work: Work, command: str) -> None:
    done = work(1).assay(*command.split(), "--help")
    assert "--engine ray[://HOST:PORT]" in done.stdout
    assert "--worker-cpus N" in done.stdout


@pytest.mark.parametrize("command", ["collect", "check"])
def test_commands_that_do_not_have_none(work: Work, command: str) -> None:
    assert "--engine" not in work(1).assay(command, "--help").stdout
