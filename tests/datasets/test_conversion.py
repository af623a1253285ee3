"""Examples to files and back."""

import csv
import gzip
import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from assay.core import (
    Answers,
    Example,
    ExternalEvidence,
    Failure,
    InputError,
    Interpretation,
    Outcome,
    Passage,
    Relation,
    Response,
    Source,
    Span,
    Unit,
    Verdict,
)
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.units import UnitKind
from assay.datasets.conversion import FLAT, convert, is_converted, read_converted
from assay.datasets.corpus import CORPORA, find_card, load_corpus
from assay.datasets.example_records import example_record, read_record
from assay.datasets.files import Problem, read_file
from assay.datasets.presence import presence

SOURCE, RESPONSE = "The cat sat. 😀 It slept.", "It sat because it slept."
SENTENCE = Unit.at("sentence", Span.cut(RESPONSE, 0, 24, "response"))
WHOLE = Unit.at("response", Span.cut(RESPONSE, 0, 24, "response"))
FIRST, SECOND = (Unit("claim", text, SENTENCE.spans) for text in ("The cat sat.", "The cat slept."))
FULL = Example(
    id="ü/1",
    source=Source(SOURCE, (Passage("p 1", 0, 12), Passage("p 2", 15, 24)), id="s"),
    response=Response(RESPONSE, "model"),
    question="What did it do?",
    language="de",
    units=(
        SENTENCE,
        FIRST,
        SECOND,
        Unit("span", "nowhere"),
        Relation(
            "relation", "because", (), "cause", FIRST, SECOND, Span.cut(RESPONSE, 7, 14, "response")
        ),
    ),
    gold=(
        Verdict(
            SENTENCE,
            GRAY7["ambiguous"],
            score=0.0,
            confidence=0.5,
            note="why",
            evidence=(Span.cut(SOURCE, 13, 14, "source"),),
            external=(ExternalEvidence("https://example.org", "q", "t"),),
            answers=Answers(True, True),
            interpretations=(Interpretation(GRAY7["fabricated"], "one"),),
            judge="ann",
        ),
        Verdict(WHOLE, BINARY["faithful"]),
    ),
    recorded=(
        Verdict(FIRST, score=0.25, judge="nli"),
        Failure(WHOLE, "off_menu", "said maybe", raw="maybe", judge="llm"),
    ),
    split="dev",
    task="qa",
)
PLAIN = Example("2", Source("The cat sat."), Response("It sat."))


def no_label(example: Example) -> tuple[str, str]:
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
    (example,) = read_file(path)
    assert isinstance(example, Example)
    assert (example.id, example.source.text, example.response) == ("ü/1", SOURCE, FULL.response)
    assert (example.question, example.language) == (FULL.question, "de")


def test_nothing_empty_is_written() -> None:
    assert example_record(PLAIN) == {
        "format": "assay-example-1",
        "id": "2",
        "source": "The cat sat.",
        "response": "It sat.",
        "language": "en",
    }


TEXT = st.text(st.characters(), max_size=20)


@st.composite
def examples(draw: st.DrawFn) -> Example:
    source, response = draw(TEXT), draw(TEXT)

    def unit() -> Unit:
        ends = sorted(draw(st.tuples(*[st.integers(0, len(response))] * 2)))
        span = Span.cut(response, ends[0], ends[1], "response")
        kind: UnitKind = draw(st.sampled_from(get_args(UnitKind)))
        return draw(
            st.sampled_from((Unit.at(kind, span), Unit(kind, "x", (span,)), Unit(kind, "")))
        )

    def outcome() -> Outcome:
        judge = draw(TEXT)
        if draw(st.booleans()):
            return Failure(unit(), "parse", draw(TEXT), draw(TEXT), judge)
        label = draw(st.none() | st.sampled_from((*BINARY, *GRAY7)))
        return Verdict(unit(), label, draw(st.floats(0, 1)), note=draw(TEXT), judge=judge)

    said = [outcome() for _ in range(draw(st.integers(0, 4)))]
    return Example(
        draw(TEXT),
        Source(source, id=draw(TEXT)),
        Response(response, draw(TEXT)),
        draw(TEXT),
        language=draw(TEXT),
        units=tuple(unit() for _ in range(draw(st.integers(0, 2)))),
        gold=tuple(each for each in said if isinstance(each, Verdict)),
        recorded=tuple(said),
    )


