"""The votes of detectors on responses, set aside by source, and counted a bucket at a time.

Of a response only numbers are kept, on disk where they are many: memory holds those of some
sources, and what is counted. All responses to a source are in one bucket, so that repeated ones
and groups are found there.
"""

import heapq
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.bench.mining import (
    Group,
    Mined,
    MiningRule,
    ModelCoverage,
    Panellist,
    entropy,
    letters_key,
    source_key,
)
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.system.spills import Buckets, bucket_of
from assay.metrics.arrays import Bools, Floats, Ints

_UNFAITHFUL, _FAITHFUL, _SILENT = 0, 1, 2  # and from 3 on, the reasons why there is no vote
_MISSING = "missing"  # nothing was said of the response
_ROUNDED = 0.0005  # 4 against 1 are 0.72193 bits: whoever asks for 0.722 means them

# A response: its number, digests of its source and of all of it, of the source's letters, its
# model, and where the name of its source stands. A vote: the response's place in the bucket, the
# detector, and what it says.
_ROW = struct.Struct("<q16s16s16sIII")
_VOTE = struct.Struct("<IHH")
_ROWS = np.dtype(
    [
        ("number", "<i8"),
        ("source", "<u8", 2),
        ("print", "<u8", 2),
        ("letters", "V16"),
        ("model", "<u4"),
        ("name", "<u4"),
        ("length", "<u4"),
    ]
)
_VOTES = np.dtype([("place", "<u4"), ("detector", "<u2"), ("said", "<u2")])
Table = NDArray[np.uint16]  # detectors x responses


@dataclass(slots=True)
class _Bucket:
    """The responses to some sources that count, each group of them together, and the votes."""

    numbers: Ints
    of_group: Ints
    models: Ints
    table: Table
    firsts: Ints  # of each group, the place of its first response
    keys: list[bytes]
    letters: list[bytes]
    names: list[str]
    repeated: Ints  # the numbers of responses that were there before


@dataclass(slots=True)
class _Counts:
    """The counts over all buckets."""

    detectors: int
    models: int
    rows: int = 0
    unscored: int = 0
    disagreed: int = 0
    hard: int = 0
    again: int = 0
    repeated: list[Ints] = field(default_factory=list)
    by_hard: Counter[int] = field(default_factory=Counter)
    said: Counter[tuple[int, int]] = field(default_factory=Counter)  # by detector and what it says
    first_said: dict[int, int] = field(default_factory=dict)  # by detector, the first response
    has_vote: Bools = field(init=False)  # detectors x models
    votes: Ints = field(init=False)
    of_model: Ints = field(init=False)  # responses, sources and hard responses
    sides: Counter[tuple[int, int, int]] = field(default_factory=Counter)  # model, and its votes

    def __post_init__(self) -> None:
        self.has_vote = np.zeros((self.detectors, self.models), dtype=np.bool_)
        self.votes = np.zeros((self.detectors, self.models), dtype=np.int64)
        self.of_model = np.zeros((3, self.models), dtype=np.int64)


