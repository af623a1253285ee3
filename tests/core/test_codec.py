"""Examples and judgements to JSON and back, and everything that is refused on the way."""

import io
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.codec import (
    DocumentWriter,
    read_document,
    read_example,
    read_judgement,
    read_manifest,
    verify,
    write_example,
    write_judgement,
    write_manifest,
)
from assay.core.errors import InputError, SpanError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Judgement, Manifest
from assay.core.rendering import read_source
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Link, Unit
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.core.wire import EXAMPLE_SCHEMA, SCHEMA, ResponseRecord, schema
from tests.core.strategies import (
    AUTHOR,
    TEXT,
    examples,
)

DOCUMENTS = jsonschema.Draft202012Validator(schema())
LINES = jsonschema.Draft202012Validator({**schema(), "$ref": "#/$defs/ExampleRecord"})


@given(examples())
def test_any_example_is_the_same_after_json_and_back(annotated: Annotated) -> None:
    line = write_example(annotated)
    assert b"\n" not in line
    assert read_example(line) == annotated


@given(examples())
def test_any_judgement_is_the_same_after_json_and_back(annotated: Annotated) -> None:
    for judgement in annotated.judgements:
        line = write_judgement(judgement)
        assert b"\n" not in line
        assert read_judgement(line) == read_judgement(line.decode()) == judgement
        assert verify(judgement, annotated.example) is judgement


PARAMETERS = st.dictionaries(
    TEXT, st.none() | st.booleans() | st.integers(-9, 9) | TEXT, max_size=3
)


@settings(max_examples=40)
@given(AUTHOR, TEXT, PARAMETERS, st.dictionaries(TEXT, TEXT, max_size=3), examples())
def test_any_document_is_the_same_after_json_and_back(
    author: Author,
    text: str,
    parameters: dict[str, Any],
    digests: dict[str, str],
    annotated: Annotated,
) -> None:
    manifest = Manifest(
        author, text, text, "span", "gray7", text, text, text, 7, 5, 0, text, 3, text,
        parameters=parameters, prompt_digests=digests,
    )  # fmt: skip
    written = document(manifest, *annotated.judgements).encode()
    assert read_document(written, "FILE") == (manifest, list(annotated.judgements))
    assert read_manifest(write_manifest(manifest)) == manifest
    DOCUMENTS.validate(json.loads(written))


def document(manifest: Manifest, *given: Judgement, problems: int = 0) -> str:
    stream = io.StringIO()
    writer = DocumentWriter(stream, manifest, "1.2.3")
    for judgement in given:
        writer.add(write_judgement(judgement))
    for number in range(problems):
        writer.add_problem(f"line {number}", "bad")
    writer.close()
    return stream.getvalue()


RESPONSE = "It sat. It ate."
EXAMPLE = Example("ex", Source("The cat sat."), Response(RESPONSE))
FIRST = Unit.at("sentence", Span.cut(RESPONSE, 0, 7, "response"), "s1")
CLAIM = Unit("s1.c1", "claim", "The cat sat.", FIRST.spans, "s1")
SECOND = Unit.at("sentence", Span.cut(RESPONSE, 8, 15, "response"), "s2")
MANIFEST = Manifest(Author("overlap", version="1"), dataset="a.jsonl", examples=1)
GOOD = Judgement(
    "ex",
    Author("overlap", version="1"),
    (FIRST, CLAIM, SECOND),
    (
        Verdict(
            "s1",
            GRAY7["no-fact"],
            0.25,
            0.5,
            "why",
            (Span.cut("The cat sat.", 4, 7, "source"),),
            attributes=Attributes(correction="It lay."),
        ),
        Verdict("s1.c1", BINARY["faithful"]),
        Failure("s2", "parse", "no verdict found", "Hm."),
    ),
    source_characters=12,
    characters_read=12,
)


