"""Models read a structured source as JSON; what they quote is found in the source's text."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.rendering import read_source
from assay.core.texts import Passage, Response, Source, Span
from assay.detectors.combinators.viewing import view_source
from assay.detectors.judges.quoting import as_models_read, quotable
from assay.detectors.registry import DETECTORS, DetectorSpec
from assay.llm.client import Line, Request, Scripted
from tests.detectors.judges.scripts import asked, load, opinion
from tests.judging import judge_one

DOOR = {
    "name": "Blue Door",
    "attributes": {"BusinessParking": {"garage": False}, "Music": None},
    "reviews": [{"stars": 4.0, "text": 'A "gem".\nI *love* it.'}, {"stars": 4.0, "text": "Fine."}],
}
SOURCE = read_source(DOOR)
EXAMPLE = Example("door", SOURCE, Response("It plays music."))


def found(quote: str, source: Source = SOURCE) -> list[str]:
    quoted = quotable(source).find([quote])
    assert all(span.verify(source.text) for span in quoted.spans)
    return [span.text for span in quoted.spans]


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("Blue Door", "Blue Door"),
        ('"Music": null', "attributes > Music: not given"),
        ("Music: null", "attributes > Music: not given"),
        ('"BusinessParking": {"garage": false}', "attributes > Business Parking > garage: no"),
        ("Business Parking > garage: no", "Business Parking > garage: no"),
        (r"A \"gem\".\nI *love* it.", 'A "gem".\nI *love* it.'),
        ('A "gem". I *love* it', 'A "gem".\nI *love* it'),
        ('"text": "Fine."', "reviews 2 > text: Fine."),
        ('4.0, "text": "Fine', "4.0\nreviews 2 > text: Fine"),
    ],
)
def test_a_quote_from_the_json_is_found_in_the_text(quote: str, words: str) -> None:
    assert found(quote) == [words]


@pytest.mark.parametrize("quote", ['"Music": true', "Red Door", '"BusinessParking": null'])
def test_a_quote_that_is_in_neither_is_missing(quote: str) -> None:
    assert quotable(SOURCE).find([quote]).missing == 1


def test_a_text_without_markup_is_searched_for_quotes_from_the_json() -> None:
    shown = view_source(SOURCE).shown
    assert "I love it." in shown.text
    assert found('"Music": null', shown) == ["attributes > Music: not given"]
    assert found("I *love* it", shown) == ["I love it"]
    assert found('"text": "Fine."', shown) == ["reviews 2 > text: Fine."]


def test_what_was_looked_up_is_searched_as_well() -> None:
    text = f"{SOURCE.text}\n\nDoors are often blue."
    place = Passage("doors", len(SOURCE.text) + 2, len(text))
    wider = replace(SOURCE, text=text, outside=(place,))
    assert found("often blue", wider) == ["often blue"]
    assert found('"name": "Blue Door"', wider) == ["name: Blue Door"]


def test_where_text_and_json_do_not_fit_the_text_is_searched_alone() -> None:
    other = replace(SOURCE, text="name: Red Door")
    assert found("Red Door", other) == ["Red Door"]
    assert quotable(other).find(['"name": "Blue Door"']).missing == 1


def test_a_place_is_shown_in_the_words_of_the_json() -> None:
    start = SOURCE.text.index("attributes > Music")
    null = Span.cut(SOURCE.text, start, start + len("attributes > Music: not given"), "source")
    assert as_models_read(null, SOURCE) == '"Music": null'
    assert as_models_read(null, Source(SOURCE.text)) == null.text
    assert as_models_read(replace(null, text="?"), SOURCE) == "?"


@given(st.dictionaries(st.text(), st.lists(st.text() | st.none(), max_size=3), min_size=1))
def test_any_field_quoted_from_the_json_is_a_place_of_the_text(
    value: dict[str, list[str | None]],
) -> None:
    source = read_source(value)
    for passage in source.passages:
        span = Span.cut(source.text, passage.start, passage.end, "source")
        found(as_models_read(span, source), source)  # which verifies it


def reply(request: Request) -> Line:
    """Quotes a field as it stands in the JSON, wherever a reply has evidence."""
    if request.schema is None:
        return request.example
    record = json.loads(request.example)
    for entry in (record, *(e for each in record.values() if isinstance(each, list) for e in each)):
        if isinstance(entry, dict) and "evidence" in entry:
            entry["evidence"] = ['"Music": null']
    return json.dumps(record)


def judged(name: str) -> tuple[list[str], Judgement]:
    client = Scripted(reply)
    annotations = (lambda: iter(())) if name == "p-true" else None
    judgement = judge_one(load(name, client, annotations), EXAMPLE)
    return [asked(each) for each in client.requests], judgement


NAMED = {
    "faithjudge": "faithjudge:peers=0",
    "claimwise": "claimwise:overlap",
    "granite-guardian": "granite-guardian:3.2",  # the source is a message, not in the template
}
WITHOUT_SOURCE = {"claimwise", "p-true"}  # they ask about the response, or about answers alone
METHODS = sorted(
    NAMED.get(name, name)
    for name in DETECTORS
    if DetectorSpec(NAMED.get(name, name)).capabilities.asks_model and name not in WITHOUT_SOURCE
)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_shows_a_structured_source_as_json(name: str) -> None:
    requests, judgement = judged(name)
    assert any(SOURCE.json in each for each in requests)
    assert not any("not given" in each or "attributes > " in each for each in requests)
    for verdict in judgement.verdicts:
        assert all(span.verify(SOURCE.text) for span in verdict.evidence)


@pytest.mark.parametrize("name", ["judge-gray7", "judge-gray7:batch", "localize-zero", "discourse"])
def test_evidence_from_the_json_points_into_the_text(name: str) -> None:
    verdicts = judged(name)[1].verdicts
    quoted = {span.text for each in verdicts for span in each.evidence}
    assert quoted == {"attributes > Music: not given"}


def test_a_reply_that_quotes_json_is_evidence_of_a_sentence() -> None:
    client = Scripted([opinion("fabricated", evidence=['"garage": false'], interpretations=[])])
    [verdict] = judge_one(load("judge-gray7", client), EXAMPLE).verdicts
    assert [span.text for span in verdict.evidence] == [
        "attributes > Business Parking > garage: no"
    ]
    assert "not in the source" not in verdict.note
