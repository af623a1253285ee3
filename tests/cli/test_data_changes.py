"""`assay run` over a file that somebody writes to meanwhile."""

import json
from collections.abc import Callable

import pytest

from tests.cli.conftest import Workplace, error_of, line_of
from tests.cli.loopback import FAITHFUL, Body

pytestmark = pytest.mark.slow

Work = Callable[..., Workplace]


def test_appended_rows_stop_the_run_in_one_line_and_it_goes_on_when_they_are_gone(
    work: Work,
) -> None:
    place = work(40)
    file = place.folder / "data.jsonl"
    before = file.read_bytes()

    def append(body: Body) -> str:
        if file.read_bytes() == before:
            row = {"id": "late", "source": "Cat 9 sat.", "response": "Cat 9 sat."}
            file.write_bytes(before + b"\n" + json.dumps(row).encode())
        return FAITHFUL

    place.server.answer = append
    message = line_of(place.run("--concurrency", "4"))
    assert "the data changed while it was read: there are more than 40 rows now" in message
    assert "restore data.jsonl to go on" in message
    shown = json.loads(place.assay("runs", "show", "data--judge-simple--m", "--json").stdout)
    assert (shown["state"], shown["done"], shown["total"]) == ("stopped", 40, 40)
    assert "dataset digest: " in error_of(place.run("--resume"))
    file.write_bytes(before)
    place.server.answer = lambda body: FAITHFUL
    assert place.run("--resume").exit_code == 0
    assert place.server.calls == 40
