"""The checks of a test session: sent from process to process, counted, and put on one page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypedDict

from assay import Annotated, Author, Manifest, Report, Result
from assay.core.codec import (
    read_example,
    read_judgement,
    read_manifest,
    write_example,
    write_judgement,
    write_manifest,
)
from assay.core.labels import worst, worst_coarse
from assay.core.results import is_unsure
from assay.report.pages.page import PageWriter

NO_VERDICT = "no-verdict"


class PackedResult(TypedDict):
    """A result in plain text; `problem` has the place and the fault of a row not read."""

    example: str
    judgement: str
    problem: list[str]


class PackedReport(TypedDict):
    """A report in plain text, as test processes may send it to each other."""

    manifest: str
    results: list[PackedResult]


def pack(report: Report) -> PackedReport:
    """The report as text."""
    return {
        "manifest": write_manifest(report.manifest).decode(),
        "results": list(map(_pack, report)),
    }


def _pack(result: Result) -> PackedResult:
    problem = result.problem
    return {
        "example": write_example(Annotated(result.example)).decode(),
        "judgement": write_judgement(result.judgement).decode(),
        "problem": [problem.where, problem.message] if problem else [],
    }


def write_page(path: Path, tests: Mapping[str, Sequence[PackedReport]]) -> int:
    """Writes the page of all checks, named by their tests, and counts the responses."""
    manifests = [read_manifest(each["manifest"]) for given in tests.values() for each in given]
    count = 0
    with PageWriter(str(path), _together(manifests), "pytest") as page:
        for name, packed in _named(tests):
            result = _unpack(packed, name)
            page.add(result)
            if packed["problem"]:
                where, message = packed["problem"]
                page.add_problem(f"{name}: {where}", message)
            count += 1
    return count


def _named(tests: Mapping[str, Sequence[PackedReport]]) -> Iterator[tuple[str, PackedResult]]:
    """The results with the names of their tests, and what tells several of a test apart."""
    for test, reports in tests.items():
        for number, report in enumerate(reports, start=1):
            which = test if number == 1 else f"{test} #{number}"
            results = report["results"]
            for row, packed in enumerate(results, start=1):
                yield (which if len(results) == 1 else f"{which} row {row}"), packed


def _unpack(packed: PackedResult, name: str) -> Result:
    example = read_example(packed["example"]).example
    judgement = read_judgement(packed["judgement"])
    return Result(replace(example, id=name), replace(judgement, example=name))


def _together(manifests: Sequence[Manifest]) -> Manifest:
    """The manifest of the page: that of the one detector, or what several have in common."""
    first = manifests[0]
    if all(each == first for each in manifests):
        return first
    authors = dict.fromkeys(each.author for each in manifests)
    taxonomies = {each.taxonomy for each in manifests}
    return Manifest(
        author=Author(_listed(each.name for each in authors)),
        version=first.version,
        taxonomy=first.taxonomy if len(taxonomies) == 1 else "",
        model=_listed(each.model for each in manifests),
    )


def properties_of(reports: Sequence[Report]) -> dict[str, str | int]:
    """The properties of a test in JUnit's XML: what its checks add up to."""
    found = [finding for report in reports for result in report for finding in result.counted]
    coarse, authors = [each.coarse for each in found], [each.manifest.author for each in reports]
    whole = worst_coarse(report.coarse for report in reports)
    least = next(report for report in reports if report.coarse == whole)
    return {
        "assay.checks": len(reports),
        "assay.units": len(found),
        "assay.unfaithful": coarse.count("unfaithful"),
        "assay.not-sure": coarse.count("not-sure"),
        "assay.no-verdict": sum(len(report.failures) for report in reports),
        "assay.coarse": whole or NO_VERDICT,
        "assay.worst-label": _worst_label(least),
        "assay.detector": _listed(each.name for each in authors),
        "assay.detector-version": _listed(each.version for each in authors),
    }


def _worst_label(report: Report) -> str:
    """The least faithful label that the detector is sure of; empty where there is none."""
    counted = (finding for result in report for finding in result.counted)
    sure = [each.label for each in counted if each.label and not is_unsure(each.outcome)]
    return worst(sure).name if sure else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(filter(None, names)))