def test_record_of_a_judgement_is_what_the_documentation_promises() -> None:
    assert json.loads(write_judgement(GOOD, ResponseRecord("no-fact", 0.25, 0.5))) == {
        "example": "ex",
        "author": {"name": "overlap", "version": "1"},
        "taxonomy": "gray7",
        "response": {"label": "no-fact", "score": 0.25, "coverage": 0.5},
        "units": [
            {
                "id": "s1",
                "kind": "sentence",
                "text": "It sat.",
                "start": 0,
                "end": 7,
                "verdict": {
                    "label": "no-fact",
                    "score": 0.25,
                    "confidence": 0.5,
                    "note": "why",
                    "evidence": [{"start": 4, "end": 7, "text": "cat"}],
                    "attributes": {"correction": "It lay."},
                },
            },
            {
                "id": "s1.c1",
                "kind": "claim",
                "text": "The cat sat.",
                "spans": [{"start": 0, "end": 7, "text": "It sat."}],
                "parent": "s1",
                "verdict": {"label": {"taxonomy": "binary", "label": "faithful"}},
            },
            {
                "id": "s2",
                "kind": "sentence",
                "text": "It ate.",
                "start": 8,
                "end": 15,
                "failure": {"reason": "parse", "detail": "no verdict found", "raw": "Hm."},
            },
        ],
        "source_characters": 12,
        "characters_read": 12,
    }


def test_what_the_units_add_up_to_is_not_read_back() -> None:
    assert read_judgement(write_judgement(GOOD, ResponseRecord("no-fact", 0.25, 0.5))) == GOOD


def test_document_has_a_head_and_a_judgement_a_line() -> None:
    lines = document(MANIFEST, GOOD, replace(GOOD, example="b"), problems=1).splitlines()
    assert lines[:3] == [
        "{",
        f'"schema": "{SCHEMA}",',
        '"assay": "1.2.3",',
    ]
    assert json.loads(lines[5].rstrip(","))["example"] == "ex"
    assert json.loads(lines[6])["example"] == "b"
    assert lines[-3] == '"problems": [{"where":"line 0","message":"bad"}],'
    assert lines[-2] == '"ending": {"state":"stopped"}'


def test_document_without_judgements_is_read() -> None:
    assert read_document(document(MANIFEST).encode(), "FILE") == (MANIFEST, [])


Change = Callable[[dict[str, Any]], object]


def changed(change: Change) -> bytes:
    record = json.loads(write_judgement(GOOD))
    change(record)
    return json.dumps(record).encode()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update(mood="good"), "FILE is damaged: Object contains unknown field `mood`"),
        (lambda r: r["units"][0].update(mood=1), r"unknown field `mood` - at `\$\.units\[0\]`"),
        (lambda r: r.pop("author"), "missing required field `author`"),
        (lambda r: r.update(example=5), r"Expected `str`, got `int` - at `\$\.example`"),
        (lambda r: r["author"].update(kind="cat"), "Invalid enum value 'cat'"),
        (lambda r: r["units"][0].update(kind="word"), "Invalid enum value 'word'"),
        (lambda r: r["units"][0]["verdict"].update(label="so-so"), "unknown gray7 label 'so-so'"),
        (lambda r: r.update(taxonomy="gray8"), "unknown taxonomy 'gray8'"),
        (lambda r: r["units"][0]["verdict"].update(score=1.5), "a score lies between 0 and 1"),
        (lambda r: r["units"][0].update(verdict={}), "needs a label or a score"),
        (lambda r: r["units"][2].update(id="s1"), "the judgement of 'ex' names a unit twice"),
        (
            lambda r: r["units"][2].update(verdict={"score": 1}),
            "FILE: 's2' has both a verdict and a failure",
        ),
        (lambda r: r["units"][2]["failure"].update(reason="tired"), "Invalid enum value 'tired'"),
    ],
)
def test_record_that_cannot_be_meant_is_refused(change: Change, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_judgement(changed(change), "FILE")


def test_label_off_the_menu_suggests_a_near_one() -> None:
    line = changed(lambda r: r["units"][0]["verdict"].update(label="no-fct"))
    with pytest.raises(UnknownNameError, match="Did you mean 'no-fact'"):
        read_judgement(line)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"5", b"\xff", b'"\\ud800"', b"[" * 100_000])
def test_what_is_no_record_is_one_line(text: bytes) -> None:
    for read in (read_judgement, read_manifest, read_example):
        with pytest.raises(InputError, match=r"^FILE is damaged: .+$"):
            read(text, "FILE")


