"""A disk that is full: the run ends in one line, loses what was under way, and asks nothing."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from assay.store.runs import open_store
from tests.cli.conftest import KEY, Workplace, error_of, line_of
from tests.cli.loopback import FAITHFUL, Body
from tests.store.conftest import MANIFEST

pytestmark = pytest.mark.slow

Work = Callable[..., Workplace]
NAME = "data--judge-simple--m"
AT_ONCE = 8
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
from assay.cli import main
sys.argv = ["assay", *sys.argv[1:]]
main()
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MiB; it takes the right to mount one."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no disk can be mounted here: it takes root on Linux")
    yield folder
    subprocess.run(["umount", str(folder)], check=True, capture_output=True)


def long_answer(body: Body) -> str:
    return json.dumps({"reason": "So it says. " * 400, "label": "faithful"})


def arguments(folder: Path, *more: str) -> list[str]:
    return ["--runs", str(folder), "--concurrency", str(AT_ONCE), *more]


def fill(folder: Path) -> None:
    with suppress(OSError), (folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))


def test_full_disk_ends_the_run_and_going_on_asks_nothing_until_there_is_room(
    work: Work, small: Path
) -> None:
    place = work(400)
    place.server.answer = long_answer
    message = line_of(place.run(*arguments(small)))
    assert "database or disk is full; make room, and then it goes on" in message
    assert "of 400 examples are judged and kept" in message
    assert "--resume" in message
    place.server.wait_until_left()  # it may not have read yet what was under way at the end
    sent = place.server.calls
    assert 0 < sent < 400
    fill(small)  # what was folded into the database at the end may have made a little room
    for _ in range(3):
        line_of(place.run(*arguments(small, "--resume")))
        line_of(place.run(*arguments(small, "--resume", "--budget-calls", "400")))
    place.server.wait_until_left()
    assert place.server.calls == sent
    subprocess.run(["mount", "-o", "remount,size=16m", str(small)], check=True)
    done = place.run(*arguments(small, "--resume", "--json"))
    assert (done.exit_code, json.loads(done.stdout)["done"]) == (0, 400)
    assert place.server.calls - 400 <= AT_ONCE  # at most what was under way is asked again


def test_disk_without_room_is_noticed_before_the_first_call(work: Work, small: Path) -> None:
    place = work(20)
    (small / "other").write_bytes(bytes(900 * 2**10))
    assert "full" in line_of(place.run(*arguments(small)))
    place.server.wait_until_left()
    assert place.server.calls == 0
    (small / "other").unlink()
    assert place.run(*arguments(small)).exit_code == 0  # nothing was left of the first


def test_room_that_was_found_is_kept_for_the_replies(small: Path) -> None:
    with open_store(str(small)).create("a", MANIFEST) as journal:
        journal.require_room(replies=4)
        fill(small)
        for number in range(4):
            journal.add_reply(f"key {number}", "x" * 2**14)
        journal.flush()
        assert journal.find_reply("key 3")


def test_check_on_a_full_disk_asks_nothing(
    work: Work, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = work(20)
    monkeypatch.setenv("ASSAY_STATE", str(small))
    (small / "other").write_bytes(bytes(900 * 2**10))
    error_of(place.assay("check", "data.jsonl", "--detector", "judge-simple", "--model", "m"))
    place.server.wait_until_left()
    assert place.server.calls == 0


def test_file_that_may_not_grow_ends_the_run_in_one_line(work: Work, tmp_path: Path) -> None:
    place = work(400)
    place.server.answer = long_answer
    runs = tmp_path / "runs"

    def limited(*more: str) -> "subprocess.CompletedProcess[str]":
        script = LIMITED.format(size=700 * 2**10)
        given = place.arguments(*arguments(runs, *more))
        return subprocess.run(
            [sys.executable, "-c", script, *given],
            cwd=place.folder,
            env={**os.environ, **KEY},
            capture_output=True,
            text=True,
            check=False,
        )

    first = limited()
    assert (first.returncode, first.stderr.count("cannot use the run")) == (2, 1), first.stderr
    assert "Traceback" not in first.stderr
    assert 0 < place.server.calls < 400
    place.server.answer = lambda body: FAITHFUL
    assert place.run(*arguments(runs, "--resume")).exit_code == 0
    assert place.server.calls - 400 <= AT_ONCE
