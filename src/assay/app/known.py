"""Findings known from before: those of a baseline, and those that a person accepted."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from assay.app.baseline import Baseline, coarse_of
from assay.core.complaints import AcceptedFinding, Complaint, Standing, fingerprint, key_of
from assay.core.errors import InputError
from assay.core.judgements import Finding
from assay.core.results import Result
from assay.core.texts import shortened
from assay.llm.settings.toml_tables import read_toml
from assay.report.words import printable

_TABLE = "accepted"
_MOST_BYTES = 2**22
_LONGEST = 300  # characters of a sentence


@dataclass(slots=True)
class AcceptedFile:
    """The findings that people accepted, by fingerprint, and those of them that a check met."""

    path: str
    entries: dict[str, AcceptedFinding]
    _met: set[str] = field(default_factory=set)

    def take(self, mark: str) -> AcceptedFinding | None:
        """The acceptance of a finding, if there is one."""
        found = self.entries.get(mark)
        if found:
            self._met.add(mark)
        return found

    @property
    def stale(self) -> tuple[AcceptedFinding, ...]:
        """Those that no finding has any more."""
        return tuple(each for mark, each in self.entries.items() if mark not in self._met)


@dataclass(slots=True)
class KnownFindings:
    """Tells new findings from those in a baseline and those that were accepted.

    With `updates`, what is new is noted: it goes into the baseline, and so nothing fails by it.
    """

    baseline: Baseline | None = None
    accepted: AcceptedFile | None = None
    updates: bool = False
    has_numbered: bool = False  # rows that are known by their source, for lack of an id
    has_repeated: bool = False  # an id that rows with different sources have
    _sources: dict[str, int] = field(default_factory=dict)  # of examples with complaints, hashed

    @property
    def lacks(self) -> str:
        """The words for a finding that is new."""
        return "not known before" if self.baseline else "not accepted"

    def complaint(self, result: Result, finding: Finding, rule: str, said: str) -> Complaint:
        """The complaint about a finding; what a person accepted is no matter of the baseline."""
        place = result.example.place
        self.has_numbered |= bool(place and place.names_example and not place.is_text)
        key, source = key_of(result.example), hash(result.example.source.own_text)
        self.has_repeated |= self._sources.setdefault(key, source) != source
        mark, coarse = fingerprint(result.example, finding.text), coarse_of(finding)
        is_before = bool(self.baseline and self.baseline.covers(result, finding, coarse))
        note = self.accepted.take(mark) if self.accepted else None
        if note:
            return Complaint(finding, rule, said, mark, "accepted", note)
        if self.baseline:
            self.baseline.note(result, finding, coarse)
        unknown: Standing = "noted" if self.updates else "new"
        return Complaint(finding, rule, said, mark, "known" if is_before else unknown)

    def unjudged(self, result: Result) -> None:
        """Notes a result that has no verdict on some of its sentences."""
        if self.baseline:
            self.baseline.note_unjudged(result)


def read_accepted(path: str) -> AcceptedFile:
    """The acceptances in a TOML file; one that does not say by whom and why raises."""
    if not Path(path).exists():
        raise InputError(f"there is no file {path}; make an empty one to begin with")
    document = read_toml(Path(path), most=_MOST_BYTES)
    entries = document.get(_TABLE, [])
    others = [name for name in document if name != _TABLE]
    if others or not isinstance(entries, list):
        named = f"'{others[0]}'" if others else f"a '{_TABLE}' that is no list of tables"
        raise InputError(f"{path} has {named}; each entry begins with [[{_TABLE}]]")
    found: dict[str, AcceptedFinding] = {}
    for number, entry in enumerate(entries, start=1):
        one = _accepted_finding(entry, f"{path} entry {number}")
        if one.fingerprint in found:
            raise InputError(f"{path} accepts {one.fingerprint} twice")
        found[one.fingerprint] = one
    return AcceptedFile(path, found)


def _accepted_finding(entry: Any, where: str) -> AcceptedFinding:
    if not isinstance(entry, dict):
        raise InputError(f"{where} is no table; an entry begins with [[{_TABLE}]]")
    mark = _text(entry, "fingerprint", where)
    if not mark:
        raise InputError(f"{where} has no fingerprint")
    if not (who := _text(entry, "who", where)):
        raise InputError(f'{where} ({mark}) does not say who accepted it: who = "NAME"')
    if not (why := _text(entry, "why", where)):
        raise InputError(f'{where} ({mark}) does not say why it is accepted: why = "REASON"')
    return AcceptedFinding(mark, who, why, _text(entry, "when", where))


def _text(entry: dict[str, Any], name: str, where: str) -> str:
    value = entry.get(name, "")
    if isinstance(value, date | datetime):
        return value.isoformat()
    if not isinstance(value, str):
        raise InputError(f"{where}: {name} must be text, not {value!r}")
    return " ".join(value.split())


def entry_lines(complaint: Complaint, example: str, today: date) -> Iterator[str]:
    """The lines by which a finding is accepted, once a person has filled in who and why."""
    yield f"[[{_TABLE}]]"
    yield f'fingerprint = "{complaint.fingerprint}"'
    yield f"example = {_quoted(example)}"
    yield f"sentence = {_quoted(complaint.finding.text)}"
    yield 'who = ""'
    yield f"when = {today.isoformat()}"
    yield 'why = ""'


def _quoted(text: str) -> str:
    """A text as TOML writes it; the escapes of JSON that are left in one mean the same there."""
    return json.dumps(printable(shortened(text, _LONGEST)), ensure_ascii=False)
