"""Results as JUnit's XML, which servers that run tests show: a test case for each response."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from assay.core.complaints import CheckEnd, Complaint
from assay.core.judgements import Finding
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.system.files import replacing
from assay.core.texts import shortened
from assay.report.locations import Location, location_of, row_location

_LONGEST = 1_000  # characters of a sentence, a reason or a passage
_UNWRITABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_STANDINGS = {"noted": "new for the baseline", "known": "known before", "accepted": "accepted"}
_COUNTED = {"tests": "tests", "failure": "failures", "error": "errors", "skipped": "skipped"}


class JUnitWriter:
    """Takes results one by one; a response fails by what is new in it, if a rule `fails` at all.

    A response without complaints that make it fail is skipped, and says why: known before, say.
    """

    def __init__(self, cases: IO[str], suite: str, root: Path, *, fails: bool = True) -> None:
        self._cases = cases
        self._suite = suite
        self._root = root
        self._fails = fails
        self._counts: Counter[str] = Counter()

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        """Takes one result, which fails where it breaks a rule or has no verdict."""
        failing = [each for each in complaints if self._fails and each.standing == "new"]
        told = [each for each in complaints if each not in failing]
        inside = list(map(_failure, failing))
        kind = "failure" if inside else ""
        unjudged = [each for each in result.counted if each.failure]
        inside += map(_error, unjudged)
        kind = kind or ("error" if unjudged else "")
        if told and self._fails and not inside:
            inside, kind = [f"<skipped message={_attribute(_numbers(told))}/>"], "skipped"
        if told:
            inside.append(_tagged("system-out", "\n".join(map(_aside, told))))
        self._case(result.id, "".join(inside), kind, self._location(result))

    def add_problem(self, problem: Problem) -> None:
        """Takes a row that could not be read."""
        error = _told("error", "unreadable", problem.message, "")
        self._case(problem.where, error, "error", row_location(problem.place, self._root))

    def end(self, end: CheckEnd) -> None:
        """Takes what is about all of them: their share, and an end that came too early."""
        if end.share:
            kinds = {"broken": "failure", "unknown": "error", "kept": ""}
            kind = kinds[end.share_state]
            inside = _told(kind, "share", end.share, "") if kind else ""
            self._case("share of unfaithful responses", inside, kind)
        if end.unscored:
            told = _told("error", "unscored", end.unscored, "")
            self._case("a score of each response", told, "error")
        if end.cut_off:
            self._case("the whole check", _told("error", end.state, end.cut_off, ""), "error")

    def document(self) -> Iterator[str]:
        """The document, in pieces."""
        counts = {words: f'{words}="{self._counts[name]}"' for name, words in _COUNTED.items()}
        all_of_them = " ".join(counts.values())
        yield '<?xml version="1.0" encoding="utf-8"?>\n'
        yield f"<testsuites {all_of_them.removesuffix(counts['skipped']).rstrip()}>\n"
        yield f"<testsuite name={_attribute(self._suite)} {all_of_them}>\n"
        self._cases.seek(0)
        yield from self._cases
        yield "</testsuite>\n</testsuites>\n"

    def _location(self, result: Result) -> Location:
        return location_of(result.example, result.response, self._root)

    def _case(self, name: str, inside: str, kind: str, at: Location | None = None) -> None:
        """Writes a case and counts it: once, as what is told of it first."""
        self._counts["tests"] += 1
        self._counts[kind] += 1
        where = f' file={_attribute(at.path)} line="{at.line}"' if at and at.path else ""
        self._cases.write(
            f"<testcase classname={_attribute(self._suite)} name={_attribute(name)}{where}>"
            f"{inside}</testcase>\n"
        )


@contextmanager
def junit_file(
    path: str | Path, suite: str, root: Path, *, fails: bool = True
) -> Iterator[JUnitWriter]:
    """A writer whose file appears, whole, at the end; whatever goes wrong, an older one stays."""
    with replacing(path) as part, TemporaryFile("w+", encoding="utf-8", newline="") as cases:
        part.touch(exist_ok=False)  # what cannot be written is said before anything is judged
        writer = JUnitWriter(cases, suite, root, fails=fails)
        yield writer
        with open(part, "w", encoding="utf-8", newline="") as file:
            file.writelines(writer.document())


def _failure(complaint: Complaint) -> str:
    finding = complaint.finding
    evidence = [f"source: {shortened(each.text, _LONGEST)}" for each in finding.evidence]
    text = "\n".join((finding.note, *evidence, f"fingerprint: {complaint.fingerprint}"))
    return _told("failure", complaint.said, finding.text, text)


def _error(finding: Finding) -> str:
    failure = finding.failure
    assert failure is not None
    return _told("error", failure.reason, finding.text, failure.detail)


def _aside(complaint: Complaint) -> str:
    """A complaint that makes nothing fail, on a line."""
    note = complaint.acceptance
    why = str(note) if note else _STANDINGS.get(complaint.standing, "told only")
    text = shortened(complaint.finding.text, _LONGEST)
    return f"{complaint.said}: {text} ({why}; fingerprint {complaint.fingerprint})"


def _numbers(complaints: Sequence[Complaint]) -> str:
    counts = Counter[str](each.standing for each in complaints)
    told = ((counts[name], words) for name, words in _STANDINGS.items())
    return ", ".join(f"{number:,} {words}" for number, words in told if number)


def _told(kind: str, type_: str, message: str, text: str) -> str:
    attributes = f"type={_attribute(type_)} message={_attribute(f'{type_}: {message}')}"
    return _tagged(kind, text, attributes)


def _tagged(tag: str, text: str, attributes: str = "") -> str:
    return f"<{f'{tag} {attributes}'.rstrip()}>{escape(_writable(text))}</{tag}>"


def _attribute(text: str) -> str:
    return quoteattr(_writable(shortened(text, _LONGEST)))


def _writable(text: str) -> str:
    """The text without characters that XML cannot hold, which are spelled out."""
    return _UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
