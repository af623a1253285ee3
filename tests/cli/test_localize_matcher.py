"""`assay localize matcher`: the matcher of places measured where annotators wrote notes."""

from pathlib import Path

import pytest

from assay import Author, Judgement, Span, Unit, Verdict
from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.core.texts import Response, Source
from assay.core.verdicts import Attributes
from tests.cli.conftest import line_of
from tests.cli.loopback import Loopback
from tests.cli.test_localize_command import assay, document, folder, server, write_verdicts

__all__ = ["folder", "server"]


def test_matcher_is_measured_where_annotators_wrote_notes(folder: Path) -> None:
    done = assay("matcher", "--dataset", "ragtruth")
    assert "no response with notes of two annotators" in line_of(done)


def write_notes(folder: Path, label: Label = BINARY["unfaithful"]) -> None:
    """A corpus of one response on which two annotators wrote notes, in our own form."""
    text = "It snows in May."
    span = Span.cut(text, 3, 8, "response")
    example = Example("1", Source("It rains."), Response(text))
    judgements = []
    for name, note in (("ann", "It rains, it does not snow."), ("bob", "No snow.")):
        unit = Unit.at("span", span, "p1")
        verdict = Verdict("p1", label, attributes=Attributes(explanation=note))
        judgements.append(Judgement("1", Author(name, "person"), (unit,), (verdict,)))
    (folder / "noted.jsonl").write_bytes(write_example(Annotated(example, tuple(judgements))))


def test_matcher_that_fails_gives_exit_code_3(folder: Path, server: Loopback) -> None:
    write_notes(folder)
    asked = ("matcher", "--dataset", "noted.jsonl", "--matcher", "llm", "--base-url", server.url)
    server.answer = lambda body: "I cannot tell."
    done = assay(*asked, "--model", "m")
    assert done.exit_code == 3, done.output
    server.answer = lambda body: 'The same.\n{"A": "A"}'
    assert assay(*asked, "--model", "other").exit_code == 0


def test_dry_run_of_a_matcher_sends_nothing(folder: Path, server: Loopback) -> None:
    write_notes(folder)
    asked = ("matcher", "--dataset", "noted.jsonl", "--dry-run", "--json")
    found = document(*asked, "--matcher", "llm", "--model", "m", "--base-url", server.url)
    # Two ordered pairs of annotators, each shown with and without the place of gold.
    assert found["matcher on noted.jsonl"]["models"]["m"]["calls"] == 4
    assert server.calls == 0
    assert "nothing here asks a model" in assay(*asked[:-1]).stdout


def test_prompt_of_the_matcher_can_be_another(folder: Path, server: Loopback) -> None:
    write_verdicts(folder)
    header = "---\nname: mine\nversion: 1\ninputs: gold, predicted\nreply: map\n---\n"
    (folder / "m.md").write_text(f"{header}# user\nPair $gold and $predicted.\n", "utf-8")
    server.answer = lambda body: '{"A": "A", "B": null}'
    asked = ("--matcher", "llm", "--model", "m", "--base-url", server.url)
    document(
        "evaluate", "said.json", "--dataset", "ragtruth", *asked, "--matcher-prompt", "m.md", code=3
    )
    assert all(each.startswith("Pair <<<GOLD") for each in server.asked)


def test_reading_chooses_which_labels_are_errors(folder: Path) -> None:
    write_notes(folder, FAITHBENCH["benign"])
    asked = ("evaluate", "overlap", "--dataset", "noted.jsonl")
    (found,) = document(*asked)["corpora"]
    assert (found["hits"]["gold"], found["reading"]) == (1, "faithbench-strict")
    assert "read as in faithbench-strict" in assay(*asked).stdout
    assert "nobody wrote down or marked" in line_of(assay(*asked, "--reading", "faithbench"))
    assert "is for gray7 labels" in line_of(assay(*asked, "--reading", "verigray"))


@pytest.mark.shared_data
def test_matcher_command_gives_the_figures_of_the_documentation(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_DATA", str(shared_data))
    parts = document("matcher", "--dataset", "faithbench")["parts"]
    held_out = parts["held out, words, gold also by place"]
    assert held_out["rounds"] == 600
    assert held_out["figures"]["precision"]["value"] == pytest.approx(0.849, abs=0.0005)
    assert held_out["figures"]["recall"]["value"] == pytest.approx(0.749, abs=0.0005)
