"""Examples to files and back."""

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from assay.core.codec import read_example, write_example
from assay.core.decision import Answers, Interpretation
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.problems import Problem
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Passage, Response, Source, Span
from assay.core.units import Link, Unit
from assay.core.verdicts import ExternalEvidence, Failure, Verdict
from assay.datasets.conversion import convert, is_converted, read_converted
from assay.datasets.corpus import CORPORA, find_card, load_corpus
from assay.datasets.download import presence
from assay.datasets.example_columns import FLAT
from assay.datasets.files import read_file
from assay.evaluation.gold import annotator_votes, gold_labels
from tests.audit.ferries import ferry, judged

SOURCE, RESPONSE = "The cat sat. 😀 It slept.", "It sat because it slept."
WHOLE = Unit.response(RESPONSE)
SENTENCE = Unit.at("sentence", WHOLE.spans[0], "s1")
FIRST, SECOND = (
    Unit(f"s1.c{number}", "claim", text, SENTENCE.spans, "s1")
    for number, text in enumerate(("The cat sat.", "The cat slept."), start=1)
)
LINK = Link("cause", FIRST.id, SECOND.id, Span.cut(RESPONSE, 7, 14, "response"))
RELATION = Unit("s1.r1", "relation", "because", (), "s1", LINK)
FULL = Annotated(
    Example(
        id="ü/1",
        source=Source(SOURCE, (Passage("p 1", 0, 12), Passage("p 2", 15, 24)), id="s"),
        response=Response(RESPONSE, "model"),
        question="What did it do?",
        language="de",
        units=(SENTENCE, FIRST, SECOND, Unit("p1", "span", "nowhere"), RELATION),
        split="dev",
        task="qa",
    ),
    (
        Judgement(
            "ü/1",
            Author("ann", "person"),
            (SENTENCE,),
            (
                Verdict(
                    "s1",
                    GRAY7["ambiguous"],
                    score=0.0,
                    confidence=0.5,
                    note="why",
                    evidence=(Span.cut(SOURCE, 13, 14, "source"),),
                    external=(ExternalEvidence("https://example.org", "q", "t"),),
                    answers=Answers(True, True),
                    interpretations=(Interpretation(GRAY7["fabricated"], "one"),),
                ),
            ),
        ),
        Judgement("ü/1", GOLD, (WHOLE,), (Verdict("response", BINARY["faithful"]),)),
        Judgement("ü/1", Author("nli"), (SENTENCE, FIRST), (Verdict("s1.c1", score=0.25),)),
        Judgement(
            "ü/1", Author("llm"), (WHOLE,), (Failure("response", "off_menu", "maybe", "Hm."),)
        ),
    ),
)
PLAIN = Annotated(Example("2", Source("The cat sat."), Response("It sat.")))


def no_label(annotated: Annotated) -> tuple[str, str]:
    return "", ""


def test_examples_are_equal_after_lines_of_json_and_back(tmp_path: Path) -> None:
    for name in ("out.jsonl", "out.jsonl.gz"):
        path = str(tmp_path / name)
        assert convert([FULL, PLAIN], path, no_label) == 2
        assert is_converted(path)
        assert list(read_converted(path)) == [FULL, PLAIN]


def test_lines_can_be_read_by_every_command(tmp_path: Path) -> None:
    path = str(tmp_path / "out.jsonl")
    convert([FULL], path, no_label)
    (read,) = read_file(path)
    assert isinstance(read, Annotated)
    example, full = read.example, FULL.example
    assert (example.id, example.source.text, example.response) == ("ü/1", SOURCE, full.response)
    assert (example.question, example.language) == (full.question, "de")


def test_nothing_empty_is_written() -> None:
    assert json.loads(write_example(PLAIN)) == {
        "schema": "urn:assay:example:1",
        "id": "2",
        "source": "The cat sat.",
        "response": "It sat.",
    }


def test_half_characters_are_escaped_in_lines_and_refused_in_tables(tmp_path: Path) -> None:
    odd = Annotated(replace(PLAIN.example, response=Response("It \ud800 sat.")))
    path = str(tmp_path / "out.jsonl")
    convert([odd], path, no_label)
    assert list(read_converted(path)) == [odd]
    for name in ("out.csv", "out.parquet"):
        with pytest.raises(
            InputError, match=r"the response of '2' is not text; write it as \.jsonl"
        ):
            convert([PLAIN, odd], str(tmp_path / name), no_label)
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_tables_have_a_row_per_response(tmp_path: Path) -> None:
    def label(annotated: Annotated) -> tuple[str, str]:
        return ("faithful", "given") if annotated.gold else ("", "")

    convert([FULL, PLAIN], str(tmp_path / "out.csv"), label)
    convert([FULL, PLAIN], str(tmp_path / "out.parquet"), label)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == parquet.read_table(tmp_path / "out.parquet", columns=list(FLAT)).to_pylist()
    assert tuple(rows[0]) == FLAT
    assert rows[0]["source"] == SOURCE
    assert [(row["model"], row["label"], row["label_from"]) for row in rows] == [
        ("model", "faithful", "given"),
        ("", "", ""),
    ]


