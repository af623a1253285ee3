"""The readings in which agreement is measured: which labels are one class, and which are left out.

Every taxonomy has a reading of all its classes, one in their order where they have one, a coarse
one where that differs, and faithful against unfaithful. FaithBench's has the three of its paper
as well. The kinds of a class count as the class.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from assay.core.errors import InputError
from assay.core.labels import COARSE, Label
from assay.core.readings import usual_reading
from assay.core.taxonomies import BINARY, FAITHBENCH, taxonomy

Level = Literal["nominal", "ordinal"]

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_UNFAITHFUL_FAITHFUL = "faithful / unfaithful"


@dataclass(frozen=True, slots=True)
class AgreementReading:
    """A way to read labels: the class of each, and what is left out; `level` is alpha's.

    Where `is_ordered`, the classes are steps from one end to the other.
    """

    name: str
    level: Level
    classes: tuple[str, ...]
    table: dict[str, int]
    is_ordered: bool = False


@lru_cache(maxsize=64)
def agreement_readings(menu: str, kind: str = "response") -> tuple[AgreementReading, ...]:
    """The readings of a taxonomy for units of a kind, that of all its classes first.

    >>> [each.name for each in agreement_readings("nli")]
    ['three classes', 'three classes in order', 'faithful / unfaithful']
    """
    labels = [label for label in taxonomy(menu) if not label.parent]
    if menu == BINARY.name:
        return (_of_groups(_UNFAITHFUL_FAITHFUL, *BINARY.names),)
    return tuple(_readings(menu, kind, labels))


def _readings(menu: str, kind: str, labels: list[Label]) -> Iterator[AgreementReading]:
    name = f"{_number(len(labels))} classes"
    yield _of_groups(name, *(label.name for label in labels))
    ranks = sorted({label.rank for label in labels})
    if len(ranks) > 2:
        same = (" + ".join(each.name for each in labels if each.rank == rank) for rank in ranks)
        yield _of_groups(f"{name} in order", *same, level="ordinal")
    if menu == FAITHBENCH.name:
        yield _of_groups("consistent / unwanted", "consistent", "unwanted")
        for steps in (
            ("consistent", "benign", "unwanted"),
            ("consistent + benign", "questionable", "unwanted"),
        ):
            yield replace(_of_groups(" / ".join(steps), *steps), is_ordered=True)
        return
    coarse = {label.coarse for label in labels}
    if 2 < len(coarse) < len(labels):
        table = {label.name: COARSE.index(label.coarse) for label in labels}
        yield AgreementReading("coarse", "nominal", COARSE, table)
    yield from _binary(menu, kind, labels)


def _binary(menu: str, kind: str, labels: list[Label]) -> Iterator[AgreementReading]:
    """Faithful against unfaithful, as the taxonomy is usually read, if both can be said."""
    try:
        usual = usual_reading(menu, kind)
    except InputError:
        return
    read = {label.name: found for label in labels if (found := usual.table[label.name])}
    if set(read.values()) == set(BINARY.names) and len(labels) > 2:
        table = {name: BINARY.names.index(found) for name, found in read.items()}
        yield AgreementReading(
            _UNFAITHFUL_FAITHFUL, "nominal", BINARY.names, table, is_ordered=True
        )


def _of_groups(name: str, *groups: str, level: Level = "nominal") -> AgreementReading:
    """A reading of classes: those that are joined stand together."""
    table = {label: number for number, some in enumerate(groups) for label in some.split(" + ")}
    is_ordered = level == "ordinal" or len(groups) == len(BINARY.names)
    return AgreementReading(name, level, groups, table, is_ordered)


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)
