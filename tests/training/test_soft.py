"""Soft labels: keys, files of labels, and unlabelled responses."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the 'train' extra: pip install 'assay[train]'")

from training.arrays import save_arrays
from training.items import ENTAILED, UNJUDGED, UNKNOWN, Item, Sentence
from training.label_large import owners
from training.looks import questioned
from training.soft import SoftLabels, mark_keys, sentence_keys
from training.unlabelled import FEWEST, GROUP, MOST, mixed

ITEM = Item("ragtruth-qa", "The inn opens at nine.", (Sentence("It opens at nine.", ENTAILED),))


def test_key_changes_with_all_that_is_read_before_the_sentence() -> None:
    again = (Sentence("Yes.", ENTAILED), *ITEM.sentences)
    others = [
        replace(ITEM, source="The inn opens at ten."),
        replace(ITEM, question="When does it open?"),
        replace(ITEM, sentences=again),
    ]
    keys = [sentence_keys(item)[-1] for item in (ITEM, *others)]
    assert len(set(keys)) == len(keys)


def test_key_does_not_change_with_what_comes_after_or_with_the_target() -> None:
    longer = replace(ITEM, sentences=(*ITEM.sentences, Sentence("It closes at ten.", UNKNOWN)))
    retold = replace(ITEM, group="x", sentences=(Sentence("It opens at nine.", UNKNOWN),))
    assert sentence_keys(longer)[0] == sentence_keys(ITEM)[0] == sentence_keys(retold)[0]


def test_labels_are_found_by_key_and_averaged(tmp_path: Path) -> None:
    keys = mark_keys([ITEM, replace(ITEM, question="Why?")], [0, 1, 1], [0, 0, 0])
    assert keys[1] == keys[2] != keys[0]
    for name, chances in (("a", (0.8, 0.1, 0.1)), ("b", (0.4, 0.2, 0.4))):
        logits = np.log([chances]).astype(np.float16)
        save_arrays(tmp_path / f"{name}.npz", {"keys": keys[:1], "logits": logits})
    labels = SoftLabels([tmp_path / "a.npz", tmp_path / "b.npz"])
    found = labels.of(keys)
    assert len(labels) == 1
    assert found[0] == pytest.approx([0.6, 0.15, 0.25], abs=1e-3)
    assert np.isnan(found[1:]).all()
    softer = SoftLabels([tmp_path / "a.npz"], softness=2.0).of(keys)[0]
    assert softer[0] / softer[1] == pytest.approx(8**0.5, rel=1e-2)


def test_row_of_two_folds_is_labelled_by_the_first_that_keeps_it_apart() -> None:
    assert owners(np.array([0b0000, 0b1010, 0b0100], dtype=np.uint8)).tolist() == [-1, 1, 2]


def test_mixed_responses_take_sentences_about_their_own_source() -> None:
    said = [Sentence(f"The inn has {n} rooms with a view of the sea.", ENTAILED) for n in range(9)]
    inn = [replace(ITEM, sentences=tuple(said[:5])), replace(ITEM, sentences=tuple(said[4:]))]
    barn = [replace(item, source="The barn is empty.") for item in inn]
    made = list(mixed(inn, 3, seed=1))
    assert len(made) == 3
    assert all(item.group == GROUP and item.source == ITEM.source for item in made)
    assert all(FEWEST <= len(item.sentences) <= MOST for item in made)
    assert {s.target for item in made for s in item.sentences} == {UNJUDGED}
    assert [item for item in mixed([*barn, *inn], 3, seed=1) if item.source == ITEM.source] == made


def test_question_restates_false_sentences_as_often_as_true_ones() -> None:
    true = [Sentence(f"The inn has {n} rooms by the sea.", ENTAILED) for n in range(9)]
    false = Sentence("The inn is closed on every Sunday.", 2)
    items = [replace(ITEM, sentences=(*true, false))] * 400
    made = list(questioned(items, {"ragtruth": 1.0}, random.Random(1)))
    share = np.mean(["closed on every Sunday" in item.question for item in made])
    assert 0.4 < share < 0.6
    assert {item.group for item in made} == {"asked-ragtruth"}
    assert {item.origin for item in made} == {ITEM.source}
