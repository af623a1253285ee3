"""Places of detectors in a ranking: among all, or among those that ask the same model."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

NO_MODEL = "no model named"


@dataclass(frozen=True, slots=True)
class ModelRank:
    """The place of a detector among those that ask the same model.

    `is_best` marks the best of them and those that are not significantly worse. The model is the
    one that the manifest names; it is empty for a detector that asks none, and for one recorded
    with the data, of which only the name is known.
    """

    model: str
    detector: str
    rank: int | None
    is_best: bool


def places(
    values: Sequence[float | None], groups: Sequence[Hashable] = ()
) -> tuple[int | None, ...]:
    """The place of each value in its group, the highest first; equal ones share a place.

    >>> places([0.7, 0.9, None, 0.7])
    (2, 1, None, 2)
    >>> places([0.7, 0.9, 0.8], ["m", "n", "m"])
    (2, 1, 1)
    """
    own = groups or [""] * len(values)
    known = [(group, value) for group, value in zip(own, values, strict=True) if value is not None]
    return tuple(
        None if value is None else 1 + sum(g == group and other > value for g, other in known)
        for group, value in zip(own, values, strict=True)
    )
