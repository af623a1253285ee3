"""What of a source and a response is read at once."""

import numpy as np
import pytest

from assay.core.rendering import read_source
from assay.core.texts import Source
from assay.detectors.embedded import reading
from assay.detectors.embedded.reading import SourceReader
from assay.detectors.embedded.tokens import Tokenizer
from tests.detectors.embedded.conftest import WORDS

TOKENIZER = Tokenizer(WORDS)
SHORT = "The harbour opened in 1986. Ferries cross twice a day."


def reader(source: object = SHORT) -> SourceReader:
    return SourceReader(read_source(source), TOKENIZER)


def test_short_source_is_read_whole_and_all_sentences_in_one_row() -> None:
    (found,) = reader().read("When?", ["It opened in 1986.", "It closed."])
    assert len(found.source_tokens) == len(TOKENIZER.encode(SHORT))
    assert found.sentences == (0, 1)
    assert reader().characters_in(found) == len(SHORT)


def test_of_a_long_source_the_passages_are_read_that_matter() -> None:
    filler = [f"Town number {number} has a market and a mill." for number in range(400)]
    source = " ".join([*filler[:200], "The harbour of Otranto opened in 1986.", *filler[200:]])
    judge = reader(source)
    (found,) = judge.read("", ["The harbour opened in 1986."])
    assert len(found.source_tokens) <= reading.SOURCE_TOKENS
    passages, parts = judge.passages_in(found)
    assert "The harbour of Otranto opened in 1986." in [span.text for span in passages]
    assert all(part.stop <= len(found.source_tokens) for part in parts)
    assert 0 < judge.characters_in(found) < len(source)


def test_passages_lie_where_their_tokens_are() -> None:
    judge = reader(["one two", "three four", "five"])
    (found,) = judge.read("", ["three"])
    _, parts = judge.passages_in(found)
    text = judge.passages[1].text
    covered = found.row.tokens[found.row.source][parts[1]]
    assert set(TOKENIZER.encode(text).tolist()) <= set(covered.tolist())


def test_long_response_is_read_in_several_rows() -> None:
    sentences = [f"Sentence {number} is about the harbour of the town." for number in range(40)]
    found = list(reader().read("", sentences))
    assert len(found) > 1
    assert [number for each in found for number in each.sentences] == list(range(40))


def test_endless_sentence_is_read_in_pieces_and_loses_nothing() -> None:
    sentence = "word " * 2_000
    found = list(reader().read("", [sentence]))
    assert {number for each in found for number in each.sentences} == {0}
    pieces = sum(len(each.row.tokens) - len(each.source_tokens) - 3 for each in found)
    marks = sum(len(each.row.marks) for each in found)
    assert pieces - marks == len(TOKENIZER.encode(sentence))


@pytest.mark.parametrize("source", ["a", "...", "x" * 20_000, {str(n): n for n in range(10_000)}])
def test_odd_sources_are_read_within_the_window(source: object) -> None:
    for found in reader(source).read("", ["The harbour opened."]):
        assert len(found.source_tokens) <= reading.SOURCE_TOKENS
        assert (np.diff(found.source_tokens) > 0).all()


def test_source_without_a_sentence_has_no_passages() -> None:
    judge = SourceReader(Source("..."), TOKENIZER)
    (found,) = judge.read("", ["It opened."])
    assert judge.passages_in(found) == ([], [])