class PanelVotes:
    """The votes on responses, taken in one after the other; only numbers of each are kept."""

    def __init__(self, *, with_letters: bool = False) -> None:
        self.models: dict[str, int] = {}
        self.repeated: Ints = np.zeros(0, dtype=np.int64)  # the numbers of repeated responses
        self._with_letters = with_letters
        self._detectors: dict[str, int] = {}
        self._said: dict[str, int] = {}
        self._rows, self._votes, self._names = Buckets(), Buckets(), Buckets()
        self._count = 0

    @property
    def detectors(self) -> tuple[str, ...]:
        """The detectors with any vote or failure so far."""
        return tuple(self._detectors)

    def close(self) -> None:
        """Forgets all votes."""
        for each in (self._rows, self._votes, self._names):
            each.close()

    def add(self, example: Example, votes: Mapping[str, bool | str]) -> None:
        """Takes in one response; a vote is whether it is faithful, or why there is none.

        The same text by the same model about the same source counts once.
        """
        text, model = example.response.text, example.response.model
        key, letters = _keys(example.source.text, self._with_letters)
        about = b"\0".join((key, *(each.encode(errors="surrogatepass") for each in (model, text))))
        print_ = blake2b(about, digest_size=16).digest()
        number = self.models.setdefault(model, len(self.models))
        name = (example.source.id or example.id).encode(errors="surrogatepass")
        bucket = bucket_of(key)
        begin = self._names.add(bucket, name)
        row = _ROW.pack(self._count, key, print_, letters, number, begin, len(name))
        place = self._rows.add(bucket, row) // _ROW.size
        said = b"".join(_VOTE.pack(place, *each) for each in self._codes(votes))
        self._votes.add(bucket, said)
        self._count += 1

    def _codes(self, votes: Mapping[str, bool | str]) -> Iterator[tuple[int, int]]:
        for name, vote in votes.items():
            detector = self._detectors.setdefault(name, len(self._detectors))
            if isinstance(vote, bool):
                yield detector, int(vote)
            elif vote == _MISSING:
                yield detector, _SILENT
            else:
                yield detector, self._said.setdefault(vote, _SILENT + 1 + len(self._said))

    def mined(self, rule: MiningRule) -> Mined:
        """The chosen groups in their order under a rule, and the votes that they rest on."""
        counts = _Counts(len(self._detectors), len(self.models))
        groups = self._groups(rule, counts)
        worthy = (each for each in groups if each[1].hard >= rule.at_least)
        chosen = sorted(worthy) if rule.groups is None else heapq.nsmallest(rule.groups, worthy)
        order = sorted(counts.first_said, key=lambda each: (counts.first_said[each], each))
        names = [self.detectors[each] for each in order]
        if len(names) < 2:
            raise InputError(
                f"disagreement takes two detectors or more, and here is {len(names)}: "
                f"{', '.join(names) or 'none'}",
                field="detectors",
                code="one-detector",
            )
        self.repeated = np.sort(np.concatenate([self.repeated[:0], *counts.repeated]))
        return Mined(
            hard_from=rule.hard,
            at_least=rule.at_least,
            asked=rule.groups,
            responses=counts.rows,
            unscored=counts.unscored,
            disagreed=counts.disagreed,
            hard=counts.hard,
            groups=counts.by_hard.total(),
            groups_by_hard=counts.by_hard,
            chosen=tuple(group for _, group in chosen),
            detectors=tuple(self._panellists(order, counts)),
            models=tuple(self._coverage(order, counts)),
            repeated=len(self.repeated),
            again=counts.again,
        )

    def groups(self, rule: MiningRule) -> Iterator[Group]:
        """All groups, in no order."""
        counts = _Counts(len(self._detectors), len(self.models))
        return (group for _, group in self._groups(rule, counts))

    def letters(self) -> Iterator[tuple[bytes, bytes]]:
        """The digests of the text of each source and of its letters."""
        for bucket in self._buckets():
            yield from zip(bucket.keys, bucket.letters, strict=True)

    def _groups(
        self, rule: MiningRule, counts: _Counts
    ) -> Iterator[tuple[tuple[int, float, int], Group]]:
        """All groups, each behind its place in the order: the hardest first, then as they came."""
        for bucket in self._buckets():
            yield from _count(bucket, rule, counts, list(self.models))

    def _buckets(self) -> Iterator[_Bucket]:
        contents = zip(self._rows, self._votes, self._names, strict=True)
        for rows, votes, names in contents:
            if rows:
                yield _bucket(rows, votes, names, len(self._detectors))

    def _panellists(self, order: Iterable[int], counts: _Counts) -> Iterator[Panellist]:
        for detector in order:
            reasons = {
                reason: counts.said[detector, code]
                for reason, code in self._said.items()
                if counts.said[detector, code]
            }
            votes = counts.said[detector, _FAITHFUL] + counts.said[detector, _UNFAITHFUL]
            yield Panellist(
                detector=self.detectors[detector],
                votes=votes,
                unfaithful=counts.said[detector, _UNFAITHFUL],
                failures=_failures(reasons, counts.rows - votes),
                models=int(counts.has_vote[detector].sum()),
            )

    def _coverage(self, order: Iterable[int], counts: _Counts) -> Iterator[ModelCoverage]:
        order = list(order)
        sums, scored = _sums(counts)
        for name, number in self.models.items():
            responses, sources, hard = counts.of_model[:, number].tolist()
            n = scored[number]
            yield ModelCoverage(
                model=name,
                responses=responses,
                sources=sources,
                hard=hard,
                entropy=sums[number] / n if n else None,
                votes={self.detectors[each]: int(counts.votes[each, number]) for each in order},
            )


@lru_cache(maxsize=1)  # responses to a source often come together
def _keys(source: str, with_letters: bool) -> tuple[bytes, bytes]:
    return source_key(source), letters_key(source) if with_letters else bytes(16)


def _bucket(rows: bytes, votes: bytes, names: bytes, detectors: int) -> _Bucket:
    """The records of a bucket; of responses that repeat another, the first counts."""
    given, said = np.frombuffer(rows, _ROWS), np.frombuffer(votes, _VOTES)
    table = np.full((detectors, len(given)), _SILENT, dtype=np.uint16)
    table[said["detector"], said["place"]] = said["said"]
    spoke = np.zeros(table.shape, dtype=np.bool_)
    spoke[said["detector"], said["place"]] = True
    table[~spoke] = _UNSAID
    _, first = np.unique(given["print"], axis=0, return_index=True)
    kept = np.sort(first)
    others = np.ones(len(given), dtype=np.bool_)
    others[kept] = False
    chosen = given[kept]
    _, firsts, of_group = np.unique(
        chosen["source"], axis=0, return_index=True, return_inverse=True
    )
    heads = chosen[firsts]
    return _Bucket(
        numbers=chosen["number"],
        of_group=of_group.reshape(-1),
        models=chosen["model"].astype(np.int64),
        table=table[:, kept],
        firsts=firsts,
        keys=[each.tobytes() for each in heads["source"]],
        letters=[each.tobytes() for each in heads["letters"]],
        names=[
            names[begin : begin + length].decode(errors="surrogatepass")
            for begin, length in zip(heads["name"].tolist(), heads["length"].tolist(), strict=True)
        ],
        repeated=given["number"][others],
    )


