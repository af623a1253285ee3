"""Annotations as a flat table."""

import csv
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import assume, given, settings

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.problems import Problem
from assay.core.records import judgement_record
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.datasets.conversion import convert, read_converted
from assay.datasets.formats.flat import COLUMNS, read_annotations, write_annotations
from tests.core.strategies import examples

SOURCE, TEXT = "It left at nine.", "=It left at ten. It was full."
FIRST = Unit.at("sentence", Span.cut(TEXT, 0, 16, "response"), "s1")
SECOND = Unit.at("sentence", Span.cut(TEXT, 17, 29, "response"), "s2")
EXAMPLE = Example("e/1", Source(SOURCE), Response(TEXT, "llm"))
SAID = Judgement(
    "e/1",
    Author("ann", "person"),
    (FIRST, SECOND),
    (
        Verdict(
            "s1",
            GRAY7["contradicting"],
            note="-nine",
            evidence=(Span.cut(SOURCE, 11, 15, "source"),),
            attributes=Attributes(explanation="Not ten."),
        ),
        Failure("s2", "missing", "later"),
    ),
    at="2025-01-02T03:04:05+00:00",
    round=2,
    supersedes="e/1/ann/1",
)
LOOKED = Judgement("e/1", Author("bob", "person"), (), ())


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_row_is_what_one_author_says_of_one_unit(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    assert write_annotations([Annotated(EXAMPLE, (SAID, LOOKED))], path) == 3
    first, second, third = table(path)
    assert tuple(first) == COLUMNS
    assert {name: first[name] for name in ("example", "model", "author", "round", "unit")} == {
        "example": "e/1",
        "model": "llm",
        "author": "ann",
        "round": "2",
        "unit": "s1",
    }
    assert (first["label"], first["start"], first["end"]) == ("contradicting", "0", "16")
    assert (first["text"], first["note"]) == ("'=It left at ten.", "'-nine")  # no formulas
    assert first["evidence"] == '[{"start":11,"end":15,"text":"nine"}]'
    assert (first["reason"], second["failure"]) == ("Not ten.", "missing")
    assert (third["author"], third["unit"]) == ("bob", "")
    assert list(read_annotations(path, {"e/1": EXAMPLE})) == [SAID, LOOKED]


@settings(deadline=None)
@given(examples())
def test_any_judgements_are_equal_after_the_table_and_back(annotated: Annotated) -> None:
    keys = [(each.author, each.round) for each in annotated.judgements]
    assume(len(set(keys)) == len(keys))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        try:
            write_annotations([annotated], path)
        except InputError:
            assert has_half_characters(annotated)
            return
        found = list(read_annotations(path, {annotated.id: annotated.example}))
    assert found == list(annotated.judgements)


def has_half_characters(annotated: Annotated) -> bool:
    """Whether UTF-8 cannot hold what was said, the id or the model."""
    example, said = annotated.example, annotated.judgements
    try:
        (example.response.model if said else "").encode()
        msgspec.json.encode([judgement_record(each) for each in said])
    except UnicodeEncodeError:
        return True
    return False


@settings(deadline=None)
@given(examples())
def test_any_project_is_equal_after_our_lines_and_back(annotated: Annotated) -> None:
    with TemporaryDirectory() as folder:
        path = f"{folder}/a.jsonl"
        convert([annotated], path, lambda each: ("", ""))
        assert list(read_converted(path)) == [annotated]


@pytest.mark.parametrize(
    ("column", "cell", "message"),
    [
        ("example", "e/2", "there is no example 'e/2'"),
        ("label", "wrong", "unknown gray7 label 'wrong'"),
        ("round", "two", "'two' is no number for 'round'"),
        ("round", "0", "Expected 'int' >= 1"),
        ("start", "1.5", "row 1 cannot be read: '1.5' is no number for 'start'"),
        ("end", "15", "span 0:15 does not fit its text of 16 characters"),
        ("text", "=It left at two.", "reads '=It left at ten.', not '=It left at two.'"),
        ("score", "2", "a score lies between 0 and 1"),
        ("evidence", "nine", "is not JSON"),
        ("evidence", "{}", "is not what belongs there"),
        ("evidence", '[{"start":0,"end":4,"text":"nine"}]', "reads 'It l', not 'nine'"),
        ("kind", "word", "Invalid enum value 'word'"),
        ("rest", "[]", "is not what belongs there"),
        ("rest", '{"unit": 5}', "row 1 cannot be read"),
        ("failure", "missing", "'s1' has both a verdict and a failure"),
        ("author_kind", "cat", "Invalid enum value 'cat'"),
    ],
)
def test_a_bad_row_is_a_problem_with_its_place(
    column: str, cell: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    write_annotations([Annotated(EXAMPLE, (replace(SAID, round=1), LOOKED))], path)
    rows = table(path)
    rows[0][column] = cell
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    problem, *_, good = read_annotations(path, {"e/1": EXAMPLE})
    assert isinstance(problem, Problem)
    assert problem.where == f"{path} row 1"
    assert message in problem.message
    assert good == LOOKED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "is no table of annotations: no column 'example'"),
        (f"{','.join(COLUMNS)}\n1,2\n", "row 1 does not have"),
        (f'{",".join(COLUMNS)}\n"1', "is not CSV"),
    ],
)
def test_another_table_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        list(read_annotations(tmp_path / "a.csv", {}))
