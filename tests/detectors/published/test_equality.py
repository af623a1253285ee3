"""Our scores beside those that the published code gave for the same small checkpoints.

A few pairs are compared on every run, all 200 by `make soak`. The records are made by
`benchmarks/published_reference.py`, and sentences are those that Punkt found then.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assay.detectors.published.alignscore import MODES, open_alignscore
from assay.detectors.published.infuse import open_infuse
from assay.detectors.published.minicheck import open_minicheck
from assay.detectors.published.nli import open_nli
from assay.detectors.published.summac import open_summac
from tests.detectors.published import checkpoints, pair_checkpoints
from tests.detectors.published.records import CPU, NEAR, choice, differences, punkt_sentences

pytestmark = pytest.mark.shared_data

FEW = slice(5, None, 19)  # of every corpus, and some of our own
ALL = slice(None)
MNLI = ("contradiction", "neutral", "entailment")


def _minicheck(folder: Path, part: str) -> object:
    made = {
        "roberta-large": checkpoints.roberta,
        "deberta-v3-large": pair_checkpoints.deberta,
        "flan-t5-large": checkpoints.t5,
    }[part](folder)
    return open_minicheck(choice("minicheck", made), CPU)


def _nli(folder: Path, part: str) -> object:
    if part == "albert":
        return open_nli(choice("nli", pair_checkpoints.albert(folder)), CPU)
    made = checkpoints.roberta(folder, 3, **pair_checkpoints.names_of(MNLI))
    return open_nli(choice("nli", made), CPU)


def _alignscore(folder: Path, part: str) -> object:
    made = pair_checkpoints.alignscore(folder)
    return open_alignscore(choice("alignscore", made, mode=part), CPU)


def _summac(folder: Path, part: str) -> object:
    if part == "zs mnli":
        made = checkpoints.roberta(folder, 3)
        return open_summac(choice("summac", made, labels="/".join(MNLI)), CPU)
    made = pair_checkpoints.albert(folder)
    if part == "zs vitc":
        return open_summac(choice("summac", made), CPU)
    bins = 50 if part == "conv even50" else 23
    layer = pair_checkpoints.convolution(folder / "conv.bin", bins)
    return open_summac(choice("summac", made, conv=str(layer)), CPU)


def _infuse(folder: Path, part: str) -> object:
    made = pair_checkpoints.albert(folder)
    return open_infuse(choice("infuse", made, reverse="yes" if part == "reversed" else "no"), CPU)


MAKERS: dict[str, tuple[Callable[[Path, str], object], tuple[str, ...]]] = {
    "minicheck": (_minicheck, ("roberta-large", "deberta-v3-large", "flan-t5-large")),
    "nli": (_nli, ("roberta", "albert")),
    "alignscore": (_alignscore, MODES),
    "summac": (_summac, ("zs vitc", "zs mnli", "conv vitc", "conv even50")),
    "infuse": (_infuse, ("reversed", "forward")),
}
CASES = [(method, part) for method, (_, parts) in MAKERS.items() for part in parts]


def _worst(method: str, part: str, folder: Path, shared: Path, rows: slice) -> tuple[int, float]:
    made = MAKERS[method][0](folder, part)
    scorer = replace(made, sentences=punkt_sentences())  # type: ignore[type-var]
    found = differences(method, part, scorer, shared, rows)  # type: ignore[arg-type]
    return len(found), max(found)


@pytest.mark.parametrize(("method", "part"), CASES)
def test_scores_of_some_pairs_are_those_of_the_reference(
    method: str, part: str, tmp_path: Path, shared_data: Path
) -> None:
    n, worst = _worst(method, part, tmp_path / "roberta", shared_data, FEW)
    assert n >= 5
    assert worst < NEAR


@pytest.mark.soak
@pytest.mark.parametrize(("method", "part"), CASES)
def test_scores_of_all_pairs_are_those_of_the_reference(
    method: str, part: str, tmp_path: Path, shared_data: Path
) -> None:
    n, worst = _worst(method, part, tmp_path / "roberta", shared_data, ALL)
    assert n >= (130 if method == "nli" else 198)
    assert worst < NEAR
