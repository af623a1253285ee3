"""Ids that appear twice are found, in the order of their rows."""

import pytest

from assay.core.system import spills
from assay.datasets.repeats import Repeat, SeenIds
from assay.datasets.selection import DataChoice
from tests.datasets.conftest import Write


@pytest.mark.parametrize("held", [0, 2**20])
def test_repeated_ids_are_found_with_the_rows(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spills.Buckets.__init__, "__defaults__", (held,))
    seen = SeenIds()
    for number, id in enumerate(["a", "é\ud83d", "b", "b", "é\ud83d", "b"]):
        seen.add(number, id)
    assert seen.repeats() == [Repeat("b", 2, 3), Repeat("é\ud83d", 1, 4), Repeat("b", 2, 5)]
    seen.close()


def test_repeated_ids_are_told_after_the_last_row(write: Write) -> None:
    rows = [f'{{"id": "{id}", "source": "a", "response": "b"}}' for id in "xyx"]
    examples = DataChoice(write("x.jsonl", "\n".join(rows))).examples()
    assert [next(examples).id for _ in range(3)] == ["x", "y", "x"]
    with pytest.raises(Exception, match="the id 'x' appears twice"):
        next(examples)
