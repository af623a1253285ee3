"""Which words are wrong: by difference, by slots, and in the tokens of rows."""

import random

import numpy as np

from assay.detectors.embedded.reading import SENTENCE_TOKENS
from assay.detectors.embedded.tokens import Tokenizer
from training.edits import broken
from training.items import CONTRADICTED, ENTAILED, FINE, NEUTRAL, UNSAID, WRONG, Sentence
from training.schemas import Filled, parse
from training.wording import changed_words, row_starts, row_words, word_targets

TOKENIZER = Tokenizer([bytes([letter]) for letter in range(256)])  # a token for each letter


def test_tokens_of_a_marked_word_are_wrong_and_the_others_fine() -> None:
    found = word_targets(Sentence("At ten.", CONTRADICTED, ((3, 6),)), TOKENIZER)
    assert found.tolist() == [FINE] * 3 + [WRONG] * 3 + [FINE]


def test_words_of_an_entailed_sentence_are_fine_and_of_another_unsaid() -> None:
    assert set(word_targets(Sentence("So.", ENTAILED), TOKENIZER)) == {FINE}
    assert set(word_targets(Sentence("So.", NEUTRAL), TOKENIZER)) == {UNSAID}


def test_long_sentence_has_a_mark_behind_each_piece() -> None:
    text = "a" * (SENTENCE_TOKENS + 3)
    (words,) = row_words([Sentence(text, ENTAILED)], TOKENIZER)
    (starts,) = row_starts([text], TOKENIZER)
    assert [len(piece) for piece in words] == [SENTENCE_TOKENS + 1, 4]
    assert [piece[-1] for piece in words] == [UNSAID, UNSAID]
    assert [piece[-1] for piece in starts] == [len(text)] * 2
    assert np.concatenate([piece[:-1] for piece in starts]).tolist() == list(range(len(text)))


def test_changed_and_added_words_are_found() -> None:
    text = "Anna paid Ben 12 pounds."
    assert changed_words(text, "Anna paid Ben 21 pounds.") == ((14, 16),)
    assert changed_words(text, "Anna paid Ben 12 new pounds a day.") == ((17, 20), (28, 33))


def test_edit_says_what_it_changed() -> None:
    made = broken("The bridge was closed for 14 days.", [], random.Random(3))
    assert made is not None
    assert made.wrong


def test_value_that_is_not_the_source_s_is_wrong() -> None:
    schema = parse("x-y\nslots: a=person\n{a} rang.\n+ The caller was {a}, it seems.")
    false = Filled(schema, random.Random(1)).false(schema.claims[0])
    assert false is not None
    assert false.wrong is not None
    ((start, end),) = false.wrong
    assert false.text[:start] == "The caller was "
    assert false.text[end:] == ", it seems."
