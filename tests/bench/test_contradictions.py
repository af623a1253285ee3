"""Sentences of a source against the rest of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bench.contradictions import (
    proposals,
    read_source_ids,
    require_contradictions,
    sentence_examples,
)
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.rendering import read_source
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict

TEXT = "The ferry sank in May. It never sank. Nobody was hurt."


def source(text: str, id: str = "a") -> Example:
    return Example(id, Source(text, id=id), Response(""))


def test_each_sentence_is_judged_by_the_others() -> None:
    found = list(sentence_examples([source(TEXT)]))
    assert [each.id for each in found] == ["a#s1", "a#s2", "a#s3"]
    assert found[1].response.text == "It never sank."
    assert found[1].source == Source("The ferry sank in May.  Nobody was hurt.", id="a")


def test_a_single_sentence_and_a_record_have_nothing_to_contradict() -> None:
    record = Example("r", read_source({"a": "x", "b": "y"}), Response(""))
    assert list(sentence_examples([source("The ferry sank."), record])) == []


@given(st.text(max_size=200))
def test_a_sentence_and_its_rest_are_all_of_the_source(text: str) -> None:
    for each in sentence_examples([source(text)]):
        assert len(each.response.text) + len(each.source.text) == len(text)


def test_only_contradictions_are_proposed() -> None:
    examples = list(sentence_examples([source(TEXT)]))
    labels = ("contradicting", "fabricated", "explicitly-supported")
    said = [
        Judgement(
            each.id,
            Author("d"),
            (Unit.response(each.response.text),),
            (Verdict(RESPONSE, GRAY7[label]),),
        )
        for each, label in zip(examples, labels, strict=True)
    ]
    (found,) = proposals(examples, said)
    assert found.id == "a#s1"
    assert found.judgements == (said[0],)


def test_a_detector_must_tell_contradictions_from_what_is_new() -> None:
    require_contradictions("d", GRAY7)
    with pytest.raises(InputError, match="d has the labels binary"):
        require_contradictions("d", BINARY)


def test_sources_to_drop_are_ids_or_proposals_that_were_left(tmp_path: Path) -> None:
    path = tmp_path / "drop.txt"
    path.write_text('a\n\n b c \n{"id": "x#s1", "source_id": "x"}\n', encoding="utf-8")
    assert read_source_ids(str(path)) == {"a", "b c", "x"}
    path.write_text('{"id": "x#s1"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1: a line is the id of a source"):
        read_source_ids(str(path))
    with pytest.raises(InputError, match="cannot read"):
        read_source_ids(str(tmp_path / "none"))
