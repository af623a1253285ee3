"""Corpora by name: ours, and those of installed packages."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.errors import InputError, UnknownNameError
from assay.core.readings import reading
from assay.core.system.plugins import find_plugins
from assay.datasets.corpus import CORPORA, Repairs, corpus_names, find_card, load_corpus
from assay.datasets.selection import DataChoice, load

MODULE = """
from assay.datasets.corpus import Card
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source

def load(folder, repairs):
    for number, line in enumerate((folder / "rows.txt").read_text().splitlines()):
        repairs.note("line", "a line is an example")
        yield Annotated(Example(str(number), Source(line), Response(line)))

CARD = Card(
    name="tiny", title="Tiny", origin="", revision="1", licence="MIT", taxonomy="binary",
    unit_kind="response", splits=(), folder="tiny", files=(), loader="tiny_corpus:load",
)
WRONG = "no card"
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that offers two corpora, one of which is none; and their folder."""
    site = tmp_path / "site"
    (site / "tiny-1.0.dist-info").mkdir(parents=True)
    (site / "tiny_corpus.py").write_text(MODULE)
    (site / "tiny-1.0.dist-info" / "METADATA").write_text("Name: tiny\nVersion: 1.0\n")
    points = "[assay.corpora]\ntiny = tiny_corpus:CARD\nwrong = tiny_corpus:WRONG\n"
    (site / "tiny-1.0.dist-info" / "entry_points.txt").write_text(points)
    (tmp_path / "data" / "tiny").mkdir(parents=True)
    (tmp_path / "data" / "tiny" / "rows.txt").write_text("One.\nTwo.\n")
    monkeypatch.syspath_prepend(site)
    find_plugins.cache_clear()
    yield tmp_path / "data"
    find_plugins.cache_clear()
    sys.modules.pop("tiny_corpus", None)


def test_corpus_of_an_installed_package_is_read_like_ours(plugin: Path) -> None:
    assert corpus_names()[len(CORPORA) :] == ("tiny", "wrong")
    loaded = load(DataChoice("tiny", str(plugin)))
    assert [each.example.source.text for each in loaded.annotated] == ["One.", "Two."]
    assert loaded.card is find_card("tiny")
    assert loaded.repairs == "line 2 x (a line is an example)"


def test_plugin_that_is_no_card_is_refused_with_its_package(plugin: Path) -> None:
    with pytest.raises(
        InputError, match="the plugin 'wrong' of tiny is not a Card, but of type str"
    ):
        find_card("wrong")


def test_unknown_corpus_suggests_a_near_name() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'faithbench'"):
        find_card("faithbnch")


def test_files_that_are_not_here_are_named_without_an_option(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"bump is not at .*: task1_dataset\.json") as caught:
        load_corpus("bump", tmp_path)
    assert (caught.value.code, caught.value.field) == ("corpus-missing", "data")
    with pytest.raises(InputError, match="there is no such folder"):
        load_corpus("verigray", tmp_path)


def test_every_card_has_the_name_it_is_found_by() -> None:
    assert [find_card(name).name for name in CORPORA] == list(CORPORA)


def test_repairs_are_counted_by_name() -> None:
    repairs = Repairs()
    repairs.note("moved", "it was elsewhere")
    repairs.note("moved", "it was elsewhere", times=1_000)
    assert str(repairs) == "moved 1,001 x (it was elsewhere)"


PROTOCOLS = {
    "aggrefact": ("response", "corpus", ""),
    "defacto": ("response", "corpus", ""),
    "faithbench": ("response", "any", "faithbench"),
    "faithbench-csv": ("response", "any", "faithbench"),
    "faithbench-paper": ("response", "any", "faithbench"),
    "faithbench-sentences": ("sentence", "any", "faithbench-strict"),
    "faithjudge-peers": ("response", "corpus", "faithbench-strict"),
    "farebio": ("sentence", "corpus", ""),
    "ragtruth": ("response", "corpus", ""),
    "storysumm": ("sentence", "corpus", ""),
    "storysumm-plot": ("sentence", "corpus", ""),
    "storysumm-w-subj": ("sentence", "corpus", ""),
    "tofueval": ("response", "corpus", ""),
    "verigray": ("sentence", "corpus", "verigray"),
    "verigray-20251007": ("sentence", "corpus", "verigray"),
}


@pytest.mark.parametrize("name", CORPORA)
def test_protocol_of_a_corpus_is_that_of_its_paper(name: str) -> None:
    protocol = find_card(name).protocol
    assert (protocol is None) == (name not in PROTOCOLS)
    if protocol:
        assert (protocol.unit, protocol.pool, protocol.reading) == PROTOCOLS[name]
        assert protocol.stated_in


@pytest.mark.parametrize("name", PROTOCOLS)
def test_reading_of_a_protocol_says_which_labels_of_the_corpus_are_faithful(name: str) -> None:
    card = find_card(name)
    if card.protocol and card.protocol.reading:
        table = reading(card.protocol.reading)
        assert (table.origin, table.target) == (card.taxonomy, "binary")


def test_the_readme_counts_the_corpora() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"(\d+) corpora", readme) == [str(len(CORPORA))]
