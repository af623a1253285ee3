"""The suite of pairs is sound, and the shipped model and the rules tell some of them apart."""

from collections import Counter

import pytest

from assay.core.taxonomies import ERROR5
from assay.detectors.discourse.offline import OfflineDiscourse
from assay.text.discourse.relations import KINDS
from tests.detectors.discourse.pairs import Pair, read_pairs
from tests.detectors.discourse.scripts import of_kind, verdict
from tests.judging import judge_one

PAIRS = list(read_pairs())
# Some that are noticed for sure and by their kind; `benchmarks/discourse.py` measures all. Of
# semantic reframing there is none with assay-embedded-2.
NOTICED = ("D01.2", "D02.3", "D08.2", "D10.1", "D17.3", "T01.2", "T06.1", "T13.1", "T15.2", "T20.2")


def test_pairs_cover_every_relation_and_every_error() -> None:
    assert len(PAIRS) == 120
    assert len({pair.id for pair in PAIRS}) == 120
    relations = Counter(pair.relation for pair in PAIRS if pair.relation)
    assert set(relations) == set(KINDS)
    assert {pair.error for pair in PAIRS} == {label.name for label in ERROR5 if not label.parent}
    assert all(pair.faithful != pair.unfaithful for pair in PAIRS)


def test_halves_share_no_source() -> None:
    known, unseen = ({pair.source for pair in read_pairs(part)} for part in "DT")
    assert known.isdisjoint(unseen)
    assert len(list(read_pairs("D"))) == len(list(read_pairs("T"))) == 60


@pytest.fixture(scope="module")
def shipped() -> OfflineDiscourse:
    return OfflineDiscourse()


@pytest.mark.parametrize("pair", [p for p in PAIRS if p.id in NOTICED], ids=lambda pair: pair.id)
def test_shipped_model_and_rules_tell_the_pair_apart(shipped: OfflineDiscourse, pair: Pair) -> None:
    right, wrong = (
        verdict(of_kind(judge_one(shipped, pair.example(response)), "sentence")[-1])
        for response in (pair.faithful, pair.unfaithful)
    )
    assert right.error is None
    assert (str(wrong.error), wrong.coarse) == (pair.error, "unfaithful")
