"""Where the network looks, word by word."""

from dataclasses import replace

import numpy as np
import pytest

from assay.core.examples import Example
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.detectors.embedded.detector import EmbeddedDetector, load_model
from assay.detectors.embedded.pointing import (
    MOST_PASSAGES,
    Pointer,
    SourceLooks,
    WordLook,
    strongest,
)
from assay.detectors.embedded.reading import SENTENCE_TOKENS, SourceReader
from assay.text.evidence import split_passages
from tests.detectors.embedded.conftest import TinyModel

SOURCE = "The harbour of Otranto opened in 1986. Ferries cross to Albania. Ada Rossi is mayor."
RESPONSE = "The harbour opened in 1986.\nÉlan 😀 is a ferry that sails to Albania twice a day."


def look(tiny_model: TinyModel, example: Example) -> SourceLooks:
    return EmbeddedDetector(str(tiny_model())).look(example)


def example(
    response: str = RESPONSE, units: tuple[Unit, ...] = (), source: str = SOURCE
) -> Example:
    return Example("1", Source(source), Response(response), units=units)


def test_every_word_of_the_sentences_has_its_place(tiny_model: TinyModel) -> None:
    looks = look(tiny_model, example())
    found = [RESPONSE[word.start : word.end].strip() for word in looks.words]
    assert found == RESPONSE.split()
    assert looks.model == EmbeddedDetector(str(tiny_model())).author.version


def test_passages_are_numbered_as_those_of_the_source(tiny_model: TinyModel) -> None:
    for word in look(tiny_model, example()).words:
        assert set(word.passages) <= set(range(len(split_passages(Source(SOURCE)))))
        assert list(word.weights) == sorted(word.weights, reverse=True)
        assert min(word.weights) > 0


def test_words_add_up_to_the_attention_that_the_evidence_is_chosen_by(
    tiny_model: TinyModel,
) -> None:
    folder = tiny_model()
    model, text = load_model(folder), "The harbour opened in 1986."
    reader = SourceReader(Source(SOURCE), model.tokenizer)
    row = next(reader.read("", [text]))
    _, parts = reader.passages_in(row)
    (layer, head, weight) = model.card["evidence"]["heads"][0]
    pointer = Pointer(((layer, head, weight),))
    sentence = pointer.weigh(model.network.forward(row.row, [layer]).attention, parts)[0]
    mark = row.row.marks
    last = replace(row.row, pieces=np.array([mark[0] - 1, mark[0]]))
    of_mark = pointer.weigh(model.network.forward(last, [layer]).attention, parts)[1]
    words = np.zeros(len(parts))
    for word in EmbeddedDetector(str(folder)).look(example(text)).words:
        words[list(word.passages)] += word.weights
    tokens = len(model.tokenizer.encode(text))
    # The sentence's attention is the mean over its tokens and the mark.
    assert np.allclose((words + of_mark) / (tokens + 1), sentence, atol=1e-4)


def test_sentence_that_is_read_in_parts_keeps_all_its_words(tiny_model: TinyModel) -> None:
    text = "The harbour " + " ".join(f"and pier {n}" for n in range(60)) + " opened in 1986."
    assert len(text) > 2 * SENTENCE_TOKENS  # the tiny model has hardly more than letters
    looks = look(tiny_model, example(text))
    covered = "".join(text[word.start : word.end] for word in looks.words)
    assert covered == text


def test_unit_in_other_words_than_its_place_is_one_word(tiny_model: TinyModel) -> None:
    place = Span.cut(RESPONSE, 0, 11, "response")
    unit = Unit("s1", "sentence", "It opened in 1986 in Otranto.", (place,))
    assert [(w.start, w.end) for w in look(tiny_model, example(units=(unit,))).words] == [(0, 11)]


def test_sentences_are_found_where_the_example_names_other_units(tiny_model: TinyModel) -> None:
    span = Unit.at("span", Span.cut(RESPONSE, 4, 11, "response"), "p1")
    assert look(tiny_model, example(units=(span,))) == look(tiny_model, example())


def test_what_states_nothing_or_is_foreign_is_absent(tiny_model: TinyModel) -> None:
    german = "Der Hafen wurde im Jahr 1986 von der Stadt nicht mit einem Fest eröffnet."
    assert look(tiny_model, example("I hope this helps!")).words == ()
    assert look(tiny_model, example(german)).words == ()


@pytest.mark.parametrize("source", ["", " \n", "One."])
def test_source_without_passages_gives_nothing_to_look_at(
    tiny_model: TinyModel, source: str
) -> None:
    looks = look(tiny_model, example(source=source))
    count = len(split_passages(Source(source)))
    assert all(set(word.passages) <= set(range(count)) for word in looks.words)


def test_no_word_keeps_more_than_a_few_passages(tiny_model: TinyModel) -> None:
    source = " ".join(f"Ship {n} left." for n in range(3 * MOST_PASSAGES))
    looks = look(tiny_model, example(source=source))
    assert {len(word.passages) for word in looks.words} == {MOST_PASSAGES}


def test_share_of_a_place_is_that_of_its_words() -> None:
    looks = SourceLooks("", (WordLook(0, 3, (0, 2), (0.3, 0.1)), WordLook(4, 9, (1,), (0.4,))))
    assert looks.at([Span("response", 0, 2, "ab")], 3).tolist() == pytest.approx([0.75, 0, 0.25])
    # (0.3, 0.4, 0.1) of 0.8
    assert looks.at([Span("response", 2, 5, "c d")], 3).tolist() == pytest.approx(
        [0.375, 0.5, 0.125]
    )
    assert looks.at([Span("response", 3, 4, " ")], 3).tolist() == [0, 0, 0]


def test_pointer_adds_the_heads_by_their_weights() -> None:
    pointer = Pointer(((0, 1, 2.0), (3, 0, 1.0)))
    attention = {
        0: np.array([[[9, 9, 9]], [[1, 2, 3]]], dtype=np.float32),
        3: np.array([[[1, 0, 0]]], dtype=np.float32),
    }
    assert pointer.layers == {0, 3}
    # 2 * (1 + 2) + 1, and 2 * 3
    weights = pointer.weigh(attention, [slice(0, 2), slice(2, 3)])
    assert weights.tolist() == [[7, 6]]
    assert strongest(weights[0], 3, 0.9) == [0]
    assert strongest(weights[0], 3, 0.8) == [0, 1]
