"""Corpora by name: find their files, read their examples, count their repairs."""

import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.datasets.cards import Card
from assay.datasets.repairs import Repairs

# Name -> the module below `assay.datasets.corpora` and the card in it.
CORPORA: dict[str, str] = {
    "aggrefact": "aggrefact:CARD",
    "attributionbench": "attributionbench:CARD",
    "bump": "bump:CARD",
    "defacto": "defacto:CARD",
    "diasumfact": "diasumfact:CARD",
    "faceval": "faceval:CARD",
    "faithbench": "faithbench:RELEASE",
    "faithbench-csv": "faithbench:CSV",
    "faithbench-paper": "faithbench:PAPER",
    "faithbench-sentences": "faithbench_sentences:CARD",
    "faithjudge-judged": "faithjudge:JUDGED",
    "faithjudge-peers": "faithjudge:PEERS",
    "farebio": "farebio:CARD",
    "fib": "fib:CARD",
    "grayfacts": "grayfacts:CARD",
    "leaderboard": "leaderboard:CARD",
    "lfqa": "lfqa:CARD",
    "llm-aggrefact": "llm_aggrefact:CARD",
    "longsciverify": "longsciverify:CARD",
    "qags": "qags:CARD",
    "ragtruth": "ragtruth:CARD",
    "storysumm": "storysumm:CARD",
    "summac": "summac:CARD",
    "summedits": "summedits:CARD",
    "tofueval": "tofueval:CARD",
    "verigray": "verigray:CARD",
    "wice": "wice:CARD",
    "wice-tokens": "wice:TOKENS",
    "xsumfaith": "xsumfaith:CARD",
}

Loader = Callable[[Path, Repairs], Iterator[Example]]


class Corpus:
    """The examples of a corpus, read anew at each iteration; `repairs` counts the last one."""

    def __init__(self, card: Card, folder: Path) -> None:
        self.card = card
        self.folder = folder
        self.repairs = Repairs()

    def __iter__(self) -> Iterator[Example]:
        module, _, name = self.card.loader.partition(":")
        load: Loader = getattr(import_module(module), name)
        self.repairs = Repairs()
        return load(self.folder, self.repairs)


def find_card(name: str) -> Card:
    """The card of that name."""
    if name not in CORPORA:
        raise UnknownNameError("corpus", name, CORPORA)
    module, _, attribute = CORPORA[name].partition(":")
    card: Card = getattr(import_module(f"assay.datasets.corpora.{module}"), attribute)
    return card


def load_corpus(name: str, root: str | Path | None = None) -> Corpus:
    """The corpus of that name below a folder of corpora, by default the one at ASSAY_DATA."""
    card = find_card(name)
    folder = data_root(root) / card.folder
    missing = [file.path for file in card.files if not (folder / file.path).exists()]
    if missing or not folder.exists():
        what = f"{missing[0]} is missing" if missing else "there is no such folder"
        raise InputError(
            f"{name} is not at {folder}: {what}; give its place with --data DIR "
            f"or ASSAY_DATA, or fetch it with: assay data download {name}"
        )
    return Corpus(card, folder)


def data_root(root: str | Path | None = None) -> Path:
    """The folder that holds the corpora: as given, at ASSAY_DATA, or the user's cache."""
    if root:
        return Path(root)
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "assay" / "data"
    return Path(os.environ.get("ASSAY_DATA", cache))