def test_cells_of_a_table_are_no_formulas_and_read_as_they_were(tmp_path: Path) -> None:
    source, response = "- first\n- second", "=HYPERLINK(A1)"
    odd = Annotated(Example("@1", Source(source), Response(response)))
    path = tmp_path / "out.csv"
    convert([odd], str(path), no_label)
    with path.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["id"], row["source"], row["response"]) == ("'@1", f"'{source}", f"'{response}")
    (read,) = read_file(str(path))
    assert isinstance(read, Annotated)
    example = read.example
    assert (example.id, example.source.text, example.response.text) == ("@1", source, response)


def test_an_apostrophe_in_a_table_of_others_stays(tmp_path: Path) -> None:
    path = tmp_path / "theirs.csv"
    path.write_text("id,source,response\n1,The suffix.,'-ism' is a suffix.\n", encoding="utf-8")
    (read,) = read_file(str(path))
    assert isinstance(read, Annotated)
    assert read.example.response.text == "'-ism' is a suffix."


def test_unknown_ending_names_the_choices(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"end its name in .*\.csv, \.parquet, \.arrow or \.feather"
    ):
        convert([PLAIN], str(tmp_path / "out.xls"), no_label)


def test_older_file_stays_when_something_goes_wrong(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("older")

    def broken() -> Iterator[Annotated]:
        yield PLAIN
        raise InputError("it ends early")

    with pytest.raises(InputError, match="it ends early"):
        convert(broken(), str(path), no_label)
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        convert([PLAIN], str(tmp_path / "no" / "out.jsonl"), no_label)


def lines_of(path: Path, *values: object) -> str:
    path.write_text("\n".join(map(json.dumps, values)))
    return str(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": 5}, r"Expected `str`, got `int` - at `\$\.id`"),
        ({"units": [{"id": "s1", "kind": "word", "text": "x"}]}, "Invalid enum value 'word'"),
        ({"response": "It stood because it slept."}, "reads"),
        ({"gold": []}, "unknown field `gold`"),
    ],
)
def test_damaged_record_is_a_problem_and_the_others_are_read(
    changes: dict[str, object], message: str, tmp_path: Path
) -> None:
    full, plain = (json.loads(write_example(each)) for each in (FULL, PLAIN))
    path = lines_of(tmp_path / "out.jsonl", full, {**full, **changes}, plain)
    first, second, third = read_converted(path)
    assert (first, third) == (FULL, PLAIN)
    assert isinstance(second, Problem)
    assert second.where == f"{path} record 2"
    with pytest.raises(InputError, match=message):
        raise InputError(second.message)


@pytest.mark.parametrize(
    ("key", "form"), [("format", "assay-example-1"), ("schema", "urn:assay:example:2")]
)
def test_older_or_later_form_is_refused_in_one_line(key: str, form: str, tmp_path: Path) -> None:
    line = {key: form, "id": "1", "source": "a", "response": "b"}
    path = lines_of(tmp_path / "out.jsonl", line, line)
    assert is_converted(path)
    with pytest.raises(InputError, match=f"has the form '{form}', .*convert it again"):
        list(read_converted(path))


def test_truncated_archive_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl.gz"
    path.write_bytes(gzip.compress((write_example(FULL) + b"\n") * 50)[:-20])
    with pytest.raises(InputError, match=r"cannot read .*gz: Compressed file ended"):
        list(read_converted(str(path)))


