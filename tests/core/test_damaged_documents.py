"""Documents and lines are anybody's files: whatever is in one, it is refused in words or read."""

import io
import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.codec import (
    DocumentWriter,
    read_document,
    read_example,
    read_judgement,
    write_example,
    write_judgement,
)
from assay.core.decision import Answers, Interpretation, Sense
from assay.core.errors import AssayError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement, Manifest
from assay.core.results import write_line
from assay.core.taxonomies import GRAY7
from assay.core.texts import Passage, Response, Source, Span
from assay.core.units import Link, Unit
from assay.core.verdicts import Attributes, ExternalEvidence, Failure, Verdict
from tests.mutations import damaged

pytestmark = pytest.mark.slow

SOURCE, RESPONSE = "The cat sat.", "It sat. It ate."
SENTENCE = Unit.at("sentence", Span.cut(RESPONSE, 0, 7, "response"), "s1")
CLAIM = Unit("s1.c1", "claim", "The cat sat.", SENTENCE.spans, "s1")
LINK = Link("cause", "s1.c1", "s1", Span.cut(RESPONSE, 0, 2, "response"))
RELATION = Unit("s1.r1", "relation", "because", (), "s1", LINK)
OTHER = Unit.at("sentence", Span.cut(RESPONSE, 8, 15, "response"), "s2")
SAID = Judgement(
    "ex",
    Author("judge", version="1"),
    (SENTENCE, CLAIM, RELATION, OTHER),
    (
        Verdict(
            "s1",
            GRAY7["fabricated"],
            0.25,
            0.5,
            "why",
            (Span.cut(SOURCE, 0, 3, "source"),),
            (ExternalEvidence("https://example.org", "q", "t"),),
            Answers(True, True, senses=(Sense("one", Answers(True)),)),
            (Interpretation(GRAY7["no-fact"], "one"),),
            attributes=Attributes(explanation="x", peers=3),
        ),
        Verdict("s1.c1", score=0.5),
        Failure("s2", "parse", "bad", "Hm."),
    ),
    12,
    12,
    "2026-01-01T00:00:00+00:00",
)
MANIFEST = Manifest(
    Author("judge", version="1"),
    "1.2.3",
    "judge",
    taxonomy="gray7",
    examples=3,
    sample=2,
    seed=1,
    parameters={"temperature": 0.5},
    prompt_digests={"judge": "abc"},
)
EXAMPLE = Example("ex", Source(SOURCE, (Passage("one", 0, 12),), "d1"), Response(RESPONSE, "m"))


def _document() -> str:
    stream = io.StringIO()
    writer = DocumentWriter(stream, MANIFEST, "1.2.3")
    writer.add(write_judgement(SAID))
    writer.add_problem("line 2", "bad")
    writer.end("complete")
    writer.close()
    return stream.getvalue()


DOCUMENT = json.loads(_document())
JUDGEMENT = json.loads(write_judgement(SAID))
LINE = json.loads(write_example(Annotated(EXAMPLE, (SAID,))))


def test_what_is_damaged_here_is_valid_before() -> None:
    assert read_document(_document().encode(), "it") == (MANIFEST, [SAID])
    assert read_example(json.dumps(LINE)) == Annotated(EXAMPLE, (SAID,))


@settings(max_examples=150, deadline=None)
@given(damaged(DOCUMENT))
def test_a_damaged_document_is_refused_in_words_or_read(text: bytes) -> None:
    with suppress(AssayError):
        manifest, said = read_document(text, "the file")
        stream = io.StringIO()
        writer = DocumentWriter(stream, manifest, "1.2.3")
        for each in said:
            writer.add(write_line(each))
        writer.close()
        assert read_document(stream.getvalue().encode(), "again") == (manifest, said)


@settings(max_examples=150, deadline=None)
@given(damaged(JUDGEMENT) | st.binary(max_size=40))
def test_a_damaged_judgement_is_refused_in_words_or_read(text: bytes) -> None:
    with suppress(AssayError):
        judgement = read_judgement(text)
        json.loads(write_line(judgement))


@settings(max_examples=150, deadline=None)
@given(damaged(LINE))
def test_a_damaged_line_is_refused_in_words_or_read(text: bytes) -> None:
    with suppress(AssayError):
        annotated = read_example(text)
        assert read_example(write_example(annotated)) == annotated
