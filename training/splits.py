"""Which sources are for training and which are for measuring; nothing is on both sides.

RAGTruth's sources are dealt out by a hash of their id: a quarter is kept for development. Two of
the SummEdits domains and DeFacto's validation part are kept for development as well, and of what
was written last some sources and schemas (`everyday`). Whole corpora that are only measured on are
named here, and no training source may share its beginning with them.
"""

from collections.abc import Iterable
from hashlib import sha256

from assay.core.examples import Example
from assay.datasets.overlaps import h80, h200

DEVELOPMENT_DOMAINS = ("podcast", "sales_email")  # of SummEdits
MEASURED = (
    "faithbench-sentences",
    "faithbench",
    "leaderboard",
    "faithjudge-judged",
    "storysumm",
    "qags",
    "summac",
    "xsumfaith",
    "lfqa",
    "grayfacts",
    "wice",
    "longsciverify",
)


def is_development(example: Example) -> bool:
    """Whether an example of RAGTruth, SummEdits or DeFacto is kept for development."""
    if example.task in ("summary", "qa", "data2txt"):
        return sha256(f"assay {example.source.id}".encode()).digest()[0] < 64
    return example.task in DEVELOPMENT_DOMAINS or example.split == "val"


# Written files and families of schemas that the adapters of earlier runs were trained on.
EARLIER = frozenset(
    "answers answers-b answers-c brief brief-b brief-c brief-d brief-e brief-f brief-g edits genres"
    " news-a news-b news-c passages passages-b short-a short-b short-c short-d short-e short-f"
    " talks talks-b code finance law medicine meeting public report role science sense speech"
    " sports story support travel unit work".split()
)
EVERYDAY = 40  # of 256
LATEST = frozenset(("two", "fair"))  # families of schemas that no adapter has met yet


def is_everyday(family: str, name: str) -> bool:
    """Whether a written source or a schema is kept apart, to set thresholds by.

    >>> is_everyday("brief", "four"), is_everyday("whole-a", "any"), is_everyday("whole-a", "four")
    (False, False, True)
    """
    return family not in EARLIER and sha256(f"everyday {name}".encode()).digest()[0] < EVERYDAY


class Kept:
    """The beginnings of sources that must not be trained on."""

    def __init__(self) -> None:
        self._prints: set[str] = set()

    def keep(self, texts: Iterable[str]) -> None:
        """Takes in sources that are measured on."""
        for text in texts:
            self._prints |= {found for found in (h80(text), h200(text)) if found}

    def has(self, text: str) -> bool:
        """Whether a source begins like one of them."""
        return h80(text) in self._prints or h200(text) in self._prints
