"""What mining found: the groups, how much each detector said, and what to be careful about."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Group:
    """The responses to one source; `entropy` is the mean of those with a score.

    `source` is its id, or that of the first example that has it. `missing` models wrote nothing.
    """

    key: bytes
    source: str
    responses: int
    scored: int
    hard: int
    entropy: float | None
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Panellist:
    """How often a detector voted, how often against, and why it did not."""

    detector: str
    votes: int
    unfaithful: int
    failures: dict[str, int]
    models: int  # about whose responses it has any vote


@dataclass(frozen=True, slots=True)
class ModelCoverage:
    """How much there is by one model, how hard it is, and how many votes each detector has."""

    model: str
    responses: int
    sources: int
    hard: int
    entropy: float | None
    votes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Mined:
    """All groups from the hardest to the easiest, and those that were chosen.

    `repeated` responses were met before, word for word, and count once; `again` are further
    responses of a model to the same source, which all count.
    """

    hard_from: float
    at_least: int
    asked: int | None
    responses: int
    unscored: int
    disagreed: int
    hard: int
    groups: tuple[Group, ...]
    chosen: tuple[Group, ...]
    detectors: tuple[Panellist, ...]
    models: tuple[ModelCoverage, ...]
    repeated: int
    again: int

    def by_hard(self) -> dict[int, int]:
        """How many groups have so many hard responses, the most first."""
        return dict(sorted(Counter(each.hard for each in self.groups).items(), reverse=True))

    def cautions(self) -> Iterator[str]:
        """What makes groups hard to compare, a line for each."""
        yield from self._uneven_detectors()
        yield from self._uneven_models()
        if self.repeated:
            some = _responses(self.repeated, "is", "are")
            yield f"{some} repeated word for word: counted and written once"
        if self.again:
            some = _responses(self.again, "is", "are")
            yield f"{some} by a model that wrote about the same source before: all of them count"
        if self.unscored:
            yield f"{_responses(self.unscored, 'has', 'have')} fewer than two votes, and no score"

    def _uneven_detectors(self) -> Iterator[str]:
        fewer: dict[tuple[int, int], list[str]] = {}
        for each in self.detectors:
            if each.votes < self.responses:
                fewer.setdefault((each.models, each.votes), []).append(each.detector)
        for (models, votes), names in fewer.items():
            some = _count(self.responses, "response")
            line = f"{_listed(names)}: votes on {votes:,} of {some} only"
            if models < len(self.models):
                line += (
                    f", by {models:,} of {len(self.models):,} models; the scores of the others "
                    "rest on fewer votes"
                )
            yield line

    def _uneven_models(self) -> Iterator[str]:
        fewer = [each for each in self.models if each.sources < len(self.groups)]
        if not fewer or len(self.models) < 2:
            return
        least = min(fewer, key=lambda each: each.sources)
        which = f"{least.model or '(no name)'} has {least.sources:,} of {len(self.groups):,}"
        some = f"{len(fewer):,} of {len(self.models):,} models have"
        yield (
            f"{some} no response to some sources ({which}): groups with fewer responses have "
            "fewer that can be hard"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values; groups that were not chosen are counted only."""
        found = asdict(self)
        found |= {
            "groups": len(self.groups),
            "chosen": [_plain(asdict(each)) for each in self.chosen],
            "chosen_responses": sum(each.responses for each in self.chosen),
            "groups_by_hard": {str(hard): count for hard, count in self.by_hard().items()},
            "cautions": list(self.cautions()),
        }
        return found


def _plain(group: dict[str, Any]) -> dict[str, Any]:
    return {**group, "key": group["key"].hex()}


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _responses(number: int, one: str, many: str) -> str:
    return f"{_count(number, 'response')} {one if number == 1 else many}"
