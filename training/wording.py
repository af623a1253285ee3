"""Which words of a sentence the source does not bear out, for the word head to learn."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.reading import SENTENCE_TOKENS
from assay.detectors.embedded.tokens import Tokenizer
from training.items import ENTAILED, FINE, UNSAID, WRONG, Sentence

LIKE = 0.55  # the share of words that a sentence and its faithful version must have in common

Spans = tuple[tuple[int, int], ...]
Number = TypeVar("Number", np.int8, np.int16)
_WORD = re.compile(r"\w+(?:[.,:/'’-]\w+)*|[^\w\s]")


def changed_words(faithful: str, unfaithful: str) -> Spans | None:
    """The characters of the unfaithful version's own words; None where too little is common.

    Where words were left out and nothing else, their neighbours stand for them.

    >>> changed_words("It opens at nine.", "It opens at ten.")
    ((12, 15),)
    >>> changed_words("It is not open.", "It is open.")
    ((3, 10),)
    >>> changed_words("It opens at nine.", "Nobody has ever said so.") is None
    True
    """
    before, after = _WORD.findall(faithful), list(_WORD.finditer(unfaithful))
    matcher = SequenceMatcher(None, before, [word[0] for word in after], autojunk=False)
    if matcher.ratio() < LIKE:
        return None
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    places = [(first, last) for _, _, _, first, last in changes if last > first]
    if not places:
        around = ((max(first - 1, 0), min(last + 1, len(after))) for *_, first, last in changes)
        places = [(first, last) for first, last in around if last > first]
    return tuple((after[first].start(), after[last - 1].end()) for first, last in places) or None


def word_targets(sentence: Sentence, tokenizer: Tokenizer) -> NDArray[np.int8]:
    """What is known of each token of a sentence."""
    tokens = tokenizer.encode(sentence.text)
    if sentence.wrong is None:
        known = FINE if sentence.target == ENTAILED else UNSAID
        return np.full(len(tokens), known, dtype=np.int8)
    starts = tokenizer.starts(sentence.text, tokens)
    found = np.full(len(tokens), FINE, dtype=np.int8)
    for start, end in sentence.wrong:
        found[(starts[:-1] < end) & (starts[1:] > start)] = WRONG
    return found


def in_pieces(said: NDArray[Number], mark: int) -> list[NDArray[Number]]:
    """What is said of a sentence's tokens as they are read: in pieces, with a mark behind each.

    >>> [piece.tolist() for piece in in_pieces(np.array([0, 1], dtype=np.int8), 2)]
    [[0, 1, 2]]
    """
    last = np.array([mark]).astype(said.dtype)
    places = range(0, max(len(said), 1), SENTENCE_TOKENS)
    return [np.concatenate([said[start : start + SENTENCE_TOKENS], last]) for start in places]


def row_words(sentences: Sequence[Sentence], tokenizer: Tokenizer) -> list[list[NDArray[np.int8]]]:
    """The targets of the pieces of each sentence."""
    return [in_pieces(word_targets(sentence, tokenizer), UNSAID) for sentence in sentences]


def row_starts(sentences: Sequence[str], tokenizer: Tokenizer) -> list[list[NDArray[np.int16]]]:
    """Where in its sentence each token of the pieces starts; a mark where the sentence ends."""
    found = []
    for sentence in sentences:
        starts = tokenizer.starts(sentence, tokenizer.encode(sentence))[:-1]
        found.append(in_pieces(starts.astype(np.int16), len(sentence)))
    return found
