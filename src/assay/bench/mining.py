"""Hard responses: those that detectors disagree about, and the sources that have many of them.

Each detector votes that a response is faithful or unfaithful. The score of a response is the
entropy of its votes in bits: 0 where all say the same, 1 where they are split evenly. A detector
without a verdict has no vote, and a response with fewer than two votes has no score. All responses
to a source, which is known by its text, are a group.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Annotated, Any

import numpy as np

from assay.core.errors import InputError
from assay.core.examples import Example
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
        """The number of groups by their number of hard responses, the most first."""
        return dict(sorted(Counter(each.hard for each in self.groups).items(), reverse=True))

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


class PanelVotes:
    """The votes on responses, taken in one after the other; only numbers of each are kept."""

    def __init__(self) -> None:
        self.models: dict[str, int] = {}
        self._votes: dict[str, bytearray] = {}
        self._failures: dict[str, Counter[str]] = {}
        self._sources: dict[bytes, int] = {}
        self._names: list[str] = []
        self._of_source = array("l")
        self._of_model = array("l")
        self._seen: set[bytes] = set()
        self._written: set[tuple[int, int]] = set()
        self._again = self._repeated = 0

    def __len__(self) -> int:
        return len(self._of_source)

    @property
    def detectors(self) -> tuple[str, ...]:
        """The detectors with any vote or failure so far."""
        return tuple(self._votes)

    def add(self, example: Example, votes: Mapping[str, bool | str]) -> bool:
        """Takes in one response; a vote is whether it is faithful, or why there is none.

        The same text by the same model about the same source counts once: False says so.
        """
        key, model = source_key(example.source.text), example.response.model
        text = example.response.text.encode(errors="surrogatepass")
        about = b"\0".join((key, model.encode(errors="surrogatepass"), text))
        print_ = blake2b(about, digest_size=16).digest()
        if print_ in self._seen:
            self._repeated += 1
            return False
        self._seen.add(print_)
        source = self._sources.setdefault(key, len(self._sources))
        if source == len(self._names):
            self._names.append(example.source.id or example.id)
        number = self.models.setdefault(model, len(self.models))
        self._again += (source, number) in self._written
        self._written.add((source, number))
        self.count_of(votes)
        self._of_source.append(source)
        self._of_model.append(number)
        return True

    def count_of(self, votes: Mapping[str, bool | str]) -> None:
        for name in votes:
            if name not in self._votes:
                self._votes[name] = bytearray([_NO_VOTE]) * len(self)
                self._failures[name] = Counter()
        for name, given in self._votes.items():
            vote = votes.get(name, _SILENT)
            given.append(_NO_VOTE if isinstance(vote, str) else int(vote))
            if isinstance(vote, str) and vote != _SILENT:
                self._failures[name][vote] += 1

    def mined(self, rule: MiningRule) -> Mined:
        """The groups in their order under a rule, and the votes that they rest on."""
        table = np.array([np.frombuffer(each, np.uint8) for each in self._votes.values()])
        if len(table) < 2:
            named = ", ".join(self._votes) or "none"
            raise InputError(
                f"disagreement takes two detectors or more, and here is {len(table)}: {named}",
                field="detectors",
                code="one-detector",
            )
        sides = [(table == side).sum(0) for side in (_FAITHFUL, _UNFAITHFUL)]
        scores = entropy(*sides)
        known = np.nan_to_num(scores)
        hard = (known > 0) & (known >= rule.hard - _ROUNDED)
        sources, models = np.array(self._of_source), np.array(self._of_model)
        groups = self._groups(scores, hard, sources, models)
        chosen = [each for each in groups if each.hard >= rule.at_least][: rule.groups]
        return Mined(
            hard_from=rule.hard,
            at_least=rule.at_least,
            asked=rule.groups,
            responses=len(self),
            unscored=int(np.isnan(scores).sum()),
            disagreed=int((known > 0).sum()),
            hard=int(hard.sum()),
            groups=tuple(groups),
            chosen=tuple(chosen),
            detectors=tuple(self._panellists(table, models)),
            models=tuple(self._coverage(table, scores, hard, sources, models)),
            repeated=self._repeated,
            again=self._again,
        )

    def _groups(self, scores: Floats, hard: Any, sources: Ints, models: Ints) -> list[Group]:
        """The groups: most hard responses first, then by mean entropy, then as they came."""
        count = len(self._names)
        responses = np.bincount(sources, minlength=count)
        scored = np.bincount(sources, weights=~np.isnan(scores), minlength=count)
        total = np.bincount(sources, weights=np.nan_to_num(scores), minlength=count)
        many = np.bincount(sources, weights=hard, minlength=count).astype(np.int64)
        written = np.zeros((count, len(self.models)), dtype=bool)
        written[sources, models] = True
        mean = np.divide(total, scored, out=np.zeros(count), where=scored > 0)
        names = np.array(list(self.models), dtype=object)
        keys = list(self._sources)
        return [
            Group(
                key=keys[place],
                source=self._names[place],
                responses=int(responses[place]),
                scored=int(scored[place]),
                hard=int(many[place]),
                entropy=float(mean[place]) if scored[place] else None,
                missing=tuple(names[~written[place]]),
            )
            for place in np.lexsort((np.arange(count), -mean.round(12), -many)).tolist()
        ]

    def _panellists(self, table: Any, models: Ints) -> Iterator[Panellist]:
        for name, row in zip(self._votes, table, strict=True):
            voted = row != _NO_VOTE
            yield Panellist(
                detector=name,
                votes=int(voted.sum()),
                unfaithful=int((row == _UNFAITHFUL).sum()),
                failures=_failures(self._failures[name], int((~voted).sum())),
                models=len(set(models[voted].tolist())),
            )

    def _coverage(
        self, table: Any, scores: Floats, hard: Any, sources: Ints, models: Ints
    ) -> Iterator[ModelCoverage]:
        for name, number in self.models.items():
            own = models == number
            mean = scores[own & ~np.isnan(scores)]
            yield ModelCoverage(
                model=name,
                responses=int(own.sum()),
                sources=len(set(sources[own].tolist())),
                hard=int(hard[own].sum()),
                entropy=float(mean.mean()) if mean.size else None,
                votes={
                    detector: int((row[own] != _NO_VOTE).sum())
                    for detector, row in zip(self._votes, table, strict=True)
                },
            )


def _failures(told: Counter[str], votes_lacking: int) -> dict[str, int]:
    """The reasons for missing votes; one without a reason is `missing`."""
    silent = votes_lacking - told.total()
    return {**told, _SILENT: silent} if silent else dict(told)


def _plain(group: dict[str, Any]) -> dict[str, Any]:
    return {**group, "key": group["key"].hex()}


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _responses(number: int, one: str, many: str) -> str:
    return f"{count_of(number, 'response')} {one if number == 1 else many}"
