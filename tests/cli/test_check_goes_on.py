"""Checks that ask a model and are killed, interrupted or stopped, and are then given again."""

import json
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from click.testing import Result

from tests.cli.conftest import Workplace, line_of
from tests.cli.loopback import FAITHFUL, Body, question
from tests.cli.test_run_processes import AT_ONCE, DELAY, LIMIT, wait_for_calls

pytestmark = pytest.mark.slow

Work = Callable[..., Workplace]
UNFAITHFUL = FAITHFUL.replace('"faithful"', '"unfaithful"')


def arguments(place: Workplace, *more: str, detector: str = "judge-simple") -> list[str]:
    asked = ("--detector", detector, "--model", "m", "--base-url", place.server.url)
    return ["check", "data.jsonl", *asked, "--quiet", *more]


def check(place: Workplace, *more: str, detector: str = "judge-simple") -> Result:
    return place.assay(*arguments(place, *more, detector=detector))


def judgements(text: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(text)["judgements"]
    return found


def kept() -> list[str]:
    """What is in the folder of checks that are not finished."""
    return sorted(path.name for path in Path(os.environ["ASSAY_STATE"]).iterdir())


def end(process: "Popen[str]", by: signal.Signals) -> tuple[str, str]:
    try:
        process.send_signal(by)
        return process.communicate(timeout=LIMIT)
    finally:
        process.kill()
        process.wait(LIMIT)


def odd_ones_are_unfaithful(body: Body) -> str:
    number = int(question(body).rsplit("Cat ", 1)[-1].split()[0])
    return UNFAITHFUL if number % 2 else FAITHFUL


def test_killed_check_given_again_asks_only_what_is_missing(work: Work) -> None:
    place = work(300)
    place.server.delay, place.server.answer = DELAY, odd_ones_are_unfaithful
    process = place.start(*arguments(place, "--json", "--concurrency", str(AT_ONCE)))
    wait_for_calls(place.server, 150)
    end(process, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    place.server.wait_until_left()
    assert 150 <= place.server.calls < 300
    assert any(name.endswith(".sqlite") for name in kept())
    done = check(place, "--json")
    assert done.exit_code == 0
    found = judgements(done.stdout)
    assert [each["example"] for each in found] == [f"ex{n}" for n in range(300)]
    labels = [each["units"][0]["verdict"]["label"] for each in found]
    assert labels == ["faithful", "unfaithful"] * 150
    assert len(place.server.asked) == 300
    assert place.server.calls - 300 <= AT_ONCE


def test_nothing_of_a_finished_check_is_kept(work: Work) -> None:
    place = work(3)
    assert check(place).exit_code == 0
    assert kept() == []
    assert check(place).exit_code == 0
    assert place.server.calls == 6


def test_interrupted_check_prints_what_was_judged_and_goes_on(work: Work) -> None:
    place = work(300)
    place.server.delay = DELAY
    process = place.start(*arguments(place, "--json", "--concurrency", str(AT_ONCE)))
    wait_for_calls(place.server, 100)
    out, told = end(process, signal.SIGINT)
    assert process.returncode == 130
    first = [each["example"] for each in judgements(out)]
    assert 0 < len(first) < 300
    assert f"stopped after {len(first)} examples; they are in the output" in told
    assert "Traceback" not in told
    place.server.wait_until_left()
    again = judgements(check(place, "--json").stdout)
    assert [each["example"] for each in again] == [f"ex{n}" for n in range(300)]
    assert place.server.calls - 300 <= AT_ONCE
    assert kept() == []


def test_budget_that_runs_out_prints_what_was_judged_and_more_of_it_goes_on(work: Work) -> None:
    place = work(10)
    done = check(place, "--json", "--budget-calls", "4", "--concurrency", "2")
    assert done.exit_code == 2
    assert len(judgements(done.stdout)) == 4
    assert "the budget is used up: 4 of 4 calls made" in done.stderr
    assert "raise the budget, and the same command goes on" in done.stderr
    assert "--resume" not in done.stderr
    assert "only 4 examples were judged" in done.stderr
    assert place.server.calls == 4
    more = check(place, "--json", "--budget-calls", "10")
    assert more.exit_code == 0
    assert [each["example"] for each in judgements(more.stdout)] == [f"ex{n}" for n in range(10)]
    assert place.server.calls == 10
    assert kept() == []


def test_service_that_fails_midway_keeps_what_was_judged(work: Work) -> None:
    place = work(20)

    def answer(body: Body) -> str:
        if place.server.calls >= 8:
            place.server.status = 401
        return FAITHFUL

    place.server.answer = answer
    done = check(place, "--json", "--concurrency", "1")
    assert done.exit_code == 2
    judged = len(judgements(done.stdout))
    assert 0 < judged < 20
    assert "does not accept the key" in done.stderr
    assert f"only {judged} examples were judged" in done.stderr
    place.server.status, place.server.answer = 200, lambda body: FAITHFUL
    refused = place.server.calls - judged
    assert len(judgements(check(place, "--json").stdout)) == 20
    assert place.server.calls == 20 + refused


def test_service_that_cannot_be_used_at_all_leaves_nothing_behind(work: Work) -> None:
    place = work(4)
    place.server.status = 401
    assert "does not accept the key" in line_of(check(place))
    assert kept() == []


def test_what_failed_in_a_check_that_was_cut_off_is_asked_again(work: Work) -> None:
    place = work(6)
    place.server.answer = lambda body: "no idea" if "Cat 1 " in question(body) else FAITHFUL
    cut = check(place, "--json", "--budget-calls", "5", "--concurrency", "1")
    assert cut.exit_code == 2
    assert "failure" in judgements(cut.stdout)[1]["units"][0]
    place.server.answer = lambda body: FAITHFUL
    done = check(place, "--json")
    assert done.exit_code == 0
    assert all("verdict" in each["units"][0] for each in judgements(done.stdout))
    assert place.server.calls == 5 + 2 + 1


def test_two_examples_with_the_same_id_are_both_printed(work: Work) -> None:
    place = work(1)
    rows = [
        {"id": "same", "source": "Cat 1 sat.", "response": "Cat 1 sat."},
        {"id": "same", "source": "Cat 1 sat.", "response": "Cat 2 sat."},
        {"id": "same", "source": "Cat 1 sat.", "response": "Cat 1 sat."},
    ]
    (place.folder / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    place.server.answer = lambda body: UNFAITHFUL if "Cat 2" in question(body) else FAITHFUL
    found = judgements(check(place, "--json").stdout)
    assert [each["example"] for each in found] == ["same"] * 3
    assert [each["units"][0]["verdict"]["label"] for each in found] == [
        "faithful",
        "unfaithful",
        "faithful",
    ]


@pytest.mark.parametrize(
    "change", [["--temperature", "0.5"], ["--votes", "3"], ["--detector", "judge-grounding"]]
)
def test_another_question_is_another_check(work: Work, change: list[str]) -> None:
    place = work(4)
    place.server.answer = lambda body: FAITHFUL
    check(place, "--budget-calls", "2")
    before = place.server.calls
    done = check(place, *change, "--json").exit_code
    assert done in (0, 3)
    assert place.server.calls - before >= 4
    check(place)
    assert place.server.asked.total() > before
    assert bool(kept()) == (done == 3)  # one that left failures can go on


def test_changed_prompt_or_other_rows_are_another_check(work: Work) -> None:
    place = work(4)
    prompt = place.folder / "mine.md"
    text = "---\nname: mine\nversion: 1\ninputs: labels, source, response\n---\n# user\n{}"
    prompt.write_text(text.format("$labels $source $response"), encoding="utf-8")
    detector = "judge-simple:prompt=mine.md"
    assert check(place, "--budget-calls", "2", detector=detector).exit_code == 2
    prompt.write_text(text.format("Now: $labels $source $response"), encoding="utf-8")
    assert check(place, detector=detector).exit_code == 0
    assert place.server.calls == 2 + 4
    place.write(5)
    assert check(place, detector=detector).exit_code == 0
    assert place.server.calls == 2 + 4 + 5


def test_the_same_check_twice_at_once_is_two_checks(work: Work) -> None:
    place = work(60)
    place.server.delay = DELAY
    given = arguments(place, "--json", "--concurrency", "2")
    first = place.start(*given)
    wait_for_calls(place.server, 5)
    second = place.start(*given)
    outputs = [each.communicate(timeout=LIMIT) for each in (first, second)]
    assert [first.returncode, second.returncode] == [0, 0], outputs
    for out, _ in outputs:
        assert [each["example"] for each in judgements(out)] == [f"ex{n}" for n in range(60)]
    assert kept() == []


def test_rows_that_cannot_be_read_are_told_and_the_others_asked_about(work: Work) -> None:
    place = work(2)
    with (place.folder / "data.jsonl").open("a", encoding="utf-8") as file:
        file.write('\n{broken\n{"source": "a"}\n')
    done = check(place, "--json")
    document = json.loads(done.stdout)
    assert (done.exit_code, len(document["judgements"]), place.server.calls) == (2, 2, 2)
    assert [each["where"] for each in document["problems"]] == [
        "data.jsonl line 3",
        "data.jsonl line 4",
    ]
    (place.folder / "data.jsonl").write_text("{broken\n{broken\n", encoding="utf-8")
    done = check(place, "--json")
    assert done.exit_code == 2
    assert "check-" not in done.stderr
    assert [each["where"] for each in json.loads(done.stdout)["problems"]] == [
        "data.jsonl line 1",
        "data.jsonl line 2",
    ]
    assert kept() == []


def test_state_that_cannot_be_kept_is_one_line_before_anything_is_asked(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = work(2)
    (place.folder / "file").touch()
    monkeypatch.setenv("ASSAY_STATE", str(place.folder / "file" / "state"))
    assert "name another folder with ASSAY_STATE" in line_of(check(place))
    assert place.server.calls == 0


def other_file(path: Path) -> None:
    path.write_bytes(b"no database " * 1_000)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def without_facts(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE runs SET facts = '[]'")


def bad_judgement(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE judgements SET record = '{' WHERE position = 3")


def torn(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 3)


@pytest.mark.parametrize("damage", [other_file, emptied, without_facts, bad_judgement, torn])
def test_damaged_check_is_set_aside_and_begins_anew(
    damage: Callable[[Path], None], work: Work
) -> None:
    place = work(20)
    assert check(place, "--budget-calls", "10").exit_code == 2
    (name,) = (each for each in kept() if each.endswith(".sqlite"))
    damage(Path(os.environ["ASSAY_STATE"], name))
    before = place.server.calls
    done = check(place, "--json", "--budget-calls", "20")
    assert done.exit_code == 0
    assert (len(judgements(done.stdout)), place.server.calls - before) == (20, 20)
    (line,) = (each for each in done.stderr.splitlines() if "damaged" in each)
    aside = name.replace(".sqlite", ".damaged")
    assert line.startswith("assay: ")
    assert aside in line
    assert "the check begins anew, its budget too, since nobody can say what was spent" in line
    assert aside in kept()
    assert not any(each.endswith(".sqlite") for each in kept())


def test_what_was_set_aside_is_removed_after_a_month(work: Work) -> None:
    place, old = work(2), Path(os.environ["ASSAY_STATE"], "check-1.damaged")
    old.parent.mkdir(parents=True, exist_ok=True)
    old.touch()
    os.utime(old, (0, 0))
    assert check(place).exit_code == 0
    assert kept() == []
