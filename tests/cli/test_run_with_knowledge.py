"""`assay run --knowledge` and `assay check --knowledge`: what is looked up, kept and compared."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest

from assay.app.knowledge import index_corpus
from tests.cli.conftest import Workplace, error_of, line_of
from tests.cli.loopback import question
from tests.cli.test_run_processes import LIMIT, wait_for
from tests.knowledge.conftest import Site, site

__all__ = ["site"]  # a fixture

Work = Callable[..., Workplace]
RESPONSE = "Cat {n} sat. Whiskers of number {n} are made of keratin."
KERATIN = "Whiskers are made of keratin."
RUN = "data--judge-gray7--m--with-facts"


def answer(body: dict[str, Any]) -> str:
    """Fabricated, unless the passage or the source stands in the question."""
    asked = question(body)
    supported = KERATIN in asked or "keratin" not in asked.partition("The sentence to judge")[2]
    label = "implicitly-supported" if supported else "fabricated"
    quotes = [KERATIN] if KERATIN in asked else []
    return json.dumps({"reason": "so", "evidence": quotes, "label": label})


def corpus(folder: Path, text: str = KERATIN) -> None:
    (folder / "notes").mkdir(exist_ok=True)
    (folder / "notes" / "cats.txt").write_text(text, encoding="utf-8")
    index_corpus(folder / "notes", folder / "facts.sqlite")


@pytest.fixture
def place(work: Work) -> Workplace:
    made = work(4, RESPONSE)
    made.server.answer = answer
    corpus(made.folder)
    return made


def look_up(place: Workplace, *more: str) -> Any:
    return place.run("--knowledge", "facts.sqlite", *more, detector="judge-gray7")


def labels(place: Workplace, name: str = RUN) -> list[str]:
    found = place.export(name)["judgements"]
    return [unit["verdict"]["label"] for each in found for unit in each["units"]]


def test_a_judge_looks_things_up_in_a_run_and_cites_what_it_found(place: Workplace) -> None:
    done = look_up(place)
    assert done.exit_code == 0
    assert labels(place) == ["implicitly-supported", "out-dependent"] * 4
    second = place.export(RUN)["judgements"][0]["units"][1]["verdict"]
    assert second["external"][0]["quote"] == KERATIN
    assert second["answers"]["entailed_with_knowledge"] is True
    assert place.server.calls == 4 * 3  # two sentences, and one of them again


def test_a_run_says_where_it_looked_and_what_was_there(place: Workplace) -> None:
    look_up(place)
    shown = json.loads(place.assay("runs", "show", RUN, "--json").stdout)["manifest"]
    assert shown["knowledge"] == "corpus:facts.sqlite"
    assert len(shown["knowledge_digest"]) == 32
    assert "corpus:facts.sqlite" in place.assay("runs", "show", RUN).stdout


def test_a_run_does_not_go_on_with_other_knowledge(place: Workplace) -> None:
    look_up(place)
    corpus(place.folder, "Nothing of the kind.")
    changed = look_up(place, "--resume")
    assert "knowledge digest:" in error_of(changed)
    other = place.run("--name", RUN, "--resume", detector="judge-gray7")
    assert "knowledge: corpus:facts.sqlite -> none" in error_of(other)


def test_the_same_corpus_made_again_is_the_same(place: Workplace) -> None:
    look_up(place)
    (place.folder / "facts.sqlite").unlink()
    corpus(place.folder)
    assert look_up(place, "--resume").exit_code == 0


def test_an_offline_detector_looks_things_up_in_a_run(place: Workplace) -> None:
    rows = [{"id": "a", "source": "The cat sat.", "response": "The cat sat. " + KERATIN}]
    (place.folder / "one.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    done = place.assay("run", "one.jsonl", "--knowledge", "facts.sqlite", "--quiet")
    assert done.exit_code == 0
    assert labels(place, "one--embedded--with-facts")[1] == "out-dependent"


def test_a_run_that_was_killed_goes_on_with_what_it_has(place: Workplace) -> None:
    place.write(300, RESPONSE)
    place.server.delay = 0.01
    arguments = place.arguments("--knowledge", "facts.sqlite", detector="judge-gray7")
    process: Popen[str] = place.start(*arguments)
    try:
        wait_for(lambda: place.server.calls >= 300)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.communicate(timeout=LIMIT)
    place.server.wait_until_left()
    place.server.delay = 0
    assert look_up(place, "--resume").exit_code == 0
    assert labels(place) == ["implicitly-supported", "out-dependent"] * 300
    assert place.server.calls <= 900 + 2 * 16  # at most those that were under way are asked again


def test_snapshots_are_kept_and_played_back_without_the_corpus(place: Workplace) -> None:
    assert look_up(place, "--keep", "kept.sqlite").exit_code == 0
    (place.folder / "facts.sqlite").unlink()
    again = look_up(place, "--keep", "kept.sqlite", "--offline", "--name", "again")
    assert again.exit_code == 0
    assert labels(place, "again") == labels(place)


def test_a_dry_run_says_that_more_may_be_asked(place: Workplace) -> None:
    done = look_up(place, "--dry-run")
    assert done.exit_code == 0
    assert "the model is asked about it once more" in " ".join(done.stdout.split())
    assert place.server.calls == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--keep", "a.sqlite"), "is an option of a knowledge source"),
        (("--allow-private",), "'allow_private' is an option of a knowledge source"),
        (("--knowledge", "none.sqlite"), "there is no local corpus at none.sqlite"),
        (("--knowledge", "facts.sqlite", "--pages"), "a local corpus has no web pages"),
        (("--knowledge", "facts.sqlite", "--offline"), "needs a file of snapshots to replay"),
    ],
)
@pytest.mark.parametrize("command", ["run", "check"])
def test_what_cannot_be_looked_up_is_said_before_anything_is_asked(
    command: str, options: tuple[str, ...], message: str, place: Workplace
) -> None:
    done = place.assay(command, "data.jsonl", "--detector", "overlap", *options)
    assert message in line_of(done)
    assert not (place.folder / "assay-runs").exists()


def test_a_judge_of_whole_responses_is_refused(place: Workplace) -> None:
    for more in ((), ("--dry-run",)):
        done = place.run("--knowledge", "facts.sqlite", *more)
        assert "outside knowledge is for detectors of sentences in gray7" in line_of(done)
    assert place.server.calls == 0


def test_a_check_that_looks_things_up_tells_what_its_model_cost(place: Workplace) -> None:
    asked = ("--detector", "judge-gray7", "--model", "m", "--base-url", place.server.url)
    done = place.assay("check", "data.jsonl", *asked, "--knowledge", "facts.sqlite", "--json")
    assert "12 calls" in done.stderr
    second = json.loads(done.stdout)["judgements"][0]["units"][1]["verdict"]
    assert (second["label"], second["external"][0]["quote"]) == ("out-dependent", KERATIN)


def test_models_that_vote_look_things_up(place: Workplace) -> None:
    assert look_up(place, "--votes", "3", "--name", "voted").exit_code == 0
    assert labels(place, "voted") == ["implicitly-supported", "out-dependent"] * 4


def test_a_look_up_that_failed_is_asked_for_again(
    place: Workplace, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write(1, RESPONSE)
    monkeypatch.setenv("BRAVE_API_KEY", "open-sesame-123")
    site.answers["/s"] = (500, "application/json", "{}")
    asked = ("--knowledge", f"brave:{site.base}/s", "--allow-private", "--name", "a")
    failed = place.run(*asked, detector="judge-gray7")
    assert failed.exit_code == 3
    assert place.export("a")["judgements"][0]["units"][1]["failure"]["reason"] == "transport"
    found = {"web": {"results": [{"url": "https://x.org", "description": KERATIN}]}}
    site.answers["/s"] = (200, "application/json", json.dumps(found))
    assert place.run(*asked, "--retry-failures", detector="judge-gray7").exit_code == 0
    assert labels(place, "a") == ["implicitly-supported", "out-dependent"]
    kept = b"".join(each.read_bytes() for each in (place.folder / "assay-runs").iterdir())
    assert b"sesame" not in kept
