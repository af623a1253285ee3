"""Nothing is on both sides: sources for training and sources that are measured on."""

from collections.abc import Callable
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from random import Random

import pytest

from assay import Annotated, Example
from assay.datasets.overlaps import h80
from training import corpora, made
from training.folds import FOLDS, fold_of
from training.items import Item
from training.measured import suite
from training.prepare import training_items
from training.splits import Kept, is_development

pytestmark = pytest.mark.soak

TEXT = "The ferry has crossed the strait of Otranto since 1986, and nobody minds. "
MakeExample = Callable[..., Example]


@pytest.fixture
def from_source(make_example: MakeExample) -> Callable[..., Example]:
    """An example of a corpus, by the id of its source."""

    def make(source: str, response: str = "It sat.", task: str = "qa", split: str = "") -> Example:
        example = make_example("The cat sat.", response)
        source_ = replace(example.source, id=source)
        return replace(example, source=source_, task=task, split=split)

    return make


def test_about_a_quarter_of_the_sources_is_for_development(
    from_source: Callable[..., Example],
) -> None:
    found = [is_development(from_source(f"source {number}")) for number in range(2_000)]
    assert 0.22 < sum(found) / len(found) < 0.28


def test_all_responses_to_one_source_are_on_the_same_side(
    from_source: Callable[..., Example],
) -> None:
    for number in range(50):
        sides = {
            is_development(from_source(f"source {number}", response, task, split))
            for response in ("It sat.", "It stood.")
            for task in ("summary", "qa", "data2txt")
            for split in ("train", "test")
        }
        assert len(sides) == 1


def test_two_domains_and_the_validation_part_are_for_development(
    from_source: Callable[..., Example],
) -> None:
    assert is_development(from_source("1", task="podcast"))
    assert is_development(from_source("1", task="sales_email"))
    assert is_development(from_source("1", task="", split="val"))
    assert not is_development(from_source("1", task="samsum"))
    assert not is_development(from_source("1", task="", split="train"))


def test_source_that_begins_like_a_kept_one_is_noticed() -> None:
    kept = Kept()
    kept.keep([TEXT * 4])
    assert kept.has(TEXT * 4)
    assert kept.has(TEXT.replace(",", " ,").upper() * 3 + "Another end.")
    assert not kept.has("Another beginning: " + TEXT * 4)


def test_source_too_short_for_a_hash_is_kept_from_nothing() -> None:
    kept = Kept()
    kept.keep(["Too short."])
    assert not kept.has("Too short.")


def test_no_source_of_the_suite_is_among_items_that_are_made_here() -> None:
    kept = Kept()
    kept.keep(example.source.text for example in suite())
    own = [*made.written({}, Random(1)), *made.records(300, seed=1)]
    assert len(own) > 1_000
    assert not any(kept.has(item.source) for item in own)


@pytest.fixture(scope="module")
def licensed(shared_data: Path) -> list[Item]:
    """The items of the corpora with documents, after those that overlap have been dropped."""
    items = training_items(shared_data, Random(1))
    return list(takewhile(lambda item: not item.group.startswith("written"), items))


@pytest.mark.shared_data
def test_no_licensed_item_shares_its_beginning_with_a_measured_corpus(
    licensed: list[Item], shared_data: Path
) -> None:
    trained = {h80(item.source) for item in licensed} - {None}
    assert len(trained) > 3_000
    for name in ("faithbench", "qags", "summac", "storysumm"):
        measured = {h80(e.example.source.text) for e in corpora.corpus(name, shared_data)}
        assert not trained & measured, name


@pytest.mark.shared_data
def test_no_development_source_is_trained_on(licensed: list[Item], shared_data: Path) -> None:
    trained = {item.source for item in licensed}
    for name in ("ragtruth", "summedits", "defacto"):
        examples = [each.example for each in corpora.corpus(name, shared_data)]
        development = {e.source.text for e in examples if is_development(e)}
        assert development
        assert not trained & development, name


@pytest.mark.shared_data
def test_sources_of_both_parts_of_ragtruth_are_in_four_folds(shared_data: Path) -> None:
    def sizes(annotated: list[Annotated]) -> list[int]:
        sources = {each.example.source.id for each in annotated}
        return [sum(fold_of(name) == fold for name in sources) for fold in range(FOLDS)]

    first = corpora.corpus("ragtruth", shared_data)
    every = corpora.labelled_ragtruth(shared_data)
    assert len(every) == 1_577 + 525
    assert sizes(first) == [75, 58, 60, 72]
    assert sizes(every) == [91, 82, 84, 96]
