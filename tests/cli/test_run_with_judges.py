"""Judges in `assay check`, and FaithJudge with its peers in `assay run`."""

import json
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from assay.core import Example, InputError, Response, Source, Span, Unit, Verdict
from assay.core.taxonomies import FAITHBENCH
from assay.datasets.example_records import example_record
from tests.cli.conftest import Workplace
from tests.cli.loopback import FAITHFUL, question

Work = Callable[..., Workplace]
ROOT = Path(__file__).resolve().parents[2]
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
    assert "4 responses</h2>" in (place.folder / "page.html").read_text(encoding="utf-8")
    failing = place.assay("check", "data.jsonl", *asked(place), "--fail-on", "unfaithful")
    assert failing.exit_code == 1
    assert "1 responses that are unfaithful" in failing.stderr


def test_document_of_a_judge_fits_the_schema(work: Work) -> None:
    place = work(3)
    place.server.answer = lambda body: "no idea" if "Cat 1" in question(body) else FAITHFUL
    done = place.assay("check", "data.jsonl", *asked(place), "--json")
    assert done.exit_code == 3
    document = json.loads(done.stdout)
    schema = json.loads((ROOT / "docs" / "check.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    assert document["unit_kind"] == "response"
    assert document["examples"][1]["failures"][0]["raw"] == "no idea"


def test_check_keeps_replies_where_it_is_told_to(work: Work) -> None:
    place = work(3)
    for _ in range(2):
        done = place.assay("check", "data.jsonl", *asked(place), "--cache", "kept.sqlite")
        assert done.exit_code == 0
    assert place.server.calls == 3


def test_spent_budget_in_a_check_is_a_failure_of_the_rest(work: Work) -> None:
    place = work(5)
    (place.folder / "assay.toml").write_text("[llm]\nbudget_calls = 2\n", encoding="utf-8")
    done = place.assay("check", "data.jsonl", *asked(place))
    assert done.exit_code == 3
    assert "3 failures (budget 3)" in " ".join(done.stdout.split())
    assert place.server.calls == 2


def test_options_for_models_are_refused_without_a_model(work: Work) -> None:
    place = work(1)
    done = place.assay("check", "data.jsonl", "--detector", "overlap", "--votes", "2")
    assert isinstance(done.exception, InputError)
    assert str(done.exception) == "detector 'overlap' asks no model; leave out --votes"


def annotated(number: int, label: str) -> Example:
    """A summary that people labelled; all have the same source."""
    text = f"Summary {number} of the ferry."
    unit = Unit.at("response", Span.cut(text, 0, len(text), "response"))
    gold = (Verdict(unit, FAITHBENCH[label], note=f"Reason {number}.", judge="ann"),)
    return Example(f"s{number}", Source(SOURCE, id="ferry"), Response(text), gold=gold)


def write(path: Path, *examples: Example) -> None:
    lines = (json.dumps(example_record(example)) for example in examples)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


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
    assert document["run"]["prompt_digests"]["peers"]
    assert document["labels"] == {"unfaithful": 2}


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
    (line,) = str(done.exception).splitlines()[1:-1]
    assert line.startswith("  prompt peers: ")


@pytest.mark.parametrize("command", ["run", "check"])
def test_faithjudge_without_peers_is_one_line_before_any_money(command: str, work: Work) -> None:
    place = work(3)
    done = place.assay(command, "data.jsonl", *asked(place, "faithjudge"))
    assert isinstance(done.exception, InputError)
    assert "--peers" in str(done.exception)
    assert place.server.calls == 0
