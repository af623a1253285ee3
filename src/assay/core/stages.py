"""The work of each part of a combined detector: what came to it, and what that took."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StageUse:
    """A part of a combined detector and its work so far.

    `seconds` are those of a part that computes here, by the clock; `calls` are those that a part
    put to a model, without replies that were there already.
    """

    name: str
    examples: int = 0
    units: int = 0
    seconds: float = 0.0
    calls: int = 0

    def __add__(self, other: "StageUse") -> "StageUse":
        return StageUse(
            self.name,
            self.examples + other.examples,
            self.units + other.units,
            round(self.seconds + other.seconds, 3),
            self.calls + other.calls,
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain JSON values."""
        return asdict(self)


StageUses = tuple[StageUse, ...]


def add_stages(first: StageUses, second: StageUses) -> StageUses:
    """The sums of the same parts; where one side knows no parts, the other side."""
    if not first or not second:
        return first or second
    return tuple(one + two for one, two in zip(first, second, strict=True))


def read_stages(records: Iterable[Mapping[str, Any]]) -> StageUses:
    """The parts that `to_dict` wrote."""
    return tuple(StageUse(**record) for record in records)
