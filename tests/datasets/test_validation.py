"""What is wrong with a corpus is counted with its places."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Finding
from assay.core.labels import Label
from assay.core.problems import Problem
from assay.core.taxonomies import BINARY
from assay.core.texts import Passage, Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpora.annotations import annotate, opinion, person
from assay.datasets.corpus import Card, File, find_card, load_corpus
from assay.datasets.download import file_states, presence
from assay.datasets.validation import MEANINGS, Validation, validate

PLAIN = Example("1", Source("The cat sat."), Response("It sat.", "m"))
GOOD = Annotated(PLAIN)
WHOLE = Unit.response("It sat.")
FAITHFUL, UNFAITHFUL = BINARY["faithful"], BINARY["unfaithful"]
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
    return {defect.name: defect.count for defect in validation.defects}


def changed(**fields: object) -> Annotated:
    return Annotated(replace(PLAIN, **fields))  # type: ignore[arg-type]


def judged(*labels: Label, id: str = "1") -> Annotated:
    """The example with labels of the same place by one author."""
    marks = [Unit(f"p{n}", "span", "sat", (Span("response", 3, 6, "sat"),)) for n in (1, 2)]
    example = replace(PLAIN, id=id)
    pairs = zip(marks, labels, strict=False)
    return annotate(example, [opinion(mark, label) for mark, label in pairs])


def test_sound_example_has_no_problem() -> None:
    validation = validate([annotate(PLAIN, [opinion(WHOLE, FAITHFUL)])])
    assert (validation.examples, validation.unlabelled, validation.problems) == (1, 0, 0)


def test_example_without_gold_is_counted_but_no_problem() -> None:
    validation = validate([GOOD])
    assert (validation.unlabelled, validation.problems) == (1, 0)


MISQUOTED = Verdict("response", score=1, evidence=(Span("source", 0, 3, "the"),))


@pytest.mark.parametrize(
    ("name", "example"),
    [
        ("source-text", changed(source=Source(" \n"))),
        ("response-text", changed(response=Response(""))),
        ("response-text", changed(response=Response("a\x00b"))),
        ("no-id", changed(id=" ")),
        ("passage", changed(source=Source("Text.", (Passage("p", 2, 9),)))),
        ("passage", changed(source=Source("Text", (Passage("p", 2, 3), Passage("q", 0, 1))))),
        ("span", changed(units=(Unit("p1", "span", "sat", (Span("response", 0, 3, "sat"),)),))),
        ("span", annotate(PLAIN, [(GOLD, Finding(WHOLE, MISQUOTED))])),
        ("label", judged(Label("binary", "so-so", "", 0, "not-sure"))),
        ("two-labels", judged(FAITHFUL, UNFAITHFUL)),
        ("split", changed(split="test")),
    ],
)
def test_each_problem_is_found_with_its_place(name: str, example: Annotated) -> None:
    (defect,) = validate([example], CARD).defects
    assert (defect.name, defect.count, defect.meaning) == (name, 1, MEANINGS[name])
    assert example.id in defect.places[0]


def test_annotators_may_disagree() -> None:
    gold = [opinion(WHOLE, label, by=person(label.name)) for label in BINARY]
    assert validate([annotate(PLAIN, gold)]).problems == 0


def test_same_id_and_same_texts_are_told_apart() -> None:
    again = changed(id="2")
    other = changed(response=Response("It stood."))
    relabelled = judged(FAITHFUL, id="3")
    found = counts(validate([GOOD, again, other, relabelled]))
    assert found == {"same-id": 1, "same-texts": 1, "other-labels": 1}


def test_only_the_first_places_are_kept() -> None:
    (defect,) = validate([Problem(f"line {n}", "bad") for n in range(9)] + [GOOD]).defects
    assert (defect.name, defect.count, len(defect.places)) == ("unreadable", 9, 5)


def test_what_breaks_off_is_a_problem_and_the_rest_counts() -> None:
    def broken() -> Iterator[Annotated]:
        yield GOOD
        raise InputError("cannot read x: it ends early")

    validation = validate(broken())
    assert (validation.examples, counts(validation)) == (1, {"unreadable": 1})
    assert validation.defects[0].places == ("after example 1: cannot read x: it ends early",)


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
