"""One answer of a program, checked by the rule of `assay check --fail-on`.

Three things can come of it: the answer passes, something in it breaks the rule, or there is no
verdict. The third is never the first.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.app.api import DetectorArguments, check_request
from assay.app.gate import Gate, make_gate
from assay.app.results import Report
from assay.app.rows import GivenRows, error_of, refuse
from assay.core.errors import InputError, ServiceError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Finding
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.texts import Response, Source, Span, shortened
from assay.datasets.fields import Columns
from assay.datasets.rows import check_language, try_row
from assay.engine.check import Check, CheckRequest, start_check
from assay.engine.kept_checks import Row

UNFAITHFUL = ("unfaithful",)
_MOST_PASSAGES = 3
_LONGEST_QUOTE, _LONGEST_NAME = 400, 100
_USUAL = Columns()
_NOTHING_LEFT = re.compile(r"[\s>*•·#–-]*+(?>(?:\d{1,3}[.)])?)\s*+")  # of a line of a list


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer, the report on it, and what of it breaks the rule.

    Where the detector itself could not be used, there is an `error` instead of a report.
    """

    example: Example
    report: Report | None
    broken: tuple[Finding, ...] = ()
    error: ServiceError | None = None

    def __repr__(self) -> str:
        said = {True: "passed", False: "failed", None: "no verdict"}[self.passed]
        return f"<CheckedAnswer: {said} {shortened(self.text, 50)!r}>"

    @property
    def text(self) -> str:
        """The answer."""
        return self.example.response.text

    @property
    def result(self) -> Result | None:
        """The only result of the report."""
        return self.report[0] if self.report else None

    @property
    def passed(self) -> bool | None:
        """False if something breaks the rule; or else None if anything has no verdict."""
        if self.broken:
            return False
        return None if self.unjudged else True

    @property
    def score(self) -> float | None:
        """The score of the answer; None where there is no verdict."""
        return self.result.score if self.result and self.passed is not None else None

    @property
    def unjudged(self) -> str:
        """The reasons why there is no verdict on all of it, in words; empty where there is one."""
        if self.result is None:
            return str(self.error)
        failed = [each for each in self.result.counted if each.failure]
        if not failed and self.result.coarse is None:
            return "nothing in it could be judged"
        return "; ".join(dict.fromkeys(map(_why_not, failed)))

    @property
    def feedback(self) -> str:
        """The sentences that break the rule, why, and what the documents say; for a model too."""
        source = self.example.source
        return "\n".join(_reproach(each, source) for each in self.broken)

    def without_broken(self) -> str:
        """The answer without what breaks the rule; empty if that is all, or has no place in it."""
        spans = [span for each in self.broken for span in each.unit.spans]
        if any(not each.unit.spans for each in self.broken):
            return ""
        return _cut(self.text, [(span.start, span.end) for span in spans])


def _why_not(finding: Finding) -> str:
    failure = finding.failure
    return f"{failure.reason}: {failure.detail}" if failure and failure.detail else "no verdict"


def _reproach(finding: Finding, source: Source) -> str:
    said = f"- “{shortened(finding.text, _LONGEST_QUOTE)}”"
    parts = [said, finding.note or f"It is {finding.label or finding.coarse}."]
    quotes = [_quoted(each, source) for each in finding.evidence[:_MOST_PASSAGES]]
    if quotes:
        parts.append("The documents say: " + " … ".join(quotes))
    return " ".join(parts)


def _quoted(span: Span, source: Source) -> str:
    name = shortened(source.passage_at(span.start), _LONGEST_NAME)
    return f"“{shortened(span.text, _LONGEST_QUOTE)}”" + (f" ({name})" if name else "")


