"""A board in which every value differs from every other."""

from collections import Counter
from typing import Any

import pytest

from assay.board.results import (
    Bias,
    BiasCell,
    Board,
    Distribution,
    ErrorDistribution,
    Judge,
    Lengths,
    RankCorrelation,
    Ranking,
    Standing,
)
from assay.core.pooling import GoldBasis, Voices
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.corpora.length_rates import LengthRates
from assay.evaluation.levels import Level
from assay.metrics import CorrectedRate, Estimate


def standing(model: str, start: int, **more: Any) -> Standing:
    """An LLM of which every number is its own; they need not agree with each other."""
    return Standing(
        model,
        start % 11 + 1,
        (start % 7, start % 9 + 20),
        Estimate(start / 1000, start + 1, (start - 50) / 1000, (start + 90) / 1000),
        hallucinated=start + 2,
        judged=start + 3,
        responses=start + 4,
        refused=start + 5,
        invalid=start + 6,
        failed=start + 7,
        missing=start + 8,
        words=start + 9.4,
        **more,
    )


def ranking(judge: str, task: str, *standings: Standing) -> Ranking:
    start = standings[0].hallucinated
    p_values = ((None, 0.5), (0.5, None))
    differs = ((False, True), (True, False))
    return Ranking(judge, "strict", task, start + 30, standings, p_values, differs, differs, (5, 6))


@pytest.fixture
def board(small_report: EvaluationReport) -> Board:
    """People and two detectors on two LLMs in two tasks."""
    corrected = CorrectedRate(Estimate(0.321, 77, 0.222, 0.444), 88, 0.555)
    found = {
        ("gold", ""): [standing("one", 110, is_starred=True), standing("two", 140)],
        ("d", ""): [standing("two", 210, corrected=corrected), standing("one", 240)],
        ("e", ""): [standing("one", 310), standing("two", 340)],
        ("gold", "qa"): [standing("one", 410), standing("two", 440)],
        ("gold", "tale"): [standing("one", 510), standing("two", 540)],
    }
    lengths = LengthRates("source", (31, 62), (Estimate(0.17, 71), Estimate(0.19, 72)), {}, {})
    return Board(
        title="Two LLMs",
        dataset="toy",
        digest="abc",
        models=("one", "two"),
        tasks=("qa", "tale"),
        judges=(
            Judge("gold", "gold", "person", ("gray7",)),
            Judge("d", "run:d", "detector", ("binary",), "m/two", ("two",), "model"),
            Judge("e", "e@toy", "detector", ("binary",), is_scored=True),
        ),
        levels=(Level("strict", "unfaithful", {"gray7": "from-ambiguous"}),),
        rankings=tuple(ranking(*key, *given) for key, given in found.items()),
        distributions=(
            Distribution(
                "gold", "two", {"fabricated": 3, "ambiguous": 5, "no-fact": 8}, {"parse": 4}
            ),
        ),
        lengths=(Lengths("e", "strict", (lengths,)),),
        correlations=(
            RankCorrelation(
                "gold", "e", "strict", Estimate(0.61, 9, 0.5, 0.7), Estimate(0.81, 9, 0.75, 0.9)
            ),
        ),
        bias=(
            Bias(
                "strict",
                87,
                (
                    BiasCell("gold", "one", 21, 41, 1, is_own=False),
                    BiasCell("gold", "two", 22, 42, 2, is_own=False),
                    BiasCell("d", "one", 23, 43, 3, is_own=False),
                    BiasCell("d", "two", 24, 44, 4, is_own=True),
                ),
            ),
        ),
        detectors=small_report,
        errors=(
            ErrorDistribution("d", "response", {"fabricated": 21}, {"fabricated": 23, "benign": 7}),
            ErrorDistribution("e", "sentence", {"benign": 2, "fabricated": 6}, {"fabricated": 9}),
        ),
        warnings=("look out",),
        gold=GoldBasis("majority", Counter({Voices(3): 12})),
        replicates=321,
        seed=45,
        version="9.8",
    )