def test_other_files_are_not_taken_for_converted_ones(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for content in ("", "nonsense", "[1]", '{"source": "a", "response": "b"}'):
        path.write_text(content)
        assert not is_converted(str(path))
    assert not is_converted("rows.csv")
    assert not is_converted(str(tmp_path / "missing.jsonl"))


@pytest.mark.shared_data
@pytest.mark.parametrize("name", CORPORA)
def test_released_examples_are_equal_after_json_and_back(name: str, shared_data: Path) -> None:
    if presence(find_card(name), shared_data) != "here":
        pytest.skip(f"{name} is not at {shared_data}")
    for annotated in islice(load_corpus(name, shared_data), 200):
        assert read_example(write_example(annotated)) == annotated


ANN, BEN, REX, CLEO = (Author(name, "person") for name in ("ann", "ben", "rex", "cleo"))
STAGES = {"ann": "annotate", "ben": "annotate", "rex": "review", "cleo": "adjudicate"}
PROJECT = b'{"schema":"urn:assay:project:1","assay":"0.3","name":"p","settings":{}}\n'


def by(author: Author, labels: str, **more: Any) -> Judgement:
    return replace(judged("a", ferry("a").example.units, author, labels), **more)


def read(folder: Path, *said: Judgement, stages: Any = None, **item: Any) -> Annotated:
    """An example of a project, read as every command reads it."""
    if stages is None:
        stages = [(each.author.name, each.round, STAGES.get(each.author.name, "")) for each in said]
    keys = ("author", "round", "stage")
    record = {
        "schema": "urn:assay:project-item:1",
        "example": "a",
        "state": "done",
        "stages": [dict(zip(keys, each, strict=True)) for each in stages if each[2]],
        **item,
    }
    line = write_example(Annotated(ferry("a").example, said))
    path = folder / "p.jsonl"
    path.write_bytes(PROJECT + line + b"\n" + json.dumps(record).encode() + b"\n")
    (found,) = read_converted(str(path))
    assert isinstance(found, Annotated)
    return found


def votes(found: Annotated) -> list[set[str]]:
    return [{each.name for each in given} for given in annotator_votes(found, "sentence")]


def labels(found: Annotated) -> str:
    given = gold_labels(found, "sentence", "corpus")
    return "".join("+" if label == "faithful" else "-" for _, label in given)


PEOPLE = (by(ANN, "++-"), by(BEN, "-+-"))


def test_adjudicator_is_no_annotator_and_settles_the_label(tmp_path: Path) -> None:
    found = read(tmp_path, *PEOPLE, by(CLEO, "+--"), by(GOLD, "+--"), is_settled=True)
    assert votes(found) == [{"ann", "ben"}] * 3
    assert labels(found) == "+--"
    assert [each.author for each in found.judgements] == [ANN, BEN, CLEO, GOLD]  # all are kept
    assert found.judgements[-1].supersedes == "a/cleo/1"


def test_reviewer_is_none_either_and_the_adjudicator_comes_after(tmp_path: Path) -> None:
    said = (*PEOPLE, by(CLEO, "+--"), by(REX, "-++"), by(GOLD, "+--"))
    found = read(tmp_path, *said, is_settled=True)
    assert votes(found) == [{"ann", "ben"}] * 3
    assert [each.supersedes for each in found.judgements[2:]] == ["a/rex/1", "", "a/cleo/1"]


def test_annotator_who_adjudicates_stays_one(tmp_path: Path) -> None:
    stages = [("ann", 1, "annotate"), ("ben", 1, "annotate"), ("ann", 2, "adjudicate")]
    later = by(ANN, "+--", round=2, supersedes="a/ann/1")
    found = read(tmp_path, *PEOPLE, later, by(GOLD, "+--"), stages=stages, is_settled=True)
    assert votes(found) == [{"ann", "ben"}] * 3
    assert labels(found) == "+--"


def test_adjudication_outweighs_the_label_that_the_data_came_with(tmp_path: Path) -> None:
    found = read(tmp_path, by(GOLD, "---"), *PEOPLE, by(CLEO, "+--"))
    assert (labels(found), votes(found)) == ("+--", [{"ann", "ben"}] * 3)
    assert [each.author for each in found.gold] == [ANN, BEN, GOLD]


def test_revision_by_an_audit_outweighs_the_adjudication(tmp_path: Path) -> None:
    stages = [("ann", 1, "annotate"), ("cleo", 1, "adjudicate"), ("gold", 2, "audit")]
    audited = by(GOLD, "+++", round=2, supersedes="a/gold/1")
    found = read(tmp_path, PEOPLE[0], by(CLEO, "+--"), audited, stages=stages)
    assert (labels(found), votes(found)) == ("+++", [{"ann"}] * 3)


def test_what_is_not_settled_is_left_out(tmp_path: Path) -> None:
    found = read(tmp_path, *PEOPLE, by(REX, "+++"), state="adjudication")
    assert [each.author for each in found.judgements] == [ANN, BEN]


@pytest.mark.parametrize("item", [{"example": "b"}, {"state": 1}, {"stages": []}])
def test_line_that_says_nothing_of_it_changes_nothing(tmp_path: Path, item: dict[str, Any]) -> None:
    said = (*PEOPLE, by(CLEO, "+--"))
    assert read(tmp_path, *said, **item).judgements == said
