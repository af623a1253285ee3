"""Checks of files, one of many examples or two of text, and the rules by which they fail."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated

from assay.app.rows import text_example
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.labels import COARSE, Label, Taxonomy
from assay.core.options import Argument, Option, Takes
from assay.core.places import STDIN, Place
from assay.core.results import UNSURE, Result, count_of, is_unsure, noun_of
from assay.core.system.files import refuse_as_output
from assay.core.system.lines import DOCUMENT_LIMIT, decode, read_whole, refuse_crowded, why_not_json
from assay.datasets.encodings import open_binary
from assay.datasets.fields import Columns
from assay.datasets.files import count_rows, read_file
from assay.engine.check import (
    Check,
    CheckRequest,
    estimate_check,
    start_check,
)
from assay.engine.kept_checks import Row

__all__ = ["Check", "CheckRequest", "Row", "estimate_check", "start_check"]


@dataclass(frozen=True, slots=True)
class Inputs:
    """The files and fields that the user named."""

    file: Annotated[
        str | None,
        Argument(
            "Examples: .json, .jsonl, .csv, .tsv, .parquet (also .gz); '-' reads standard input.",
            "FILE",
        ),
    ] = None
    source: Annotated[
        str | None, Option("The source: text, or .json for a structured one.", "FILE")
    ] = None
    response: Annotated[str | None, Option("The response to check, as text.", "FILE")] = None
    question: Annotated[str, Option("The question that the response answers.", "TEXT")] = ""
    otel: Annotated[
        str | None,
        Option("Exported traces (OTLP JSON): check each answer by what was retrieved.", "FILE"),
    ] = None
    columns: Annotated[Columns, Takes("label_field label_taxonomy")] = field(
        default_factory=Columns
    )
    language: Annotated[
        str | None, Option("Language of the texts, as in 'de'; detected if left out.", "CODE")
    ] = None

    def read(self) -> Iterator[Row]:
        """The examples; what cannot be used at all raises at once."""
        if self.otel is not None:
            return self._traces(self.otel)
        if self.file is not None:
            if self.source or self.response or self.question:
                raise InputError(
                    "give a file of examples, or a source and a response, not both", field="file"
                )
            from assay.datasets.formats.detection import OTHERS, form_of, read_annotated

            # Our own lines are read by their plain fields, as any other file of one example a row.
            read = read_annotated if form_of(self.file) in OTHERS else read_file
            return iter(read(self.file, self.columns, self.language))
        if self.source is None or self.response is None:
            raise InputError(
                "nothing to check: give a file of examples, or a source and a response",
                code="nothing-to-check",
            )
        if self.source == self.response == "-":
            raise InputError("only one of source and response can be standard input")
        return iter([self._pair(self.source, self.response)])

    def refuse_as_output(self, path: str) -> None:
        """Raises if an output would take the place of an input."""
        refuse_as_output(path, self.file, self.source, self.response, self.otel)

    def count(self) -> int | None:
        """The number of examples, if it is known beforehand."""
        if self.otel is not None:
            return None
        if self.file is None:
            return 1
        from assay.datasets.formats.detection import OTHERS, form_of

        return None if form_of(self.file) in OTHERS else count_rows(self.file)

    def _traces(self, path: str) -> Iterator[Row]:
        if self.file or self.source or self.response or self.question:
            raise InputError("give traces, or other examples, not both", field="otel")
        from assay.datasets.formats.otel.traces import read_traces

        return read_traces(path, self.language)

    def _pair(self, source: str, response: str) -> Example:
        try:
            grounding = _read_text_or_json(source)
            example = text_example(grounding, _read_text(response), self.question, self.language)
        except InputError as error:
            raise InputError(_with_file(str(error), source, response)) from None
        file = STDIN if response == "-" else response
        return replace(example, place=Place(file, is_text=True, names_example=True))


def _read_text(path: str) -> str:
    with open_binary(path) as file:
        return decode(read_whole(file, path), path)


def _read_text_or_json(path: str) -> object:
    text = _read_text(path)
    if not path.endswith(".json"):
        return text
    try:
        refuse_crowded(text, DOCUMENT_LIMIT)
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {why_not_json(error)}") from None


def _with_file(message: str, source: str, response: str) -> str:
    """The message with the file that it speaks of."""
    for what, path in (("the source ", source), ("the response ", response)):
        if message.startswith(what) and path != "-":
            return f"{path}: {message}"
    return message


@dataclass(slots=True)
class Gate:
    """Counts what breaks the rules: a score that is too low, or an unwanted label.

    A label that its author is not sure of breaks no rule about labels; it breaks one about what is
    not sure. A rule about the share of unfaithful responses counts those that are so for sure,
    among those that have a verdict. What has a score and no label breaks rules about coarse
    readings. A rule about scores looks at scores alone.
    """

    fail_under: float | None = None
    fail_on: frozenset[Label] = frozenset()
    fail_on_coarse: frozenset[str] = frozenset()
    low_scores: int = 0
    bad_labels: Counter[str] = field(default_factory=Counter)
    unscored: int = 0
    bad_kinds: set[str] = field(default_factory=set)
    spared: int = 0  # units whose label would break a rule if it were sure
    spared_kinds: set[str] = field(default_factory=set)
    max_unfaithful: float | None = None  # share of responses
    judged: int = 0  # responses
    unfaithful: int = 0

    def add(self, result: Result) -> None:
        """Compares one more result with the rules."""
        self._count_share(result)
        if self.fail_under is not None:
            self.unscored += result.score is None and _states_fact(result)
            self.low_scores += any(map(self._is_low, result.counted))
        for finding in result.counted if self.fail_on or self.fail_on_coarse else ():
            if name := self.broken_by(finding):
                self.bad_labels[name] += 1
                self.bad_kinds.add(finding.kind)
            elif is_unsure(finding.outcome) and finding.label in self.fail_on:
                self.spared += 1
                self.spared_kinds.add(finding.kind)

    def breaking(self, result: Result) -> tuple[Finding, ...]:
        """The findings of a result for which it breaks a rule about scores or labels."""
        return tuple(each for each in result.counted if self._is_low(each) or self.broken_by(each))

    def broken_by(self, finding: Finding) -> str:
        """The label, or `not sure`, that breaks a rule; empty where none is broken."""
        label, coarse = finding.label, finding.coarse
        if is_unsure(finding.outcome):
            return UNSURE if "not-sure" in self.fail_on_coarse else ""
        if label is None:
            return coarse if coarse and coarse in self.fail_on_coarse else ""
        return label.name if label in self.fail_on else ""

    def _is_low(self, finding: Finding) -> bool:
        if self.fail_under is None or finding.score is None:
            return False
        return finding.score < self.fail_under

    def _count_share(self, result: Result) -> None:
        """One without a verdict for all it says is counted only if what has one is unfaithful."""
        if result.coarse is not None:
            self.judged += 1
            self.unfaithful += result.coarse == "unfaithful"

    @property
    def share(self) -> str:
        """The share of unfaithful responses with its interval, where a rule is about it."""
        if self.max_unfaithful is None:
            return ""
        from assay.metrics.estimates import wilson_interval

        interval = wilson_interval(self.unfaithful, self.judged)
        if interval is None:
            return "no response was judged, so none counts as unfaithful"
        low, high = interval
        return (
            f"{self.unfaithful:,} of {count_of(self.judged, 'response')} unfaithful: "
            f"{self.unfaithful / self.judged:.1%}, 95 % interval {low:.1%} to {high:.1%}, "
            f"at most {self.max_unfaithful:.1%} allowed"
        )

    @property
    def _is_over(self) -> bool:
        most = self.max_unfaithful
        return most is not None and self.judged > 0 and self.unfaithful / self.judged > most

    @property
    def failed(self) -> bool:
        """True if anything broke a rule."""
        return bool(self.low_scores or self.bad_labels or self._is_over)

    def __str__(self) -> str:
        labels, names = self.bad_labels.total(), " or ".join(sorted(self.bad_labels))
        kind, unsure = noun_of(self.bad_kinds), noun_of(self.spared_kinds)
        told = (
            (self.low_scores, f"{count_of(self.low_scores, 'response')} below {self.fail_under}"),
            (labels, f"{count_of(labels, kind)} labelled {names}"),
            (self.spared, f"{count_of(self.spared, unsure)} not sure, which no rule here counts"),
            (self.unscored, f"{count_of(self.unscored, 'response')} without a score to compare"),
            (1 if self.share else 0, self.share),
        )
        return "; ".join(words for number, words in told if number)


def share_of(text: str) -> float:
    """A share as people write it: `5%` or `0.05`."""
    number, percent, rest = text.strip().partition("%")
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = -1.0
    if rest.strip() or not 0 <= share <= 1:
        raise InputError(f"{text!r} is no share; write it as in 5% or 0.05", field="max_unfaithful")
    return share


def make_gate(fail_under: float | None, fail_on: Iterable[str], taxonomy: Taxonomy) -> Gate:
    """The gate for some rules; names are labels of the taxonomy or coarse readings."""
    names, labels = tuple(fail_on), set[Label]()
    for name in names:
        if name in COARSE:
            labels.update(label for label in taxonomy if label.coarse == name)
        else:
            labels.add(_label(taxonomy, name))
    return Gate(fail_under, frozenset(labels), frozenset(names) & frozenset(COARSE))


def _label(taxonomy: Taxonomy, name: str) -> Label:
    try:
        return taxonomy[name]
    except UnknownNameError:
        menu = (*taxonomy.names, *COARSE)
        raise UnknownNameError("label", name, menu, field="fail_on") from None


def _states_fact(result: Result) -> bool:
    """True if the response has a verdict that could have a score."""
    return result.response.coarse in ("faithful", "not-sure", "unfaithful")
