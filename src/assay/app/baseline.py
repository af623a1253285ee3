"""Baselines: the findings of an earlier check, in a file that a later one is no worse than.

The file has JSON on each line: first what it was made with, then an entry for each finding, sorted,
so that version control shows what came and went. The fingerprint is what counts; the other fields
of an entry are for people.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from assay.core.complaints import fingerprint, key_of
from assay.core.errors import InputError
from assay.core.judgements import Author, Finding
from assay.core.labels import Coarse, worst_coarse
from assay.core.results import Result
from assay.core.system.files import replacing
from assay.core.texts import shortened

SCHEMA = "assay-baseline/1"
_FORM, _, _VERSION = SCHEMA.partition("/")
_LONGEST = 300  # characters of a sentence
_WORST_FIRST: tuple[Coarse, ...] = ("unfaithful", "not-sure", "faithful", "no-fact")

Record = TypeVar("Record", bound=msgspec.Struct)
Mark = tuple[str, Coarse]  # a fingerprint, and how bad the finding is


class BaselineHead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line: the detector and the labels that it was made with."""

    schema: str
    detector: str
    version: str
    fail_on: tuple[str, ...]


class BaselineEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A finding, and how many there are of it: an example may say the same thing twice."""

    fingerprint: str
    example: str
    coarse: Coarse
    count: Annotated[int, msgspec.Meta(ge=1)]
    sentence: str

    @property
    def mark(self) -> Mark:
        """The key by which it is matched."""
        return self.fingerprint, self.coarse


@dataclass(frozen=True, slots=True)
class BaselineChange:
    """The difference between two states of a baseline, in findings."""

    added: int
    removed: int
    kept: int

    def __str__(self) -> str:
        return f"{self.added:,} added, {self.removed:,} removed, {self.kept:,} kept"


@dataclass(slots=True)
class Baseline:
    """The entries of a file, and what a check finds of them."""

    path: str
    head: BaselineHead | None = None
    entries: tuple[BaselineEntry, ...] = ()
    _left: Counter[Mark] = field(default_factory=Counter)  # not found again so far
    _found: dict[Mark, BaselineEntry] = field(default_factory=dict)
    _counts: Counter[Mark] = field(default_factory=Counter)  # of what was found
    _unjudged: set[str] = field(default_factory=set)  # examples, by their keys

    def __post_init__(self) -> None:
        for each in self.entries:
            self._left[each.mark] += each.count

    def covers(self, result: Result, finding: Finding, coarse: Coarse) -> bool:
        """True if the finding was there before, and was no better; each entry counts once."""
        mark = fingerprint(result.example, finding.text)
        for worse in reversed(_WORST_FIRST[: _WORST_FIRST.index(coarse) + 1]):
            if self._left[mark, worse]:
                self._left[mark, worse] -= 1
                return True
        return False

    def note(self, result: Result, finding: Finding, coarse: Coarse) -> None:
        """Notes a finding for the next state of the file."""
        mark = fingerprint(result.example, finding.text), coarse
        self._counts[mark] += 1
        if mark not in self._found:
            # Half a character, in words of a model, is no text that a file can have.
            text = shortened(finding.text, _LONGEST).encode(errors="replace").decode()
            self._found[mark] = BaselineEntry(mark[0], key_of(result.example), coarse, 1, text)

    def note_unjudged(self, result: Result) -> None:
        """Notes an example on which there is no full verdict: what is missing may still be so."""
        self._unjudged.add(key_of(result.example))

    def gone(self, fail_on: tuple[str, ...]) -> int:
        """The number of findings that no longer appear, once everything was judged.

        By another rule nobody knows: it does not tell what it leaves out from what is gone.
        """
        if self.head is None or self.head.fail_on != fail_on:
            return 0
        lost = (each for each in self.entries if each.example not in self._unjudged)
        return sum(self._left[each.mark] for each in lost)

    def differences(self, author: Author, fail_on: tuple[str, ...]) -> Iterator[str]:
        """The differences between a check and the one that made the baseline, in words."""
        if self.head is None:
            return
        made = f"{self.head.detector} {self.head.version}".strip()
        now = f"{author.name} {author.version}".strip()
        if made != now:
            yield f"was made with {made}, and this check with {now}: findings may differ"
        if self.head.fail_on != fail_on:
            rule, other = ", ".join(self.head.fail_on), ", ".join(fail_on)
            yield (
                f"was made with the rule '{rule}', and this check with '{other}': "
                "findings may differ"
            )

    def write(self, author: Author, fail_on: tuple[str, ...]) -> BaselineChange:
        """Writes the state that this check found; nobody sees half of it."""
        now = sorted(self._next(), key=lambda each: (each.example, each.sentence, *each.mark))
        head = BaselineHead(SCHEMA, author.name, author.version, fail_on)
        with replacing(self.path) as part:
            lines = (msgspec.json.encode(each) + b"\n" for each in (head, *now))
            part.write_bytes(b"".join(lines))
        before, after = _counted(self.entries), _counted(now)
        return BaselineChange(
            (after - before).total(), (before - after).total(), (after & before).total()
        )

    def _next(self) -> Iterator[BaselineEntry]:
        """The findings of this check, and older ones in examples without a full verdict."""
        kept = {
            each.mark: each
            for each in self.entries
            if each.example in self._unjudged and self._left[each.mark]
        }
        for mark in {**self._found, **kept}:
            count = self._counts[mark] + (self._left[mark] if mark in kept else 0)
            yield msgspec.structs.replace(self._found.get(mark) or kept[mark], count=count)


def read_baseline(path: str) -> Baseline:
    """The baseline in a file; one that cannot be read, or is none of ours, raises."""
    try:
        lines = Path(path).read_bytes().splitlines()
    except FileNotFoundError:
        raise InputError(f"there is no baseline {path}", code="no-baseline") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    head = _head(path, lines)
    entries = tuple(
        _record(line, BaselineEntry, f"{path} line {number}")
        for number, line in enumerate(lines[1:], start=2)
    )
    if len({each.mark for each in entries}) < len(entries):
        raise InputError(f"{path} names a finding twice", code="bad-baseline")
    return Baseline(path, head, entries)


def _head(path: str, lines: list[bytes]) -> BaselineHead:
    try:
        named = msgspec.json.decode(lines[0], type=dict[str, object]).get("schema") if lines else ""
    except (msgspec.MsgspecError, ValueError):
        named = ""
    form, _, version = str(named).partition("/")
    if form != _FORM:
        raise InputError(f"{path} is not a baseline of Assay")
    if version != _VERSION:
        raise InputError(f"{path} is of a newer Assay ({named}; this one reads {SCHEMA})")
    return _record(lines[0], BaselineHead, f"{path} line 1")


def _record(line: bytes, kind: type[Record], where: str) -> Record:
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, ValueError) as error:
        reason = str(error).partition(" - at")[0]
        raise InputError(f"{where} is damaged: {reason}", code="bad-baseline") from None


def _counted(entries: "tuple[BaselineEntry, ...] | list[BaselineEntry]") -> Counter[Mark]:
    found = Counter[Mark]()
    for each in entries:
        found[each.mark] += each.count
    return found


def coarse_of(finding: Finding) -> Coarse:
    """The class of a finding, as it stands in a baseline."""
    return worst_coarse([finding.coarse]) or "unfaithful"
