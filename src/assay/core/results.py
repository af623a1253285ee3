"""An example with what a detector said of it, as users read it."""

from dataclasses import dataclass
from functools import cached_property

from assay.core.codec import write_judgement
from assay.core.examples import Example
from assay.core.folding import fold_judgement
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Coarse, Label, worst_coarse
from assay.core.problems import Problem
from assay.core.texts import shortened
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.core.wire import LEFT_OUT, ResponseRecord


@dataclass(frozen=True)
class Result:
    """One example and one author's judgement of it.

    A row that could not be read has a `problem`, a single failure, and what is known of its texts.
    """

    example: Example
    judgement: Judgement
    problem: Problem | None = None

    def __repr__(self) -> str:
        units, failures = len(self.units), len(self.failures)
        about = [self.coarse or "no verdict", f"{units} unit{'s' if units != 1 else ''}"]
        about += [f"{failures} failure{'s' if failures != 1 else ''}"] if failures else []
        about += [f"label {self.label}"] if self.label else []
        about += [f"score {self.score:.2f}"] if self.score is not None else []
        return f"<Result {shortened(self.id, 30)}: {', '.join(about)}>"

    @property
    def id(self) -> str:
        """The example's id."""
        return self.example.id

    @property
    def sentences(self) -> tuple[Finding, ...]:
        """What was said of its sentences, in order."""
        return tuple(each for each in self.judgement.findings if each.kind == "sentence")

    @property
    def units(self) -> tuple[Finding, ...]:
        """What was said of all its units, of whatever kind, in order."""
        return self.judgement.findings

    @property
    def counted(self) -> tuple[Finding, ...]:
        """The findings that say how good the response is: all but parts of what was judged."""
        return self.judgement.counted

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The units left without a verdict."""
        return self.judgement.failures

    @cached_property
    def response(self) -> Finding:
        """The whole response: as it was judged, or as bad as its worst unit that states a fact.

        Where units have no verdict and no other is unfaithful, it has none either.
        """
        return Finding(Unit.response(self.example.response.text), fold_judgement(self.judgement))

    @property
    def coarse(self) -> Coarse | None:
        """Whether the response is faithful, counted as by `assay check --fail-on`.

        `unfaithful` if a unit is, for sure; or else `not-sure` if one is; or else None if one has
        no verdict; or else `faithful`, or `no-fact` if no unit states a fact.
        """
        return worst_coarse(each.coarse for each in self.counted)

    @property
    def label(self) -> Label | None:
        """The label of the response, however unsure it is; None where it has none."""
        return self.response.label

    @property
    def score(self) -> float | None:
        """The response's score; None where no unit has one."""
        return self.response.score

    @property
    def coverage(self) -> float:
        """The share of its units, parts aside, that have a verdict."""
        return _coverage(self.judgement)

    def to_json(self) -> bytes:
        """Its line in a document, with what the units add up to."""
        return write_line(self.judgement)


def write_line(judgement: Judgement) -> bytes:
    """The line of a judgement in a document, with what its units add up to."""
    whole = fold_judgement(judgement)
    label = whole.label.name if whole.label else None
    return write_judgement(
        judgement,
        ResponseRecord(
            label, whole.score, round(_coverage(judgement), 4), is_unsure(whole) or LEFT_OUT
        ),
    )


def is_unsure(outcome: Outcome) -> bool:
    """Whether a verdict has a label that its author is not sure of."""
    return isinstance(outcome, Verdict) and bool(outcome.attributes.unsure)


def is_flagged(finding: Finding) -> bool:
    """Whether somebody should look at a unit: unfaithful, not sure, or without a verdict."""
    return finding.coarse in (None, "unfaithful", "not-sure")


def _coverage(judgement: Judgement) -> float:
    counted = judgement.counted
    return sum(each.verdict is not None for each in counted) / max(1, len(counted))
