"""Hard responses: those that detectors disagree about, and the sources that have many of them.

Each detector votes that a response is faithful or unfaithful. The score of a response is the
entropy of its votes in bits: 0 where all say the same, 1 where they are split evenly. A detector
without a verdict has no vote, and a response with fewer than two votes has no score. All responses
to a source, which is known by its text, are a group.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Annotated, Any

import numpy as np

from assay.core.errors import InputError
from assay.core.options import Option
from assay.core.results import count_of
from assay.metrics.arrays import Floats, Ints

# Of FaithBench's five detectors one dissenter is enough (4 against 1 are 0.722 bits), as of any
# fewer; of more, about one in five has to dissent.
HARD = 0.7
AT_LEAST = 1

_UNFAITHFUL, _FAITHFUL, _NO_VOTE = 0, 1, 2
_ROUNDED = 0.0005  # 4 against 1 are 0.72193 bits: whoever asks for 0.722 means them
_SILENT = "missing"  # nothing was said of the response


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
    """The votes of a detector: how many, how many unfaithful, and reasons for missing ones."""

    detector: str
    votes: int
    unfaithful: int
    failures: dict[str, int]
    models: int  # about whose responses it has any vote


@dataclass(frozen=True, slots=True)
class ModelCoverage:
    """The responses of one model: how many, how hard, and the votes of each detector on them."""

    model: str
    responses: int
    sources: int
    hard: int
    entropy: float | None
    votes: dict[str, int]


@dataclass(frozen=True, slots=True)
class Mined:
    """The number of groups, and those that were chosen, from the hardest to the easiest.

    `groups_by_hard` counts groups by their number of hard responses. `repeated` responses were met
    before, word for word, and count once; `again` are further responses of a model to the same
    source, which all count.
    """

    hard_from: float
    at_least: int
    asked: int | None
    responses: int
    unscored: int
    disagreed: int
    hard: int
    groups: int
    groups_by_hard: Mapping[int, int]
    chosen: tuple[Group, ...]
    detectors: tuple[Panellist, ...]
    models: tuple[ModelCoverage, ...]
    repeated: int
    again: int

    def by_hard(self) -> dict[int, int]:
        """The number of groups by their number of hard responses, the most first."""
        return dict(sorted(self.groups_by_hard.items(), reverse=True))

    def cautions(self) -> Iterator[str]:
        """Reasons for care when groups are compared, one a line."""
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
            some = count_of(self.responses, "response")
            line = f"{_listed(names)}: votes on {votes:,} of {some} only"
            if models < len(self.models):
                line += (
                    f", by {models:,} of {len(self.models):,} models; the scores of the others "
                    "rest on fewer votes"
                )
            yield line

    def _uneven_models(self) -> Iterator[str]:
        fewer = [each for each in self.models if each.sources < self.groups]
        if not fewer or len(self.models) < 2:
            return
        least = min(fewer, key=lambda each: each.sources)
        which = f"{least.model or '(no name)'} has {least.sources:,} of {self.groups:,}"
        some = f"{len(fewer):,} of {len(self.models):,} models have"
        yield (
            f"{some} no response to some sources ({which}): groups with fewer responses have "
            "fewer that can be hard"
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values; groups that were not chosen are counted only."""
        found = asdict(self)
        found |= {
            "chosen": [_plain(asdict(each)) for each in self.chosen],
            "chosen_responses": sum(each.responses for each in self.chosen),
            "groups_by_hard": {str(hard): count for hard, count in self.by_hard().items()},
            "cautions": list(self.cautions()),
        }
        return found


@dataclass(frozen=True, slots=True)
class MiningRule:
    """The entropy of a hard response, the number that a group needs, and of groups to keep.

    Without `groups`, all that have enough hard responses are.
    """

    hard: Annotated[float, Option("A response is hard from this entropy on.", "BITS")] = HARD
    at_least: Annotated[int, Option("Choose groups with M hard responses or more.", "M")] = AT_LEAST
    groups: Annotated[int | None, Option("Keep only the first N of these groups.", "N")] = None

    def __post_init__(self) -> None:
        if not 0 < self.hard <= 1:
            raise InputError(
                f"a response is hard from an entropy above 0 and up to 1 bit, not {self.hard:g}",
                field="hard",
            )
        for name in ("at_least", "groups"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(
                    f"{name.replace('_', ' ')} must be 1 or more, not {value}", field=name
                )


def entropy(faithful: Ints, unfaithful: Ints) -> Floats:
    """The entropy of votes in bits, -Σ p log2 p; NaN for fewer than two votes.

    >>> entropy(np.array([3, 4, 5, 1]), np.array([2, 1, 0, 0])).round(3).tolist()
    [0.971, 0.722, 0.0, nan]
    """
    votes = faithful + unfaithful
    total = np.zeros(votes.shape)
    for side in (faithful, unfaithful):
        share = np.divide(side, votes, out=np.zeros(votes.shape), where=votes > 0)
        total -= share * np.log2(share, out=np.zeros(votes.shape), where=share > 0)
    return np.where(votes >= 2, np.abs(total), np.nan)


def source_key(text: str) -> bytes:
    """A digest of the text of a source, which identifies it."""
    return blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def letters_key(text: str) -> bytes:
    """A digest of the letters and digits of a source, which white space and quotes do not change.

    >>> letters_key("It's  here.") == letters_key("it’s here")
    True
    """
    return source_key("".join(filter(str.isalnum, text.casefold())))


def _plain(group: dict[str, Any]) -> dict[str, Any]:
    return {**group, "key": group["key"].hex()}


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _responses(number: int, one: str, many: str) -> str:
    return f"{count_of(number, 'response')} {one if number == 1 else many}"
