"""Assertions for the tests of programs that summarize or answer."""

from collections.abc import Iterator, Sequence
from typing import Unpack

from assay.app.api import DetectorArguments, check
from assay.app.check import Gate, make_gate
from assay.app.results import Report
from assay.core.errors import UnknownNameError
from assay.core.judgements import Finding
from assay.core.labels import COARSE, Taxonomy
from assay.core.options import split
from assay.core.results import count_of, noun_of
from assay.core.taxonomies import taxonomy
from assay.core.texts import shortened

_REFUSED = ("unfaithful", "not-sure")  # what no response may be, unless it is allowed
_INDENT = " " * 6
_LONGEST = 300  # characters of a sentence or passage


def assert_faithful(
    response: object,
    source: object,
    question: str = "",
    *,
    allow: str | Sequence[str] = "not-sure",
    **how: Unpack[DetectorArguments],
) -> Report:
    """Raises an AssertionError that shows what in a response its source does not bear out.

    `allow` names labels or coarse readings that pass beside what is faithful or states no fact. By
    default what the detector is not sure of passes, as in `assay check --fail-on unfaithful`;
    `allow=()` lets nothing else pass. A sentence without a verdict never passes. The other
    arguments are those of `check`, and the report of a response that passes is returned.
    """
    __tracebackhide__ = True
    allowed = split(allow) if isinstance(allow, str) else tuple(allow)
    report = check(source, response, question, **how)
    gate = make_gate(None, _refused(allowed, taxonomy(report.taxonomy)), taxonomy(report.taxonomy))
    broken = [each for result in report for each in result.counted if _breaks(each, gate)]
    if broken:
        raise AssertionError("\n".join(_lines(broken, report)))
    return report


def _refused(allowed: Sequence[str], menu: Taxonomy) -> Iterator[str]:
    """The rules that are left: a coarse reading, or the labels of it that are not allowed."""
    names = (*menu.names, *COARSE)
    for name in allowed:
        if name not in names:
            raise UnknownNameError("label", name, names, field="allow")
    for coarse in _REFUSED:
        labels = [label.name for label in menu if label.coarse == coarse]
        if coarse in allowed:
            continue
        if set(labels) & set(allowed):
            yield from (name for name in labels if name not in allowed)
        else:
            yield coarse


def _breaks(finding: Finding, gate: Gate) -> bool:
    return finding.failure is not None or bool(gate.broken_by(finding))


def _lines(broken: Sequence[Finding], report: Report) -> Iterator[str]:
    judged = [each for result in report for each in result.counted]
    several = count_of(len(judged), noun_of({each.kind for each in judged}))
    yield f"{len(broken)} of {several} not faithful to the source, by {report.detector}"
    for finding in broken:
        score = "" if finding.score is None else f", score {finding.score:.2f}"
        yield f"  - {shortened(finding.text, _LONGEST)}"
        yield f"{_INDENT}{_said(finding)}{score}"
        reason = finding.failure.detail if finding.failure else finding.note
        if reason:
            yield f"{_INDENT}reason: {reason}"
        yield from (f"  + {shortened(span.text, _LONGEST)}" for span in finding.evidence)


def _said(finding: Finding) -> str:
    if finding.failure:
        return f"no verdict ({finding.failure.reason})"
    label = finding.label.name if finding.label else ""
    if finding.coarse == "not-sure":
        return f"not sure, rather {label}" if label else "not sure"
    return label or finding.coarse or ""