def _cut(text: str, places: Sequence[tuple[int, int]]) -> str:
    """The text without these places, and without lines of which nothing else is left.

    >>> _cut("One. Two. Three.", [(5, 9)]), _cut("- One.\\n- Two.", [(2, 6)])
    ('One. Three.', '- Two.')
    """
    hidden = [False] * len(text)
    for start, end in places:
        hidden[start:end] = [True] * (end - start)
    lines, place = [], 0
    for line in text.splitlines(keepends=True):
        gone = hidden[place : place + len(line)]
        place += len(line)
        kept = "".join(each for each, cut in zip(line, gone, strict=True) if not cut)
        if not any(gone):
            lines.append(line)
        elif not _NOTHING_LEFT.fullmatch(kept):
            lines.append(re.sub(r"(?<=\S)[ \t]{2,}+(?=\S)", " ", kept).rstrip(" \t"))
    return "".join(lines).strip()


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """Checks answers one by one; nothing is kept of them."""

    request: CheckRequest
    gate: Gate
    language: str | None = None

    @classmethod
    def by(
        cls,
        fail_on: str | Sequence[str],
        how: DetectorArguments,
        language: str | None = None,
    ) -> "AnswerCheck":
        """The check with a detector and a rule; what is wrong with either raises at once."""
        names = fail_on.split(",") if isinstance(fail_on, str) else fail_on
        wanted = [name.strip() for name in names if name.strip()]
        if not wanted:
            raise InputError("fail_on names no label, so that nothing could fail", field="fail_on")
        request = check_request(how)
        gate = make_gate(None, wanted, request.detector.capabilities.taxonomy)
        return cls(request, gate, check_language(language))

    def read(self, row: Mapping[str, object]) -> Row:
        """The example in a row, by the usual names of fields; one that is not there raises.

        A field that is there and empty is a problem of this answer, on which there is no verdict.
        """
        read = try_row(row, "the answer", 1, _USUAL, self.language)
        if isinstance(read, Problem) and read.field.endswith("_field"):
            raise error_of(read)
        return read.example if isinstance(read, Annotated) else read

    def check(self, row: Row) -> CheckedAnswer:
        """Judges one answer; a service that cannot be used is the reason for having no verdict."""
        try:
            return self.check_all([row], journal=False)[0]
        except ServiceError as error:
            return CheckedAnswer(_example(row), None, error=error)

    async def acheck(self, row: Row) -> CheckedAnswer:
        """The same for a program with an event loop of its own."""
        try:
            return (await self.acheck_all([row], journal=False))[0]
        except ServiceError as error:
            return CheckedAnswer(_example(row), None, error=error)

    def check_all(self, rows: Sequence[Row], *, journal: bool = True) -> list[CheckedAnswer]:
        """Judges many answers together, in order; what cuts it off raises."""
        given = GivenRows(rows, "keep")
        checking = start_check(given, self.request, journal=journal)
        judged = given.complete(lambda: checking.results(refuse), checking.manifest.author)
        return self._checked(rows, checking, list(judged))

    async def acheck_all(self, rows: Sequence[Row], *, journal: bool = True) -> list[CheckedAnswer]:
        """The same for a program with an event loop of its own."""
        given = GivenRows(rows, "keep")
        # In a thread, since what a detector needs may take a while to import.
        checking: Check = await asyncio.to_thread(start_check, given, self.request, journal=journal)
        found = await checking.collect(refuse)
        judged = given.complete(lambda: found, checking.manifest.author)
        return self._checked(rows, checking, list(judged))

    def _checked(
        self, rows: Sequence[Row], checking: Check, results: list[Result]
    ) -> list[CheckedAnswer]:
        return [
            CheckedAnswer(
                _example(row),
                Report(checking.manifest, (result,), checking.stages),
                self.gate.breaking(result),
            )
            for row, result in zip(rows, results, strict=True)
        ]


def _example(row: Row) -> Example:
    example = row.example if isinstance(row, Annotated | Problem) else row
    return example or Example("1", Source(""), Response(""))


def answer_row(said: object, question: str, documents: object) -> dict[str, object]:
    """The row of an answer with its question and documents; those that it brings along go first.

    It is a text, a message, a dict with the answer among its fields, or a response of LlamaIndex.
    """
    is_row = isinstance(said, Mapping) and "role" not in said
    row: dict[str, object] = dict(said) if isinstance(said, Mapping) and is_row else {}
    row = row or {"response": said}
    brought = getattr(said, "source_nodes", None)
    source = brought if brought or documents is None else documents
    for field, value in (("question", question or None), ("source", source)):
        if value is not None and _USUAL.find(field, row) is None:
            row = {**{name: row[name] for name in row if name != field}, field: value}
    return row


def with_text(example: Example, text: str) -> Example:
    """The same example with another answer."""
    return replace(example, response=replace(example.response, text=text), units=())
