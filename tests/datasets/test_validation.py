"""What is wrong with a corpus is counted with its places."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core import Example, InputError, Label, Passage, Response, Source, Span, Unit, Verdict
from assay.core.taxonomies import BINARY
from assay.datasets.cards import Card, File
from assay.datasets.corpus import find_card, load_corpus
from assay.datasets.files import Problem
from assay.datasets.presence import file_states, presence
from assay.datasets.validation import MEANINGS, Validation, validate

GOOD = Example("1", Source("The cat sat."), Response("It sat.", "m"))
WHOLE = Unit.at("response", Span.cut("It sat.", 0, 7, "response"))
CARD = Card(
    name="tiny",
    title="Tiny",
    origin="",
    revision="",
    licence="",
    taxonomy="binary",
    unit_kind="response",
    splits=("train",),
    folder="tiny",
    files=(File("a.txt", "0" * 64), File("b.txt"), File("c.txt")),
    loader="",
)


def counts(validation: Validation) -> dict[str, int]:
    return {finding.name: finding.count for finding in validation.findings}


def test_sound_example_has_no_problem() -> None:
    validation = validate([replace(GOOD, gold=(Verdict(WHOLE, BINARY["faithful"]),))])
    assert (validation.examples, validation.unlabelled, validation.problems) == (1, 0, 0)


def test_example_without_gold_is_counted_but_no_problem() -> None:
    validation = validate([GOOD])
    assert (validation.unlabelled, validation.problems) == (1, 0)


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("source-text", replace(GOOD, source=Source(" \n"))),
        ("response-text", replace(GOOD, response=Response(""))),
        ("response-text", replace(GOOD, response=Response("a\x00b"))),
        ("no-id", replace(GOOD, id=" ")),
        ("passage", replace(GOOD, source=Source("Text.", (Passage("p", 2, 9),)))),
        ("passage", replace(GOOD, source=Source("Text", (Passage("p", 2, 3), Passage("q", 0, 1))))),
        ("span", replace(GOOD, units=(Unit("span", "sat", (Span("response", 0, 3, "sat"),)),))),
        (
            "span",
            replace(
                GOOD,
                gold=(Verdict(WHOLE, score=1, evidence=(Span("source", 0, 3, "the"),)),),
            ),
        ),
        (
            "label",
            replace(GOOD, gold=(Verdict(WHOLE, Label("binary", "so-so", "", 0, "not-sure")),)),
        ),
        (
            "two-labels",
            replace(GOOD, gold=tuple(Verdict(WHOLE, label, judge="a") for label in BINARY)),
        ),
        ("split", replace(GOOD, split="test")),
    ],
)
def test_each_problem_is_found_with_its_place(name: str, example: Example) -> None:
    (finding,) = validate([example], CARD).findings
    assert (finding.name, finding.count, finding.meaning) == (name, 1, MEANINGS[name])
    assert example.id in finding.places[0]


def test_annotators_may_disagree() -> None:
    gold = tuple(Verdict(WHOLE, label, judge=label.name) for label in BINARY)
    assert validate([replace(GOOD, gold=gold)]).problems == 0


def test_same_id_and_same_texts_are_told_apart() -> None:
    again = replace(GOOD, id="2")
    other = replace(GOOD, response=Response("It stood."))
    relabelled = replace(GOOD, id="3", gold=(Verdict(WHOLE, BINARY["faithful"]),))
    found = counts(validate([GOOD, again, other, relabelled]))
    assert found == {"same-id": 1, "same-texts": 1, "other-labels": 1}


def test_only_the_first_places_are_kept() -> None:
    (finding,) = validate([Problem(f"line {n}", "bad") for n in range(9)] + [GOOD]).findings
    assert (finding.name, finding.count, len(finding.places)) == ("unreadable", 9, 5)


def test_what_breaks_off_is_a_problem_and_the_rest_counts() -> None:
    def broken() -> Iterator[Example]:
        yield GOOD
        raise InputError("cannot read x: it ends early")

    validation = validate(broken())
    assert (validation.examples, counts(validation)) == (1, {"unreadable": 1})
    assert validation.findings[0].places == ("after example 1: cannot read x: it ends early",)


def test_no_examples_at_all_is_a_problem() -> None:
    assert counts(validate([])) == {"no-examples": 1}


def test_missing_and_other_files_are_problems(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    for name in ("a.txt", "b.txt"):
        (tmp_path / "tiny" / name).write_text("x")
    states = file_states(CARD, tmp_path)
    assert [file.state for file in states] == ["differs", "unpinned", "missing"]
    found = counts(validate([GOOD], CARD, states))
    assert found == {"file-differs": 1, "file-missing": 1}


def test_presence_is_told_without_reading(tmp_path: Path) -> None:
    assert presence(CARD, tmp_path) == "absent"
    (tmp_path / "tiny").mkdir()
    (tmp_path / "tiny" / "a.txt").write_text("x")
    assert presence(CARD, tmp_path) == "in part"
    anything = replace(CARD, files=())
    assert presence(anything, tmp_path) == "absent"
    (tmp_path / "tiny" / "rows.jsonl").write_text("{}")
    assert presence(anything, tmp_path) == "here"
    assert [file.path for file in file_states(anything, tmp_path)] == ["rows.jsonl"]


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("storysumm", {}),
        ("wice", {}),
        # The README: 14 rows of scitldr repeat a summary.
        ("summedits", {"same-texts": 14}),
        # The card: 193 rows repeat a document and claim, 4 such claims have both labels.
        ("summac", {"same-texts": 189, "other-labels": 4}),
    ],
)
def test_released_corpora_have_the_known_problems_only(
    name: str, found: dict[str, int], shared_data: Path
) -> None:
    card = find_card(name)
    corpus = load_corpus(name, shared_data)
    assert counts(validate(corpus, card, file_states(card, shared_data))) == found
