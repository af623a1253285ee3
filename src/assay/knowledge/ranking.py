"""Cuts texts into passages, and ranks a few passages by BM25.

Passages have about a hundred words and end with a paragraph or sentence. They are in order, do not
overlap, and leave out nothing but the white space between them. Words are split and stemmed exactly
as the index of a local corpus does it.
"""

import math
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from assay.knowledge.database import marks, require_fts5
from assay.knowledge.sources import KnowledgePassage, encodable

WORDS = 100
_WORD = re.compile(r"\S{1,500}")  # longer runs, as in scripts without spaces, are cut inside
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]*$")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")

TOKENIZER = "porter unicode61 remove_diacritics 2"  # as SQLite's FTS5 names it
MOST_TERMS = 64  # distinct words of a query that are looked up: the first ones
_SATURATION = 1.2  # BM25's k1: how soon repetitions of a word stop counting
_LENGTH = 0.75  # BM25's b: how much long passages are penalised
_UNSTEMMED = TOKENIZER.removeprefix("porter ")


@dataclass(frozen=True, slots=True)
class PassageRange:
    """A passage as a range of its text, with its number of words."""

    start: int
    end: int
    words: int


def cut_passages(text: str, words: int = WORDS) -> Iterator[PassageRange]:
    """The passages of a text; none has more than one and a half times as many words as wanted.

    >>> text = "One two three. Four five six.  Seven eight nine ten."
    >>> [text[each.start : each.end] for each in cut_passages(text, 6)]
    ['One two three. Four five six.', 'Seven eight nine ten.']
    """
    if len(text) <= 20 * words and len(found := text.split()) <= words:  # most texts are short
        if found:
            yield PassageRange(len(text) - len(text.lstrip()), len(text.rstrip()), len(found))
        return
    start = 0
    while window := list(islice(_WORD.finditer(text, start), words + words // 2 + 1)):
        count = _count(text, window, words)
        start = window[count - 1].end()
        yield PassageRange(window[0].start(), start, count)


def _count(text: str, window: Sequence[re.Match[str]], words: int) -> int:
    """The number of words of the window in the next passage."""
    if len(window) <= words:
        return len(window)
    gaps = [text[a.end() : b.start()] for a, b in pairwise(window)]
    paragraphs = [n for n, gap in enumerate(gaps, 1) if "\n" in gap and _BLANK_LINE.search(gap)]
    sentences = [
        n for n, (word, gap) in enumerate(zip(window, gaps, strict=False), 1)
        if gap and _SENTENCE_END.search(word[0])
    ]  # fmt: skip
    least = max(words // 2, 1)
    for ends in (paragraphs, sentences):
        if fitting := [n for n in ends if least <= n <= words]:
            return fitting[-1]
    return min((n for n in (*paragraphs, *sentences) if n > words), default=words)


class TermTokenizer:
    """Splits text into words as FTS5 does, by letting FTS5 do it in memory.

    Not safe for use by two threads at once.
    """

    def __init__(self) -> None:
        require_fts5()
        self._opened: sqlite3.Connection | None = None

    def terms(self, query: str) -> dict[str, str]:
        """The distinct terms of a query as the index spells them, each with a word it comes from.

        >>> words = TermTokenizer()
        >>> words.terms('Runners "ran" near naïve* runner; NOT')
        {'runner': 'runners', 'ran': 'ran', 'near': 'near', 'naiv': 'naive', 'not': 'not'}
        """
        self._fill("plain", [encodable(query)])
        ordered = "SELECT term FROM plain_found ORDER BY offset"
        words = list(dict.fromkeys(term for (term,) in self._memory.execute(ordered)))
        self._fill("stemmed", words)
        found: dict[str, str] = {}
        for number, term in self._memory.execute(
            "SELECT doc, term FROM stemmed_found ORDER BY doc"
        ):
            found.setdefault(term, words[number])
        return dict(list(found.items())[:MOST_TERMS])

    def counts(self, texts: Sequence[str], terms: Sequence[str]) -> list[dict[str, int]]:
        """Counts of each term in each text."""
        self._fill("stemmed", texts)
        query = f"SELECT doc, term FROM stemmed_found WHERE term IN ({marks(terms)})"
        found: list[dict[str, int]] = [{} for _ in texts]
        for number, term in self._memory.execute(query, tuple(terms)):
            counts = found[number]
            counts[term] = counts.get(term, 0) + 1
        return found

    def close(self) -> None:
        """Frees its memory; the next use allocates it again."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def _memory(self) -> sqlite3.Connection:
        if self._opened is None:
            self._opened = sqlite3.connect(
                ":memory:", isolation_level=None, check_same_thread=False
            )
            for name, tokenizer in (("plain", _UNSTEMMED), ("stemmed", TOKENIZER)):
                self._opened.execute(
                    f"CREATE VIRTUAL TABLE {name} USING"
                    f" fts5 (text, content='', tokenize='{tokenizer}')"
                )
                self._opened.execute(
                    f"CREATE VIRTUAL TABLE {name}_found USING fts5vocab ({name}, 'instance')"
                )
        return self._opened

    def _fill(self, table: str, texts: Sequence[str]) -> None:
        execute = self._memory.execute
        execute("BEGIN")
        execute(f"INSERT INTO {table} ({table}) VALUES ('delete-all')")
        insert = f"INSERT INTO {table} (rowid, text) VALUES (?, ?)"
        self._memory.executemany(insert, enumerate(texts))
        execute("COMMIT")


def indexed_text(title: str, text: str) -> str:
    """The indexed text of a passage: its title says what 'it' and 'there' refer to."""
    return f"{title}\n{text}" if title else text


def weight(passages: int, total: int) -> float:
    """The weight of a term that occurs in this many of all passages (BM25's idf); at least 0.

    >>> round(weight(1, 1000), 2), round(weight(999, 1000), 4)
    (6.5, 0.0015)
    """
    return math.log1p((total - passages + 0.5) / (passages + 0.5))


def bm25(
    counts: Mapping[str, int], weights: Mapping[str, float], words: int, average: float
) -> float:
    """The BM25 score of a passage of this many words, from the counts of the query's terms."""
    penalty = _SATURATION * (1 - _LENGTH + _LENGTH * words / max(average, 1.0))
    return sum(
        weights[term] * count * (_SATURATION + 1) / (count + penalty)
        for term, count in counts.items()
    )


def rank(
    query: str, passages: Sequence[KnowledgePassage], most: int, words: TermTokenizer
) -> tuple[KnowledgePassage, ...]:
    """The best of the passages, best first; those without a word of the query are left out."""
    terms = list(words.terms(query))
    texts = [indexed_text(encodable(each.title), encodable(each.text)) for each in passages]
    counts = words.counts(texts, terms)
    holding: dict[str, int] = defaultdict(int)
    for found in counts:
        for term in found:
            holding[term] += 1
    weights = {term: weight(holding[term], len(passages)) for term in terms}
    lengths = [len(text.split()) for text in texts]
    average = sum(lengths) / max(len(lengths), 1)
    scores = [
        bm25(found, weights, length, average) for found, length in zip(counts, lengths, strict=True)
    ]
    best = sorted(range(len(passages)), key=lambda n: -scores[n])[:most]
    return tuple(passages[n].scored(scores[n]) for n in best if counts[n])
