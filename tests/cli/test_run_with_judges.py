"""Judges in `assay check`, and FaithJudge with its peers in `assay run`."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from assay import Annotated, Author, Example, Judgement, Response, Source, Unit, Verdict
from assay.core.codec import write_example
from assay.core.taxonomies import FAITHBENCH
from assay.core.wire import schema
from tests.cli.conftest import Workplace, error_of, line_of
from tests.cli.loopback import FAITHFUL, question

Work = Callable[..., Workplace]
SOURCE = "The ferry has crossed the strait since 1986."


def asked(place: Workplace, detector: str = "judge-simple") -> list[str]:
    return ["--detector", detector, "--model", "m", "--base-url", place.server.url]


def test_check_asks_a_model_and_counts_responses(work: Work) -> None:
    place = work(4)
    place.server.answer = lambda body: (
        FAITHFUL.replace('"faithful"', '"unfaithful"') if "Cat 2" in question(body) else FAITHFUL
    )
    done = place.assay("check", "data.jsonl", *asked(place), "--html", "page.html")
    assert done.exit_code == 0
    assert "4 responses" in done.stdout
    assert "1 unfaithful" in done.stdout
    assert ">4 responses</span></h1>" in (place.folder / "page.html").read_text(encoding="utf-8")
    failing = place.assay("check", "data.jsonl", *asked(place), "--fail-on", "unfaithful")
    assert failing.exit_code == 1
    assert "1 response labelled unfaithful" in failing.stderr


def test_document_of_a_judge_fits_the_schema(work: Work) -> None:
    place = work(3)
    place.server.answer = lambda body: "no idea" if "Cat 1" in question(body) else FAITHFUL
    done = place.assay("check", "data.jsonl", *asked(place), "--json")
    assert done.exit_code == 3
    document = json.loads(done.stdout)
    jsonschema.validate(document, schema())
    assert document["manifest"]["unit_kind"] == "response"
    assert document["judgements"][1]["units"][0]["failure"]["raw"] == "no idea"


def test_check_keeps_replies_where_it_is_told_to(work: Work) -> None:
    place = work(3)
    for _ in range(2):
        done = place.assay("check", "data.jsonl", *asked(place), "--cache", "kept.sqlite")
        assert done.exit_code == 0
    assert place.server.calls == 3


def test_options_for_models_are_refused_without_a_model(work: Work) -> None:
    place = work(1)
    done = place.assay("check", "data.jsonl", "--detector", "overlap", "--votes", "2")
    assert line_of(done) == "detector 'overlap' asks no model; leave out votes (--votes)"


def annotated(number: int, label: str) -> Annotated:
    """A summary that a person labelled; all have the same source."""
    text = f"Summary {number} of the ferry."
    example = Example(f"s{number}", Source(SOURCE, id="ferry"), Response(text))
    unit = Unit.response(text)
    verdict = Verdict(unit.id, FAITHBENCH[label], note=f"Reason {number}.")
    said = Judgement(example.id, Author("ann", "person"), (unit,), (verdict,), len(SOURCE))
    return Annotated(example, (said,))


def write(path: Path, *examples: Annotated) -> None:
    path.write_bytes(b"\n".join(map(write_example, examples)) + b"\n")


def classified(body: dict[str, object]) -> str:
    return "It adds a claim.\nFinal classification: Inconsistent"


def test_faithjudge_learns_from_the_annotated_data_itself(work: Work) -> None:
    place = work(1)
    place.server.answer = classified
    write(place.folder / "data.jsonl", annotated(1, "benign"), annotated(2, "unwanted"))
    done = place.run("--json", detector="faithjudge")
    assert done.exit_code == 0, done.output
    first, second = sorted(place.server.asked, key=lambda each: "Reason 2" not in each)
    assert "Reason 2." in first
    assert "Reason 1." not in first  # never its own
    assert "Reason 1." in second
    document = json.loads(done.stdout)
    assert document["manifest"]["prompt_digests"]["peers"]
    assert document["labels"] == {"unfaithful": 2}
    assert document["peers"] == {"1": 2}  # both were judged with one peer


def test_responses_without_peers_are_counted_at_the_end_of_a_run(work: Work) -> None:
    place = work(1)
    place.server.answer = classified
    other = annotated(3, "benign")
    other = replace(other, example=replace(other.example, source=Source("Another source.")))
    write(place.folder / "data.jsonl", annotated(1, "benign"), annotated(2, "unwanted"), other)
    done = place.run(detector="faithjudge", quiet=False)
    assert done.exit_code == 0, done.output
    told = "1 of 3 responses judged zero-shot for lack of annotated peers"
    assert told in " ".join(done.output.split())


def test_changed_peers_are_another_run(work: Work) -> None:
    place = work(1)
    place.server.answer = classified
    write(place.folder / "data.jsonl", annotated(1, "benign"))
    write(place.folder / "peers.jsonl", annotated(2, "unwanted"))
    named = ("--peers", "peers.jsonl")
    assert place.run(*named, detector="faithjudge").exit_code == 0
    assert place.run(*named, "--resume", detector="faithjudge").exit_code == 0
    write(place.folder / "peers.jsonl", annotated(2, "consistent"))
    done = place.run(*named, "--resume", detector="faithjudge")
    (line,) = error_of(done).splitlines()[1:-1]
    assert line.startswith("  prompt peers: ")


@pytest.mark.parametrize("command", ["run", "check"])
def test_faithjudge_without_peers_is_one_line_before_any_money(command: str, work: Work) -> None:
    place = work(3)
    done = place.assay(command, "data.jsonl", *asked(place, "faithjudge"))
    assert "--peers" in line_of(done)
    assert place.server.calls == 0


def torn_or_told(body: dict[str, object]) -> str:
    """A sentence with two readings first, then one that is implicitly supported."""
    answers = dict.fromkeys(("states_fact", "source_entails"), "yes")
    answers["source_states_all"] = "no"
    readings = [{"meaning": "a", "label": "fabricated"}, {"meaning": "b", "label": "no-fact"}]
    if "Cat 1" in question(body):
        return json.dumps({"reason": "R.", "interpretations": readings, "label": "ambiguous"})
    return json.dumps({"reason": "R.", **answers, "label": "implicitly-supported"})


def test_answers_to_the_trees_questions_are_in_every_document(work: Work) -> None:
    place = work(2)
    place.server.answer = torn_or_told
    page = ("--html", "page.html", "--json")
    checked = place.assay("check", "data.jsonl", *asked(place, "judge-gray7"), *page)
    assert place.run(detector="judge-gray7").exit_code == 0, checked.output
    for document in (json.loads(checked.stdout), place.export("data--judge-gray7--m")):
        jsonschema.validate(document, schema())
        first, second = (each["units"][0]["verdict"] for each in document["judgements"])
        assert first["answers"]["explicit"] is False
        assert [each["meaning"] for each in second["answers"]["senses"]] == ["a", "b"]
        assert second["answers"]["several_readings"] is True
    shown = (place.folder / "page.html").read_text(encoding="utf-8")
    assert '"answers":"yy' in shown  # it states a fact, and has several readings


def test_responses_are_asked_about_in_the_order_of_the_data(work: Work) -> None:
    """Responses to one source then follow each other, and a server remembers the source."""
    place = work(12)
    assert place.run("--concurrency", "1").exit_code == 0
    asked = [int(re.findall(r"Cat (\d+) sat", each)[0]) for each in place.server.asked]
    assert asked == list(range(12))
