"""The figures of other languages, and outputs that are read once."""

from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from assay.detectors.embedded.network import NetworkOutput
from assay.detectors.embedded.tokens import TokenRow
from training.evaluate_languages import Told, at_thresholds, by_kind, figures_of, table
from training.languages.reading import LANGUAGES
from training.remembered import RememberedNetwork


def told(faithful: bool, score: float, file: str = "de", sure: bool = False) -> Told:
    return Told(
        "a", file, file, file, faithful, "number", True, score, flagged=score < 0.5, sure=sure
    )


def test_noticed_and_flagged_are_counted_apart() -> None:
    wrong = [told(False, 0.1, sure=True), told(False, 0.4), told(False, 0.9), told(False, 0.3)]
    right = [told(True, 0.9), told(True, 0.2), told(True, 0.8), told(True, 0.7), told(True, 0.6)]
    found = figures_of([*wrong, *right])
    assert (found.noticed.count, found.noticed.n) == (3, 4)
    assert found.noticed_for_sure.count == 1
    assert (found.flagged.count, found.flagged.n) == (1, 5)
    assert found.passes  # 3 / 4 and 1 / 5 are just enough
    assert not figures_of([*wrong, *right[:4]]).passes


def test_tables_have_every_language() -> None:
    every = [told(faithful, 0.4, file) for file in (*LANGUAGES, "en") for faithful in (True, False)]
    assert len(table(every).splitlines()) == 2 + len(LANGUAGES) + 2
    assert "| German | 100 % [21, 100] of 1 |" in table(every)
    assert len(list(at_thresholds(every))) == 10
    assert len(list(by_kind(every))) == 2


class CountingNetwork:
    """Counts the rows that it reads."""

    def __init__(self) -> None:
        self.read = 0

    def forward_all(
        self, rows: Sequence[TokenRow], attention: Collection[int] = ()
    ) -> list[NetworkOutput]:
        self.read += len(rows)
        ones = np.ones((1, 3), dtype=np.float32)
        return [NetworkOutput(ones * len(row.tokens), {2: ones}, ones[0]) for row in rows]


def test_a_row_is_read_once(tmp_path: Path) -> None:
    rows = [
        TokenRow(np.arange(size, dtype=np.int32), slice(1, 2), np.array([size - 1]))
        for size in (5, 6)
    ]
    network = CountingNetwork()
    first = RememberedNetwork(network, tmp_path).forward_all(rows, (2,))
    again = RememberedNetwork(network, tmp_path).forward_all(rows[::-1], (2,))
    assert network.read == 2
    assert [each.logits[0, 0] for each in (*first, *again)] == [5, 6, 6, 5]
    assert again[0].words is not None
    assert list(again[0].attention) == [2]
