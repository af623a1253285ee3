"""The words of a failed assertion: each sentence beside the source, as in a diff."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from assay import Report, Result
from assay.app.gate import Gate
from assay.core.judgements import Finding
from assay.core.problems import NO_ANSWER
from assay.core.results import UNSURE, count_of, is_unsure, noun_of
from assay.core.texts import shortened
from assay.report.pages.badges import note_of
from assay.report.pages.texts import SeenTexts
from assay.report.words import printable

MOST = 20  # units shown in full
QUOTES = 2  # of evidence, for each of them
_LONG, _SHORT = 400, 60  # characters of a text
_BROKEN, _UNSURE, _UNJUDGED, _FINE = "-?! "


def describe(report: Report, gate: Gate) -> str:
    """The units that break the rules of a gate, or have no verdict; the rest in brief."""
    return "\n".join([_head(report, gate), _judged_by(report), *_responses(report, gate)])


def _head(report: Report, gate: Gate) -> str:
    unjudged = len(report.failures)
    if gate.failed:
        more = f"; {unjudged:,} without a verdict" if unjudged else ""
        return f"not faithful to the source: {gate}{more}"
    units = [each for result in report for each in result.units]
    noun = noun_of(each.kind for each in units if each.failure)
    without = sum(each.code == NO_ANSWER for each in report.problems)
    why = "because there is no answer to judge" if without == unjudged else "so this is no pass"
    return f"no verdict on {count_of(unjudged, noun)} of {len(units):,}, {why}"


def _judged_by(report: Report) -> str:
    author, model = report.manifest.author, report.manifest.model
    who = " ".join(filter(None, (author.name, author.version, model and f"with {model}")))
    return f"  judged by {_line(who, _LONG)}"


def _responses(report: Report, gate: Gate) -> Iterator[str]:
    """The responses with something to see, as long as there is room."""
    room, fine, more = MOST, 0, 0
    for result in report:
        signed = [(_sign(each, gate), each) for each in _shown(result)]
        flagged = sum(sign != _FINE for sign, _ in signed)
        if flagged and room > 0:
            if len(report) > 1:
                yield f"  response {_line(result.id, _SHORT)}:"
            yield from _units(signed, SeenTexts(result.example))
            room -= flagged
        elif flagged:
            more += flagged
        else:
            fine += 1
    if more:
        yield f"  … {more:,} more like these in other responses"
    if fine:
        yield f"  … {count_of(fine, 'response')} without a complaint"


def _shown(result: Result) -> Sequence[Finding]:
    """The units that count, and parts of them that have no verdict."""
    failed = (each for each in result.judgement.parts if each.failure)
    return (*result.counted, *failed)


def _sign(finding: Finding, gate: Gate) -> str:
    if finding.failure:
        return _UNJUDGED
    if gate.broken_by(finding):
        return _BROKEN
    return _UNSURE if finding.coarse == "not-sure" else _FINE


def _units(signed: Iterable[tuple[str, Finding]], seen: SeenTexts) -> Iterator[str]:
    """The units of a response in order; of many that are fine in a row, their number."""
    shown = 0
    for sign, group in groupby(signed, key=lambda each: each[0]):
        findings = [finding for _, finding in group]
        if sign == _FINE:
            yield from _fine(findings)
            continue
        for finding in findings[: max(0, MOST - shown)]:
            yield from _in_full(sign, finding, seen)
        left = len(findings) - max(0, MOST - shown)
        shown += len(findings)
        if left > 0:
            yield f"{sign} … {left:,} more"


def _fine(findings: Sequence[Finding]) -> Iterator[str]:
    if len(findings) > 2:
        noun = noun_of(each.kind for each in findings)
        yield f"  … {count_of(len(findings), noun)} without a complaint"
        return
    for each in findings:
        yield f"  {_id(each)}{_class(each)}: {_line(each.text, _SHORT)}"


def _in_full(sign: str, finding: Finding, seen: SeenTexts) -> Iterator[str]:
    room = " " * len(_id(finding))
    yield f"{sign} {_id(finding)}response: {_line(finding.text, _LONG)}"
    for name, quote in seen.quotes(finding.evidence[:QUOTES]):
        where = f" ({_line(name, _SHORT)})" if name else ""
        yield f"+ {room}source:   {_line(quote, _LONG)}{where}"
    yield f"  {room}{_figures(finding)}"
    if why := _reason(finding):
        yield f"  {room}{_line(why, _LONG)}"


def _id(finding: Finding) -> str:
    """The id with a space, unless it is the whole response."""
    return "" if finding.kind == "response" else f"{_line(finding.id, 20)} "


def _class(finding: Finding) -> str:
    if finding.failure:
        return "no verdict"
    if is_unsure(finding.outcome):
        return f"{UNSURE}, leans to {finding.label or finding.leaning}"
    return str(finding.label or finding.coarse)


def _figures(finding: Finding) -> str:
    said = [_class(finding)]
    said += [f"score {finding.score:.2f}"] if finding.score is not None else []
    said += [f"confidence {finding.confidence:.2f}"] if finding.confidence is not None else []
    return ", ".join(said)


def _reason(finding: Finding) -> str:
    if failure := finding.failure:
        return f"{failure.reason}: {failure.detail}" if failure.detail else failure.reason
    return note_of(finding.verdict) if finding.verdict else ""


def _line(text: str, most: int) -> str:
    """A text on one line, in which nothing steers a terminal."""
    return printable(shortened(text, most))
