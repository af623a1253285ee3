"""Spans of a check: one for all of it, and below that one for each response, with its results.

A result is an event `gen_ai.evaluation.result`, as OpenTelemetry's conventions for generative AI
have it: of the whole response first, then of each unit that counts.
"""

import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from assay.core.examples import Annotated, Example
from assay.core.judgements import Finding, Manifest
from assay.core.labels import Coarse
from assay.core.results import Result
from assay.core.system.traces import Attributes, Record, Value, active, find_tracer, records_texts
from assay.engine.kept_checks import Row

_METRIC = "faithfulness"


class CheckRecord:
    """The span of a check that is under way; nothing, if nobody receives spans."""

    def __init__(self, manifest: Manifest) -> None:
        tracer = find_tracer()
        self._name = f"evaluate {manifest.detector}"
        self._common: Attributes = {
            "assay.detector": manifest.detector,
            "assay.version": manifest.version,
        }
        whole = f"check {manifest.detector}"
        self._record = Record(tracer, whole, self._common) if tracer else None
        self._begun: dict[int, int] = {}
        self._examples = 0

    def timed(self, rows: Iterable[Row]) -> Iterable[Row]:
        """The rows; when each is read, its span begins."""
        return self._timed(rows) if self._record else rows

    def active(self) -> AbstractContextManager[object]:
        """See `Record.active`."""
        return active(self._record)

    def told(self, result: Result) -> Result:
        """The result itself, once it is recorded."""
        if self._record:
            self._examples += 1
            start = self._begun.pop(id(result.example), None)
            operation = {"gen_ai.operation.name": "evaluate", "assay.example.id": result.id}
            about = {**self._common, **operation}
            named = Record(self._record.tracer, self._name, about, above=self._record, start=start)
            with named as record:
                record.set(_said(result.response, result.coarse))
                record.add("gen_ai.evaluation.result", _said(result.response, result.coarse))
                for each in result.counted:
                    if each.kind != "response":
                        record.add("gen_ai.evaluation.result", _said(each, each.coarse))
        return result

    def fail(self, error: BaseException) -> None:
        """Notes an error that is raised only after the check."""
        if self._record:
            self._record.fail(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._record:
            self._record.set({"assay.examples": self._examples})
            self._record.__exit__(kind, error, trace)

    def _timed(self, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            example = row.example if isinstance(row, Annotated) else row
            if isinstance(example, Example):
                self._begun[id(example)] = time.time_ns()
            yield row


def _said(finding: Finding, coarse: Coarse | None) -> Attributes:
    """A result; the texts in it only if the user wants them."""
    found: dict[str, Value] = {
        "gen_ai.evaluation.name": _METRIC,
        "assay.unit.id": finding.id,
        "assay.unit.kind": finding.kind,
    }
    if finding.score is not None:
        found["gen_ai.evaluation.score.value"] = float(finding.score)
    if coarse is not None:
        found["gen_ai.evaluation.score.label"] = coarse
    if finding.label is not None:
        found["assay.label"] = finding.label.name
    if finding.failure:
        found["error.type"] = finding.failure.reason
    if records_texts():
        found["assay.unit.text"] = finding.text
        found["gen_ai.evaluation.explanation"] = finding.note
    return found
