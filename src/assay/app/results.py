"""The report of a check: many results, as a table, as JSON, or as a page."""

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from assay import __version__
from assay.core.codec import DocumentWriter
from assay.core.errors import MissingExtraError
from assay.core.judgements import Finding, Manifest
from assay.core.labels import Coarse, Label, worst, worst_coarse
from assay.core.problems import Problem
from assay.core.results import UNSURE, Result, count_of, is_unsure
from assay.core.stages import StageUses
from assay.core.system.files import replacing
from assay.core.texts import shortened
from assay.core.verdicts import Failure

if TYPE_CHECKING:
    from pandas import DataFrame

    from assay.metrics import Estimate


@dataclass(frozen=True, slots=True)
class Report:
    """The results of a check, and which detector they are by."""

    manifest: Manifest
    results: tuple[Result, ...]
    stages: StageUses = ()  # the work of each part of a combined detector

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> Result:
        return self.results[index]

    def __str__(self) -> str:
        return "\n".join(map(_line, self.units))

    def __repr__(self) -> str:
        about = [shortened(self.detector, 30), self.coarse or "no verdict"]
        about += [count_of(len(self), "response"), count_of(len(self.units), "unit")]
        about += [count_of(len(self.failures), "failure")] if self.failures else []
        about += [f"label {self.label}"] if self.label else []
        about += [f"score {self.score:.2f}"] if self.score is not None else []
        return f"<Report: {', '.join(about)}>"

    @property
    def detector(self) -> str:
        """The name of the detector."""
        return self.manifest.author.name

    @property
    def taxonomy(self) -> str:
        """The menu of its labels."""
        return self.manifest.taxonomy

    @property
    def coarse(self) -> Coarse | None:
        """The coarse reading of the response, counted as by `assay check --fail-on`.

        `unfaithful` if a unit of some response is, for sure; or else `not-sure` if one is; or else
        None if one has no verdict; or else `faithful`, or `no-fact` if nothing states a fact.
        """
        return worst_coarse(result.coarse for result in self.results)

    @property
    def label(self) -> Label | None:
        """The label of the response, however unsure; of several responses, the least faithful one.

        Ask `coarse` whether to act on it: this may be `contradicting` where the detector is not
        sure, and leaves out responses without a verdict.
        """
        labels = [result.label for result in self.results if result.label]
        return worst(labels) if labels else None

    @property
    def score(self) -> float | None:
        """The score of the response; of several responses, the lowest."""
        return min((each.score for each in self.results if each.score is not None), default=None)

    @property
    def sentences(self) -> tuple[Finding, ...]:
        """The findings about the sentences of all responses, in order."""
        return tuple(finding for result in self.results for finding in result.sentences)

    @property
    def units(self) -> tuple[Finding, ...]:
        """The findings about all units, of whatever kind, in order."""
        return tuple(finding for result in self.results for finding in result.units)

    @property
    def failures(self) -> tuple[Failure, ...]:
        """All units left without a verdict."""
        return tuple(failure for result in self.results for failure in result.failures)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The rows that could not be read, where these were kept: `where` and `message` of each."""
        return tuple(result.problem for result in self.results if result.problem)

    def to_json(self) -> str:
        """The document that `assay check --json` prints."""
        stream = io.StringIO()
        writer = DocumentWriter(stream, self.manifest, __version__)
        for result in self.results:
            writer.add(result.to_json())
            if result.problem:
                writer.add_problem(result.problem.where, result.problem.message)
        writer.end("complete")
        writer.add_stages(self.stages)
        writer.close()
        return stream.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """The same document as plain Python values."""
        document: dict[str, Any] = msgspec.json.decode(self.to_json())
        return document

    def to_pandas(self) -> "DataFrame":
        """A data frame with a row for each unit; pandas must be installed."""
        return data_frame(_row(result, each) for result in self for each in result.units)

    def to_html(self, path: str | Path | None = None) -> str:
        """A page to look at, as text; with a path it is written there as well."""
        from assay.report.pages.page import html_of

        problems = ((each.where, each.message) for each in self.problems)
        return written(html_of(self.results, self.manifest, problems), path)

    def _repr_html_(self) -> str:
        from assay.report.pages.page import html_fragment

        return html_fragment(self.results, self.manifest)


def written(page: str, path: str | Path | None) -> str:
    """A page, which is written to a file as well where one is named."""
    if path is not None:
        with replacing(path) as part:
            part.write_text(page, encoding="utf-8")
    return page


def data_frame(rows: Iterable[Any], heads: Sequence[str] | None = None) -> "DataFrame":
    """A data frame of rows that are dicts, or sequences under these heads; pandas is needed."""
    try:
        import pandas
    except ModuleNotFoundError:
        raise MissingExtraError("a data frame", "pandas") from None
    return pandas.DataFrame(list(rows), columns=heads)


def figures_frame(
    rows: Iterable[tuple[dict[str, str], Mapping[str, "Estimate"]]],
) -> "DataFrame":
    """A data frame with a row for each figure, beside what it is about."""
    return data_frame(
        {**about, "figure": name, **asdict(figure)}
        for about, figures in rows
        for name, figure in figures.items()
    )


def _row(result: Result, finding: Finding) -> dict[str, Any]:
    return {
        "example": result.id,
        "unit": finding.id,
        "kind": finding.kind,
        "parent": finding.unit.parent,
        "text": finding.text,
        "label": finding.label.name if finding.label else None,
        "coarse": finding.coarse,
        "score": finding.score,
        "confidence": finding.confidence,
        "note": finding.note,
        "evidence": [span.text for span in finding.evidence],
        "marks": [span.text for span in finding.marks],
        "failure": finding.failure.reason if finding.failure else None,
    }


def _line(finding: Finding) -> str:
    if finding.failure:
        text = finding.text or finding.failure.detail
        return f"{'no verdict':22} {text} ({finding.failure.reason})"
    score = "" if finding.score is None else f"{finding.score:.2f}"
    label = finding.label.name if finding.label else ""
    label = UNSURE if is_unsure(finding.outcome) else label
    return f"{label:22} {score:4} {finding.text}"