_UNSAID = 2**16 - 1  # in a table: the detector was not even named


def _count(
    bucket: _Bucket, rule: MiningRule, counts: _Counts, models: list[str]
) -> Iterator[tuple[tuple[int, float, int], Group]]:
    """Adds a bucket to what is counted, and gives its groups."""
    faithful, unfaithful = ((bucket.table == side).sum(0) for side in (_FAITHFUL, _UNFAITHFUL))
    scores = entropy(faithful, unfaithful)
    known = np.nan_to_num(scores)
    hard = (known > 0) & (known >= rule.hard - _ROUNDED)
    size = len(bucket.firsts)
    written = np.zeros((size, len(models)), dtype=np.bool_)
    written[bucket.of_group, bucket.models] = True
    counts.rows += len(scores)
    counts.unscored += int(np.isnan(scores).sum())
    counts.disagreed += int((known > 0).sum())
    counts.hard += int(hard.sum())
    counts.again += len(scores) - int(written.sum())
    counts.repeated.append(bucket.repeated)
    _count_votes(bucket, counts)
    _count_models(bucket, counts, faithful, unfaithful, hard, written)
    responses = np.bincount(bucket.of_group, minlength=size)
    scored = np.bincount(bucket.of_group, weights=~np.isnan(scores), minlength=size)
    total = np.bincount(bucket.of_group, weights=known, minlength=size)
    many = np.bincount(bucket.of_group, weights=hard, minlength=size).astype(np.int64)
    mean: Floats = np.divide(total, scored, out=np.zeros(size), where=scored > 0)
    counts.by_hard.update(many.tolist())
    for place in range(size):
        order = (
            int(-many[place]),
            float(-mean[place].round(12)),
            int(bucket.numbers[bucket.firsts[place]]),
        )
        yield (
            order,
            Group(
                key=bucket.keys[place],
                source=bucket.names[place],
                responses=int(responses[place]),
                scored=int(scored[place]),
                hard=int(many[place]),
                entropy=float(mean[place]) if scored[place] else None,
                missing=tuple(models[each] for each in np.flatnonzero(~written[place]).tolist()),
            ),
        )


def _count_votes(bucket: _Bucket, counts: _Counts) -> None:
    for detector, row in enumerate(bucket.table):
        codes, times = np.unique(row, return_counts=True)
        for code, count in zip(codes.tolist(), times.tolist(), strict=True):
            counts.said[detector, code] += count
        named = bucket.numbers[row != _UNSAID]
        if named.size:
            first = int(named.min())
            counts.first_said[detector] = min(first, counts.first_said.get(detector, first))
        voted = bucket.models[row < _SILENT]
        counts.has_vote[detector, voted] = True
        counts.votes[detector] += np.bincount(voted, minlength=counts.models)


def _count_models(
    bucket: _Bucket, counts: _Counts, faithful: Ints, unfaithful: Ints, hard: Bools, written: Bools
) -> None:
    counts.of_model[0] += np.bincount(bucket.models, minlength=counts.models)
    counts.of_model[1] += written.sum(0)
    counts.of_model[2] += np.bincount(bucket.models[hard], minlength=counts.models)
    cells = np.stack((bucket.models, faithful, unfaithful))
    sides, times = np.unique(cells, axis=1, return_counts=True)
    for (model, yes, no), count in zip(sides.T.tolist(), times.tolist(), strict=True):
        counts.sides[model, yes, no] += count


def _sums(counts: _Counts) -> tuple[dict[int, float], Counter[int]]:
    """The entropies of each model's responses added up, and how many responses have one."""
    sums: dict[int, float] = {}
    scored: Counter[int] = Counter()
    for (model, yes, no), count in sorted(counts.sides.items()):
        value: Any = entropy(np.array([yes]), np.array([no]))[0]
        if not np.isnan(value):
            sums[model] = sums.get(model, 0.0) + float(value) * count
            scored[model] += count
    return sums, scored


def _failures(told: Mapping[str, int], votes_lacking: int) -> dict[str, int]:
    """The reasons for missing votes; one without a reason is `missing`."""
    silent = votes_lacking - sum(told.values())
    return {**told, _MISSING: silent} if silent else dict(told)