def test_cut_off_record_is_one_line() -> None:
    line = write_judgement(GOOD)
    for end in range(len(line)):
        with pytest.raises(InputError, match="FILE is damaged"):
            read_judgement(line[:end], "FILE")


def test_manifest_of_a_later_version_is_not_read_by_halves() -> None:
    record = {**json.loads(write_manifest(MANIFEST)), "mood": "good"}
    with pytest.raises(InputError, match="unknown field `mood`"):
        read_manifest(json.dumps(record))


OLDER = b'{"detector": "overlap", "results": [{"id": "1", "sentences": []}]}'


@pytest.mark.parametrize("text", [OLDER, b"[]", b"nonsense", b"\xff\xfe", b'{"schema": 5}', b""])
def test_file_of_an_older_or_another_form_is_refused_in_one_line(text: bytes) -> None:
    with pytest.raises(InputError, match="FILE holds no judgements of this version") as caught:
        read_document(text, "FILE")
    assert caught.value.code == "not-judgements"
    assert "\n" not in str(caught.value)


def test_document_of_a_later_schema_is_refused_by_its_name() -> None:
    later = document(MANIFEST, GOOD).replace(SCHEMA, "urn:assay:judgements:2")
    with pytest.raises(InputError, match=f"form 'urn:assay:judgements:2'; .* reads '{SCHEMA}'"):
        read_document(later.encode(), "FILE")


def test_cut_off_document_is_damaged_not_old() -> None:
    whole = document(MANIFEST, GOOD)
    for end in range(50, len(whole) - 2, 7):
        with pytest.raises(InputError, match="FILE is damaged"):
            read_document(whole[:end].encode(), "FILE")


def test_document_with_a_damaged_judgement_names_the_file() -> None:
    broken = document(MANIFEST, GOOD).replace('"kind":"claim"', '"kind":"word"')
    with pytest.raises(InputError, match=r"FILE is damaged: .*judgements\[0\]\.units\[1\]"):
        read_document(broken.encode(), "FILE")


def test_half_a_character_is_kept_in_a_document() -> None:
    odd = replace(GOOD, outcomes=(Failure("s1", "parse", raw="\ud83d"),))
    assert read_document(document(MANIFEST, odd, GOOD).encode(), "FILE") == (MANIFEST, [odd, GOOD])


def test_json_of_a_source_is_kept_beside_its_text() -> None:
    source = replace(read_source({"name": "Blue Door", "music": None}), id="s")
    line = write_example(Annotated(Example("1", source, Response("r"))))
    record = json.loads(line)
    assert record["source"] == "name: Blue Door\nmusic: not given"
    assert json.loads(record["source_json"]) == {"name": "Blue Door", "music": None}
    assert read_example(line).example.source == source
    del record["source_json"]  # as earlier versions wrote it
    assert read_example(json.dumps(record)).example.source == replace(source, json="")


@pytest.mark.parametrize("given", ["{", '{"name": "Red Door"}', '["name: Blue Door"]', "5", "{}"])
def test_json_that_is_not_that_of_the_source_is_refused(given: str) -> None:
    record = {"schema": EXAMPLE_SCHEMA, "id": "1", "source": "name: Blue Door", "response": "r"}
    with pytest.raises(InputError, match="the line is damaged: its source_json"):
        read_example(json.dumps({**record, "source_json": given}), "the line")


def test_example_of_a_later_form_is_refused() -> None:
    line = write_example(Annotated(EXAMPLE)).replace(
        EXAMPLE_SCHEMA.encode(), b"urn:assay:example:2"
    )
    with pytest.raises(
        InputError, match=f"FILE has the form 'urn:assay:example:2', not '{EXAMPLE_SCHEMA}'"
    ):
        read_example(line, "FILE")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"example": "other"}, "a judgement of 'other' is not about 'ex'"),
        ({"units": (replace(FIRST, spans=(Span("response", 0, 3, "She"),)),)}, "reads 'It '"),
        ({"units": (replace(FIRST, spans=(Span("response", 9, 99, "x"),)),)}, "does not fit"),
    ],
)
def test_judgement_of_another_text_does_not_verify(change: dict[str, Any], message: str) -> None:
    other = replace(GOOD, **{"outcomes": (), **change})
    with pytest.raises(InputError, match=message):
        verify(other, EXAMPLE)
    with pytest.raises(InputError, match=message):
        read_example(write_example(Annotated(EXAMPLE, (other,))))


