"""Corpora that the tests of indexing write and look into."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.knowledge import LocalCorpus


@contextmanager
def opened(path: Path) -> Iterator[LocalCorpus]:
    """A corpus while it is looked into."""
    corpus = LocalCorpus(path)
    yield corpus
    corpus.close()


def texts(path: Path, query: str, most: int = 5) -> list[str]:
    """What a query finds."""
    with opened(path) as corpus:
        return [each.text for each in corpus.find(query, most)]


def passages(path: Path) -> list[str]:
    """All that a corpus holds."""
    with opened(path) as corpus:
        return [each.text for each in corpus.passages()]


def write_rows(path: Path, count: int, word: str = "row") -> Path:
    """A file of JSON lines."""
    lines = (json.dumps({"text": f"{word} number {n} of many"}) for n in range(count))
    path.write_text("\n".join(lines), "utf-8")
    return path
