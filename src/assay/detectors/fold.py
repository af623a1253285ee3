"""`fold`: from the units of a response up to one verdict on all of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args, overload

from assay.core.errors import UnknownNameError
from assay.core.examples import Example, Judgement, without_parts
from assay.core.labels import Label, Taxonomy, worst
from assay.core.taxonomies import BINARY
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.protocol import Judge
from assay.detectors.protocol import Detector
from assay.detectors.units import response_unit
from assay.llm.client import Client

Rule = Literal["worst", "mean", "any"]


@dataclass(frozen=True, slots=True)
class Fold:
    """A detector of units, heard as a detector of responses."""

    detector: Detector
    rule: Rule = "worst"
    unit_kind: UnitKind = "response"

    @property
    def name(self) -> str:
        """The detector's name and the rule."""
        return f"{self.detector.name} {self.rule}"

    @property
    def taxonomy(self) -> Taxonomy:
        """The detector's own for `worst`, otherwise binary."""
        return self.detector.taxonomy if self.rule == "worst" else BINARY

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """One outcome an example."""
        return (_folded(judgement, self.rule) for judgement in self.detector.detect(examples))


@dataclass(frozen=True, slots=True)
class FoldedJudge(Fold):
    """A judge of units, heard as a judge of responses."""

    detector: Judge

    @property
    def client(self) -> Client:
        """Whom the judge asks."""
        return self.detector.client

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of the judge."""
        return self.detector.prompt_digests

    async def judge(self, example: Example) -> Judgement:
        """One outcome for the example."""
        return _folded(await self.detector.judge(example), self.rule)


@overload
def fold(detector: Judge, rule: Rule = "worst") -> FoldedJudge: ...


@overload
def fold(detector: Detector, rule: Rule = "worst") -> Fold: ...


def fold(detector: Detector, rule: Rule = "worst") -> Fold:
    """The same detector on whole responses; a judge stays one.

    worst: the least faithful label and the lowest score; no-fact counts only if all units are.
    mean: faithful if the mean score is at least 0.5.
    any: unfaithful if any unit is unfaithful.
    Where units failed, only `worst` and `any` can give a verdict, and only an unfaithful one.
    """
    if rule not in get_args(Rule):
        raise UnknownNameError("rule", rule, get_args(Rule))
    return FoldedJudge(detector, rule) if isinstance(detector, Judge) else Fold(detector, rule)


def _folded(judgement: Judgement, rule: Rule) -> Judgement:
    outcome = fold_outcomes(response_unit(judgement.example), judgement.outcomes, rule)
    return Judgement(judgement.example, (outcome,), judgement.characters_read)


def fold_outcomes(unit: Unit, outcomes: Iterable[Outcome], rule: Rule = "worst") -> Outcome:
    """One outcome for a response from those of its units; the parts of its sentences do not count.

    Where units failed, and the others do not make it unfaithful already, it is a failure.
    """
    outcomes = without_parts(outcomes)
    verdicts = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    if not verdicts:
        return _nothing_judged(unit, failures)
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    score = _pool(scores, rule)
    label = _label(verdicts, score, rule)
    if label is None and score is None:
        return Failure(unit, "missing", "its units have neither the labels nor the scores to fold")
    if failures and (rule == "mean" or not _is_unfaithful(label, score)):
        first = failures[0]
        detail = f"only a part of it was judged: {len(failures)} of {len(outcomes)} units failed"
        return Failure(unit, first.reason, detail, first.raw)
    note = f"{rule} of {len(verdicts)} units" + (f", {len(failures)} failed" if failures else "")
    return Verdict(unit, label, score, note=note)


def _nothing_judged(unit: Unit, failures: Sequence[Failure]) -> Failure:
    if not failures:
        return Failure(unit, "missing", "the response has no units")
    return Failure(unit, failures[0].reason, failures[0].detail, failures[0].raw)


def _is_unfaithful(label: Label | None, score: float | None) -> bool:
    """Whether a response stays unfaithful whatever its other units are."""
    if label is not None:
        return label.coarse == "unfaithful"
    return score is not None and score < 0.5


def _pool(scores: list[float], rule: Rule) -> float | None:
    if not scores:
        return None
    return sum(scores) / len(scores) if rule == "mean" else min(scores)


def _label(verdicts: list[Verdict], score: float | None, rule: Rule) -> Label | None:
    labels = [verdict.label for verdict in verdicts if verdict.label]
    if rule == "mean":
        return None if score is None else BINARY.labels[score >= 0.5]
    if not labels:
        return None
    if rule == "any":
        return BINARY.labels[all(label.coarse != "unfaithful" for label in labels)]
    return worst([label for label in labels if label.coarse != "no-fact"] or labels)