def test_evidence_marks_and_cues_that_are_not_there_do_not_verify() -> None:
    misquoted = Verdict("s1", score=1, evidence=(Span("source", 0, 3, "Dog"),))
    with pytest.raises(SpanError, match="reads 'The', not 'Dog'"):
        verify(replace(GOOD, outcomes=(misquoted,)), EXAMPLE)
    mismarked = Verdict("s1", score=0, marks=(Span("response", 0, 2, "So"),))
    with pytest.raises(SpanError, match="reads 'It', not 'So'"):
        verify(replace(GOOD, outcomes=(mismarked,)), EXAMPLE)
    link = Link("cause", "s1.c1", "s1.c1", Span("response", 0, 2, "So"))
    relation = Unit("s1.r1", "relation", "so", link=link)
    with pytest.raises(SpanError, match="reads 'It', not 'So'"):
        verify(replace(GOOD, units=(relation,), outcomes=()), EXAMPLE)


def test_units_of_an_example_are_verified() -> None:
    moved = replace(FIRST, spans=(Span("response", 1, 8, "It sat."),))
    line = write_example(Annotated(replace(EXAMPLE, units=(moved,))))
    with pytest.raises(SpanError, match="reads"):
        read_example(line)


def test_schema_is_valid_has_an_id_and_accepts_documents() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["$id"] == SCHEMA
    gold = replace(GOOD, author=GOLD)
    DOCUMENTS.validate(json.loads(document(MANIFEST, GOOD, gold, problems=2)))


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("manifest"),
        lambda d: d.update(mood="good"),
        lambda d: d["judgements"][0]["units"][0].update(kind="word"),
        lambda d: d["judgements"][0]["units"][0]["verdict"].update(score="high"),
        lambda d: d["judgements"][0].pop("author"),
    ],
)
def test_schema_refuses_what_is_not_a_document(change: Change) -> None:
    broken = json.loads(document(MANIFEST, GOOD))
    change(broken)
    assert not DOCUMENTS.is_valid(broken)


@settings(max_examples=40)
@given(examples())
def test_schema_accepts_any_example(annotated: Annotated) -> None:
    LINES.validate(json.loads(write_example(annotated)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": ""}, "of length >= 1"),
        ({"start": 3, "end": 1}, "ends before it begins"),
        ({"start": 0, "end": None}, "only one end"),
        ({"start": -1}, ">= 0"),
        ({"link": {"name": "cause", "first": "s9", "second": "s1"}}, "links 's9'"),
        ({"parent": "s1"}, "a part of itself"),
        ({"verdict": {"label": "no-fct"}}, "Did you mean 'no-fact'"),
        ({"verdict": {"score": 1.5}}, "between 0 and 1"),
    ],
)
def test_unit_that_contradicts_itself_is_refused_with_its_place(
    change: dict[str, Any], message: str
) -> None:
    unit = {"id": "s1", "kind": "sentence", "text": "Hi.", "start": 0, "end": 3, **change}
    record = {"example": "1", "author": {"name": "a"}, "taxonomy": "gray7", "units": [unit]}
    with pytest.raises(InputError, match="line 7") as raised:
        read_judgement(json.dumps(record), "verdicts.json line 7")
    assert message in str(raised.value)


def test_long_chain_of_parents_is_read_in_time_that_grows_with_it() -> None:
    units = [
        {"id": f"u{n}", "kind": "claim", "text": "", "parent": f"u{n - 1}"}
        for n in range(1, 20_000)
    ]
    record = {"example": "1", "author": {"name": "a"}, "units": units}
    assert len(read_judgement(json.dumps(record)).units) == 19_999


@pytest.mark.parametrize("text", [b"{broken", b"", b"\xff\xfe", b"not json at all"])
def test_file_that_is_not_json_says_so(text: bytes) -> None:
    with pytest.raises(InputError, match=r"^mine\.json holds .*: it is not JSON "):
        read_document(text, "mine.json")
