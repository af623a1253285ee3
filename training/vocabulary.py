"""The part of the base model's vocabulary that is kept.

A token is kept if it is among the base model's commonest, or is met often enough in the training
text; with it every token that its merges need. All bytes are kept, so any text can be read.
"""

from base64 import b64encode
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import tiktoken

from assay.detectors.embedded.tokens import PIECES
from training.base import SPECIALS

COMMONEST = 14_000  # of the base model's merges, which are ordered by how often they were met
SEEN = 20  # how often another token must be met


def choose_words(
    words: Sequence[bytes], texts: Iterable[str], commonest: int, seen: int
) -> list[bytes]:
    """The kept tokens in the order of the merges."""
    ranks = {word: number for number, word in enumerate(complete(words))}
    full = tiktoken.Encoding("full", pat_str=PIECES, mergeable_ranks=ranks, special_tokens={})
    counts = [0] * len(ranks)
    for text in texts:
        for token in full.encode_ordinary(text):
            counts[token] += 1
    wanted = {
        word
        for word, number in ranks.items()
        if len(word) == 1 or number < commonest or counts[number] >= seen
    }
    for word in sorted(wanted, key=len, reverse=True):
        _add_parts(word, ranks, wanted)
    return sorted(wanted, key=ranks.__getitem__)


def complete(words: Sequence[bytes]) -> list[bytes]:
    """The words, and every byte that is missing among them."""
    known = set(words)
    every_byte = (bytes([number]) for number in range(256))
    return [*words, *(byte for byte in every_byte if byte not in known)]


def _add_parts(word: bytes, ranks: dict[bytes, int], wanted: set[bytes]) -> None:
    """Adds the tokens that are merged last into a word, and those that these need."""
    if len(word) == 1:
        return
    parts = [bytes([byte]) for byte in word]
    while len(parts) > 2:
        joins = [ranks.get(a + b, len(ranks)) for a, b in pairwise(parts)]
        joins = [rank if rank < ranks[word] else len(ranks) for rank in joins]
        best = min(range(len(joins)), key=joins.__getitem__)
        if joins[best] == len(ranks):
            break
        parts[best : best + 2] = [parts[best] + parts[best + 1]]
    for part in parts:
        if part not in wanted:
            wanted.add(part)
            _add_parts(part, ranks, wanted)


def write_words(words: Sequence[bytes], path: Path) -> None:
    """One base64 token a line."""
    path.write_bytes(b"\n".join(map(b64encode, words)) + b"\n")


def rows_of(words: Sequence[bytes], all_words: Sequence[bytes]) -> list[int]:
    """Each kept word's row in the base model's embedding; its last special's where it has none."""
    numbers = {word: SPECIALS + number for number, word in enumerate(all_words)}
    return [numbers.get(word, SPECIALS - 1) for word in words]
