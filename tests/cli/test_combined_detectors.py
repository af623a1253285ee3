"""Cascades and votes by name, on the command line and from Python."""

import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

import assay as library
from assay.core.wire import schema
from tests.cli.conftest import Workplace, line_of
from tests.cli.loopback import FAITHFUL, question

Work = Callable[..., Workplace]
BOTH = "cascade:overlap,judge-simple,unit=response,below=0.7"
SURE, UNSURE = "Cat {n} sat.", "Cat {n} sat near a mill in Vejby."


def mixed(work: Work, count: int) -> Workplace:
    """Examples of which overlap is not sure of every other one."""
    place = work(count)
    rows = [
        {
            "id": f"ex{n}",
            "source": f"Cat {n} sat.",
            "response": (UNSURE if n % 2 else SURE).format(n=n),
            "label": "unfaithful" if n % 2 else "faithful",
        }
        for n in range(count)
    ]
    (place.folder / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return place


def check(place: Workplace, detector: str, *more: str) -> Any:
    return place.assay("check", "data.jsonl", "--detector", detector, *more)


def test_a_check_ends_with_the_work_of_each_stage(work: Work) -> None:
    place = mixed(work, 4)
    done = check(place, BOTH, "--model", "m")
    assert done.exit_code == 0
    assert "stages: overlap: 4 responses, " in done.stderr
    assert "; judge-simple: 2 responses (50.0%), 2 calls" in done.stderr
    assert place.server.calls == 2
    assert "stages" not in check(place, BOTH, "--model", "m", "--quiet").stderr


def test_the_document_names_who_decided_and_what_each_stage_took(work: Work) -> None:
    place = mixed(work, 4)
    document = json.loads(check(place, BOTH, "--model", "m", "--json").stdout)
    jsonschema.validate(document, schema())
    said = [each["units"][0]["verdict"] for each in document["judgements"]]
    decided = ["overlap", "judge-simple", "overlap", "judge-simple"]
    assert [each["attributes"]["backend"] for each in said] == decided
    assert {each["taxonomy"] for each in document["judgements"]} == {"binary"}
    assert said[0]["note"].startswith("overlap says explicitly-supported.")
    first, second = document["stages"]
    assert (first["name"], first["examples"], first["calls"]) == ("overlap", 4, 0)
    assert (second["name"], second["examples"], second["calls"]) == ("judge-simple", 2, 2)


def test_a_detector_that_is_not_combined_has_no_stages(work: Work) -> None:
    place = work(1)
    done = check(place, "overlap", "--json")
    assert "stages" not in json.loads(done.stdout)
    assert "stages" not in done.stderr


def test_a_run_that_goes_on_pays_nothing_twice_and_counts_on(work: Work) -> None:
    place = mixed(work, 12)
    cut = place.run("--budget-calls", "2", "--concurrency", "1", detector=BOTH, quiet=False)
    assert cut.exit_code == 2
    assert place.server.calls == 2
    done = place.run("--resume", "--json", detector=BOTH, quiet=False)
    assert done.exit_code == 0
    assert place.server.calls == 6
    first, second = json.loads(done.stdout)["usage"]["stages"]
    assert (first["examples"], second["examples"], second["calls"]) == (12, 6, 6)
    name = json.loads(done.stdout)["name"]
    assert place.export(name)["stages"] == [first, second]
    shown = place.assay("runs", "show", name)
    assert "judge-simple: 6 responses (50.0%), 6 calls" in " ".join(shown.stdout.split())


def test_a_run_ends_with_the_work_of_each_stage(work: Work) -> None:
    done = mixed(work, 4).run(detector=BOTH, quiet=False)
    assert "stages   overlap: 4 responses, " in done.stdout


def test_an_evaluation_tells_the_work_of_each_stage(work: Work) -> None:
    place = mixed(work, 6)
    arguments = ["evaluate", BOTH, "--dataset", "data.jsonl", "--label-field", "label"]
    done = place.assay(*arguments, "--model", "m")
    assert done.exit_code == 0, done.output
    assert "judge-simple: 3 responses (50.0%), 3 calls" in " ".join(done.stdout.split())
    found = json.loads(place.assay(*arguments, "--model", "m", "--json").stdout)
    assert [each["examples"] for each in found["detectors"][0]["stages"]] == [6, 3]
    assert place.server.calls == 3  # the second time goes on with the run


def test_a_dry_run_counts_the_part_that_asks(work: Work) -> None:
    place = mixed(work, 4)
    done = check(place, "vote:overlap,judge-simple,unit=response", "--model", "m", "--dry-run")
    assert "calls     4" in done.stdout
    assert place.server.calls == 0


def test_only_the_judge_is_asked_several_times(work: Work) -> None:
    place = work(2)
    done = check(place, "vote:overlap,judge-simple,unit=response", "--model", "m", "--votes", "3")
    assert "stages: overlap: 2 responses, " in done.stderr
    assert "; judge-simple: 2 responses, 6 calls" in done.stderr


def test_settings_without_one_meaning_are_refused(work: Work) -> None:
    place = work(1)
    several = check(place, "cascade", "--threshold", "0.6")
    assert line_of(several) == (
        "a threshold belongs to one model, and cascade runs several here: embedded,"
        " embedded-large (--threshold)"
    )
    asks_nobody = check(place, "cascade:overlap,embedded", "--model", "m")
    assert "asks no model; leave out model" in line_of(asks_nobody)
    runs_nothing = check(place, "vote:overlap,judge-gray7", "--device", "cuda")
    assert "runs no model here; leave out device" in line_of(runs_nothing)


def test_a_part_whose_file_is_not_here_names_the_command_that_fetches_it(work: Work) -> None:
    assert "run 'assay models pull large'" in line_of(check(work(1), "cascade"))


def test_facts_of_a_combined_detector_are_shown(work: Work) -> None:
    done = work(1).assay("detectors", "show", "cascade:embedded,judge-gray7")
    assert done.exit_code == 0
    assert "embedded: a small entailment model" in " ".join(done.stdout.split())


def test_python_checks_with_a_combined_detector(work: Work) -> None:
    place = work(1)
    place.server.answer = lambda body: FAITHFUL if "Vejby" in question(body) else "no idea"
    report = library.check("Cat 1 sat.", UNSURE.format(n=1), detector=BOTH, model="m")
    assert report.label == "faithful"
    (verdict,) = report[0].judgement.verdicts
    assert verdict.attributes.backend == "judge-simple"
    assert [each.name for each in report.stages] == ["overlap", "judge-simple"]
    assert report.to_dict()["stages"][1]["calls"] == 1


@pytest.mark.parametrize("detector", ["cascade:overlap,embedded", "vote:overlap,embedded"])
def test_what_runs_here_is_combined_without_a_journal(work: Work, detector: str) -> None:
    done = check(work(2), detector, "--json")
    assert done.exit_code == 0
    document = json.loads(done.stdout)
    assert [each["name"] for each in document["stages"]] == ["overlap", "embedded"]
    assert document["manifest"]["taxonomy"] == "gray7"
