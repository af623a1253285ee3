"""Results as SARIF 2.1.0, which servers for code show beside the lines of a file."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from assay import __version__
from assay.core.complaints import CheckEnd, Complaint
from assay.core.judgements import Manifest
from assay.core.labels import COARSE, Taxonomy
from assay.core.places import STDIN
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.system.files import replacing
from assay.core.texts import shortened
from assay.report.locations import Location, location_of, row_location

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
FINGERPRINT = "assay/v1"
_OF_GITHUB = "primaryLocationLineHash"  # by which GitHub tells alerts apart
_LONGEST = 1_000  # characters of a text
_MOST_NOTIFIED = 100
_LEVELS = {"unfaithful": "error", "not-sure": "warning"}
_HELP = "Compare the sentence with the passages of the source that the finding quotes."
_OTHER_RULES: dict[str, str] = {
    "low-score": "The score is lower than the rules of this check allow.",
    **{str(name): f"Counts as {name}." for name in COARSE},
}


@dataclass(frozen=True, slots=True)
class SarifScope:
    """The root of the paths in a file of SARIF, and the kinds of what was known before.

    Where no rule `fails`, findings are warnings.
    """

    root: Path
    fails: bool = True
    has_baseline: bool = False
    has_accepted: bool = False


class SarifWriter:
    """Takes results one by one, and writes what the rules complain of."""

    def __init__(
        self, file: IO[str], manifest: Manifest, taxonomy: Taxonomy, scope: SarifScope
    ) -> None:
        self._file = file
        self._scope = scope
        self._separator = "\n"
        self._seen: Counter[str] = Counter()
        self._notified: list[dict[str, Any]] = []
        self._unnotified = 0
        self._end = CheckEnd("stopped")  # until somebody knows better
        author = manifest.author
        driver = {"name": "Assay", "version": __version__, "rules": list(_rules(taxonomy))}
        known = {"detector": author.name, "detectorVersion": author.version}
        head = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "properties": known}
        file.write(f'{{"$schema": "{SCHEMA}", "version": "2.1.0", "runs": [\n')
        file.write(f'{_json(head)[:-1]}, "results": [')

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        """Takes one result."""
        for each in complaints:
            self._file.write(f"{self._separator}{_json(self._result(result, each))}")
            self._separator = ",\n"
        for finding in result.counted:
            if failure := finding.failure:
                at = location_of(result.example, finding, self._scope.root)
                said = f"no verdict on {result.id} {finding.id}: {failure.reason}"
                self._notify("warning", f"{said} {failure.detail}".rstrip(), at)

    def add_problem(self, problem: Problem) -> None:
        """Takes a row that could not be read."""
        self._notify("error", str(problem), row_location(problem.place, self._scope.root))

    def end(self, end: CheckEnd) -> None:
        """Notes how the check ended."""
        self._end = end

    def close(self) -> None:
        """Ends the document."""
        end = self._end
        about = [end.cut_off, end.share if end.share_state != "kept" else "", end.unscored]
        if self._unnotified:
            about.append(f"{self._unnotified:,} more sentences or rows without a verdict")
        whole = [{"level": "error", "message": {"text": text}} for text in about if text]
        invocation = {
            "executionSuccessful": end.state == "complete",
            "toolExecutionNotifications": [*whole, *self._notified],
        }
        self._file.write(f'\n], "invocations": [{_json(invocation)}]}}\n]}}\n')

    def _result(self, result: Result, complaint: Complaint) -> dict[str, Any]:
        finding, mark, scope = complaint.finding, complaint.fingerprint, self._scope
        self._seen[mark] += 1
        where = _location(location_of(result.example, finding, scope.root))
        name = f"{result.id}/{finding.id}"
        where["logicalLocations"] = [{"fullyQualifiedName": name, "kind": finding.kind}]
        made = {
            "ruleId": complaint.rule,
            "level": "error" if scope.fails else "warning",
            "message": {"text": _message(complaint)},
            "locations": [where],
            "partialFingerprints": {FINGERPRINT: mark, _OF_GITHUB: f"{mark}:{self._seen[mark]}"},
            "properties": {"score": finding.score, "coarse": finding.coarse},
        }
        if scope.has_baseline:
            made["baselineState"] = "new" if complaint.standing in ("new", "noted") else "unchanged"
        if scope.has_accepted:
            made["suppressions"] = list(_suppressions(complaint))
        return made

    def _notify(self, level: str, text: str, at: Location) -> None:
        if len(self._notified) == _MOST_NOTIFIED:
            self._unnotified += 1
            return
        message = {"text": shortened(text, _LONGEST)}
        self._notified.append({"level": level, "message": message, "locations": [_location(at)]})


@contextmanager
def sarif_file(
    path: str | Path, manifest: Manifest, taxonomy: Taxonomy, scope: SarifScope
) -> Iterator[SarifWriter]:
    """A writer whose file appears, whole, at the end; whatever goes wrong, an older one stays."""
    with replacing(path) as part, open(part, "x", encoding="utf-8", newline="") as file:
        writer = SarifWriter(file, manifest, taxonomy, scope)
        yield writer
        writer.close()


def _rules(taxonomy: Taxonomy) -> Iterator[dict[str, Any]]:
    """The labels, and what else can be broken, as rules."""
    for label in taxonomy:
        yield _rule(label.name, label.meaning or label.name, label.coarse)
    for name, meaning in _OTHER_RULES.items():
        if name not in taxonomy.names:
            yield _rule(name, meaning, "unfaithful" if name == "low-score" else name)


def _rule(name: str, meaning: str, coarse: str) -> dict[str, Any]:
    return {
        "id": name,
        "shortDescription": {"text": meaning},
        "fullDescription": {"text": meaning},
        "help": {"text": f"{meaning} {_HELP}"},
        "defaultConfiguration": {"level": _LEVELS.get(coarse, "note")},
    }


def _location(at: Location) -> dict[str, Any]:
    uri = quote(at.path or STDIN.replace(" ", "-"))
    region = {"startLine": at.line, "endLine": at.last}
    return {"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}


def _message(complaint: Complaint) -> str:
    finding = complaint.finding
    quotes = (f"The source: “{shortened(each.text, _LONGEST)}”" for each in finding.evidence[:2])
    said = f"{complaint.said}: “{shortened(finding.text, _LONGEST)}”"
    return " ".join(filter(None, (said, shortened(finding.note, _LONGEST), *quotes)))


def _suppressions(complaint: Complaint) -> Iterator[dict[str, str]]:
    if note := complaint.acceptance:
        yield {"kind": "external", "status": "accepted", "justification": str(note)}


def _json(value: Any) -> str:
    """A value on one line; half a character, in words of a model, is escaped."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode(errors="backslashreplace").decode()
