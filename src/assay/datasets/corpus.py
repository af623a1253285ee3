"""Corpora by name: their cards, where their files are, their examples, and what was repaired."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Literal

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.pooling import describe_pool, find_pool
from assay.core.system.plugins import find_plugins, load_plugin
from assay.core.units import UnitKind

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
    "storysumm-plot": "storysumm:PLOT",
    "storysumm-w-subj": "storysumm:SUBJECTIVE",
    "summac": "summac:CARD",
    "summedits": "summedits:CARD",
    "tofueval": "tofueval:CARD",
    "verigray": "verigray:CARD",
    "verigray-20251007": "verigray:FIRST",
    "wice": "wice:CARD",
    "wice-tokens": "wice:TOKENS",
    "xsumfaith": "xsumfaith:CARD",
}


@dataclass(frozen=True, slots=True)
class File:
    """A file of a corpus below its folder, as released; `sha256` pins its content."""

    path: str
    sha256: str = ""
    upstream: str = ""  # its path in the origin's repository, if it is there as it is
    revision: str = ""  # where it is not that of the card


def released(pins: Mapping[str, str], below: str = "") -> tuple[File, ...]:
    """Files, by path and sha256, that the origin's repository has as they are, below a folder."""
    return tuple(File(path, pin, upstream=below + path) for path, pin in pins.items())


@dataclass(frozen=True, slots=True)
class Protocol:
    """A paper's way of evaluating on a corpus: its units, whose labels count, and their reading.

    `pool` says whose labels count; see `assay.core.pooling`. Without a reading each taxonomy has
    its usual one.
    """

    unit: Literal["sentence", "response"]
    pool: str
    reading: str = ""
    stated_in: str = ""  # the paper and its section

    def __str__(self) -> str:
        whose = describe_pool(find_pool(self.pool))
        parts = (f"{self.unit} level", whose, self.reading and f"reading {self.reading}")
        return ", ".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Card:
    """The description of a corpus. `revision` pins the release; a corrected one gets a new name.

    `loader` names the function that reads it, `module:function`: it is given the corpus's folder
    and a `Repairs`, and yields `Annotated` examples. A package offers a card of its own as an entry
    point of the group `assay.corpora`.
    """

    name: str
    title: str
    origin: str
    revision: str
    licence: str
    taxonomy: str
    unit_kind: UnitKind
    _: KW_ONLY
    splits: tuple[str, ...] = ()
    folder: str
    files: tuple[File, ...] = ()
    loader: str
    paper: str = ""
    labels: str = ""  # how the release's labels become verdicts, in words
    defects: tuple[str, ...] = ()
    notes: str = ""  # what the released files look like, and how to get them
    may_train: bool = False
    has_gold: bool = True  # labels by people, which detectors can be evaluated against
    protocol: Protocol | None = None  # of the paper that evaluates detectors on it
    asks: Mapping[str, str] = field(default_factory=dict)  # recorded detector -> the LLM it asks

    def missing(self, message: str, folder: Path) -> InputError:
        """The error where files of it are not in its folder: can those be fetched that are not?"""
        absent = [file for file in self.files if not (folder / file.path).exists()]
        fetched = bool(absent) and all(file.upstream for file in absent)
        code = "corpus-missing" if fetched else "corpus-not-served"
        return InputError(message, code=code, field="data", subject=self.name)


class Repairs:
    """Counts every named repair that a loader makes; `meanings` say what each one does.

    Nothing of a release is fixed, dropped or relabelled silently.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.meanings: dict[str, str] = {}

    def note(self, name: str, meaning: str, times: int = 1) -> None:
        """Counts a repair that was just made."""
        self.counts[name] += times
        self.meanings[name] = meaning

    def __str__(self) -> str:
        return "; ".join(
            f"{name} {count:,} x ({self.meanings[name]})" for name, count in self.counts.items()
        )


Loader = Callable[[Path, Repairs], Iterator[Annotated]]


class Corpus:
    """The examples of a corpus, read anew at each iteration; `repairs` counts the last one."""

    def __init__(self, card: Card, folder: Path) -> None:
        self.card = card
        self.folder = folder
        self.repairs = Repairs()

    def __iter__(self) -> Iterator[Annotated]:
        module, _, name = self.card.loader.partition(":")
        load: Loader = getattr(import_module(module), name)
        self.repairs = Repairs()
        try:
            yield from load(self.folder, self.repairs)
        except InputError as error:
            if error.code != "corpus-missing":
                raise
            raise self.card.missing(f"{self.card.name}: {error}", self.folder) from None


def corpus_names() -> tuple[str, ...]:
    """The names of all corpora: ours, then those of installed packages."""
    plugins = find_plugins("assay.corpora")
    return (*CORPORA, *(name for name in plugins if name not in CORPORA))


def find_card(name: str) -> Card:
    """The card of that name, ours or one that an installed package brings."""
    if name in CORPORA:
        module, _, attribute = CORPORA[name].partition(":")
        card: Card = getattr(import_module(f"assay.datasets.corpora.{module}"), attribute)
        return card
    if name in find_plugins("assay.corpora"):
        return load_plugin("assay.corpora", name, Card)
    raise UnknownNameError("corpus", name, corpus_names(), field="dataset")


def recorded_llm(dataset: str, detector: str) -> str:
    """The LLM that a recorded detector asks, as the corpus's card says; empty where none does.

    >>> recorded_llm("faithjudge-judged", "faithjudge-o3-mini")
    'openai/o3-mini'
    """
    return find_card(dataset).asks.get(detector, "") if dataset in corpus_names() else ""


def load_corpus(name: str, root: str | Path | None = None) -> Corpus:
    """The corpus of that name below a folder of corpora, by default the one at ASSAY_DATA."""
    card = find_card(name)
    folder = data_root(root) / card.folder
    missing = [file.path for file in card.files if not (folder / file.path).exists()]
    if missing or not folder.exists():
        what = f"{missing[0]} is missing" if missing else "there is no such folder"
        raise card.missing(f"{name} is not at {folder}: {what}", folder)
    return Corpus(card, folder)


def data_root(root: str | Path | None = None) -> Path:
    """The folder that holds the corpora: as given, at ASSAY_DATA, or the user's cache."""
    if root:
        return Path(root)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "assay" / "data"
    return Path(os.environ.get("ASSAY_DATA") or cache)
