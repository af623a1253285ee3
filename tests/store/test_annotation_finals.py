"""Which judgements settle an item."""

from dataclasses import dataclass

import pytest

from assay.store.annotation.finals import origin_of, settling


@dataclass(frozen=True)
class Row:
    """The columns that tell what a judgement counts for."""

    author: str
    stage: str
    kind: str = "person"
    is_current: bool = True


ANN, BOB = Row("ann", "annotate"), Row("bob", "discuss")
REX, JUDY, AUDIT = Row("rex", "review"), Row("judy", "adjudicate"), Row("gold", "audit")
GOLD, EVE, OLD = (
    Row("gold", "imported"),
    Row("eve", "imported"),
    Row("ann", "annotate", "person", False),
)
NLI = Row("nli", "imported", "detector")


@pytest.mark.parametrize(
    ("said", "expected", "origin"),
    [
        ([ANN, BOB, REX, JUDY, AUDIT], [AUDIT], "audit"),
        ([ANN, BOB, REX, JUDY], [JUDY], "adjudication"),
        ([ANN, JUDY, Row("root", "adjudicate")], [Row("root", "adjudicate")], "adjudication"),
        ([ANN, BOB, REX], [REX], "review"),
        ([ANN, BOB], [ANN, BOB], "agreement"),
        ([OLD, BOB, NLI], [BOB], "agreement"),
        ([GOLD, ANN], [ANN], "agreement"),  # what people say here counts more than what came
        ([GOLD, EVE], [GOLD], "import"),
        ([EVE, NLI], [EVE], "import"),
    ],
)
def test_what_settles_an_item(said: list[Row], expected: list[Row], origin: str) -> None:
    found = settling(said)
    assert found == expected
    assert origin_of(found) == origin


@pytest.mark.parametrize("said", [[], [NLI], [EVE, Row("fay", "imported")], [OLD]])
def test_nothing_settles_what_nobody_or_several_said_elsewhere(said: list[Row]) -> None:
    assert settling(said) == []