@given(examples())
def test_any_example_is_equal_after_json_and_back(example: Example) -> None:
    assert read_record(json.loads(json.dumps(example_record(example)))) == example


def test_half_characters_are_escaped_in_lines_and_refused_in_tables(tmp_path: Path) -> None:
    odd = replace(PLAIN, response=Response("It \ud800 sat."))
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
    def label(example: Example) -> tuple[str, str]:
        return ("faithful", "given") if example.gold else ("", "")

    convert([FULL, PLAIN], str(tmp_path / "out.csv"), label)
    convert([FULL, PLAIN], str(tmp_path / "out.parquet"), label)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows == parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert tuple(rows[0]) == FLAT
    assert rows[0]["source"] == SOURCE
    assert [(row["model"], row["label"], row["label_from"]) for row in rows] == [
        ("model", "faithful", "given"),
        ("", "", ""),
    ]


def test_unknown_ending_names_the_choices(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"end its name in .*\.csv or \.parquet"):
        convert([PLAIN], str(tmp_path / "out.xls"), no_label)


def test_older_file_stays_when_something_goes_wrong(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("older")

    def broken() -> Iterator[Example]:
        yield PLAIN
        raise InputError("it ends early")

    with pytest.raises(InputError, match="it ends early"):
        convert(broken(), str(path), no_label)
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*No such file"):
        convert([PLAIN], str(tmp_path / "no" / "out.jsonl"), no_label)


def test_what_the_form_cannot_hold_is_refused() -> None:
    reading = Interpretation(BINARY["faithful"], "")
    mixed = Verdict(WHOLE, GRAY7["ambiguous"], interpretations=(reading,))
    with pytest.raises(InputError, match="another taxonomy"):
        example_record(replace(FULL, gold=(mixed,)))
    elsewhere = Verdict(WHOLE, score=1, evidence=(Span.cut(RESPONSE, 0, 2, "response"),))
    with pytest.raises(InputError, match="does not lie in the source"):
        example_record(replace(FULL, gold=(elsewhere,)))


def damaged(**changes: object) -> Iterable[Example | Problem]:
    yield read_record({**example_record(FULL), **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "assay-example-9"}, "not a record of the form"),
        ({"id": 5}, "'id' must be text, not 5"),
        ({"units": [{"kind": "word", "text": "x"}]}, "'word' is not one of response"),
        ({"gold": [{"unit": {"kind": "response"}}]}, "neither a label nor a score"),
        ({"gold": [{"label": "faithful"}]}, "damaged"),
        ({"gold": [{"unit": {"kind": "response"}, "label": "so-so"}]}, "unknown binary label"),
        (
            {"recorded": [{"unit": {"kind": "response"}, "reason": "tired"}]},
            "'tired' is not one of",
        ),
        ({"response": "It stood because it slept."}, "reads"),
    ],
)
def test_damaged_record_says_what_is_wrong(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(damaged(**changes))


def test_damaged_record_is_a_problem_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    lines = [example_record(FULL), {**example_record(FULL), "id": 5}, example_record(PLAIN)]
    path.write_text("\n".join(map(json.dumps, lines)))
    first, second, third = read_converted(str(path))
    assert (first, third) == (FULL, PLAIN)
    assert str(second) == f"{path} record 2: 'id' must be text, not 5"


def test_truncated_archive_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(example_record(FULL)).encode() * 50)[:-20])
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
    for example in islice(load_corpus(name, shared_data), 200):
        assert read_record(json.loads(json.dumps(example_record(example)))) == example
