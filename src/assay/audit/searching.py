"""The flags of a data set: where detectors disagree with its gold labels, ranked, for people."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.audit.ballots import RULES, Ballots, Rule, count_ballots, decides
from assay.audit.comparing import Comparing
from assay.audit.flagging import Labelled, Reason, Suspicion, reason_against, suspicion_of
from assay.audit.forms import make_form, without_forms
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgement, Judgements
from assay.core.labels import Label
from assay.core.recording import with_said
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.datasets.selection import Entry
from assay.evaluation.evaluate import name_of, sampled
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.references import align, refuse_repeated
from assay.evaluation.shares import SourceShare, source_of
from assay.metrics import Estimate


@dataclass(frozen=True, slots=True)
class Searching:
    """How flags are found: which units, by which rule of detectors, and how labels are compared."""

    unit: GoldUnit = "sentence"
    rule: Rule = "any"
    comparing: Comparing = field(default_factory=Comparing)
    entries: tuple[Entry, ...] = ()  # of the whole corpus, where only a part is looked at

    @property
    def policy(self) -> GoldPolicy:
        """How gold labels are pooled, and read as faithful or not where votes are counted."""
        return GoldPolicy(self.unit)

    def describe(self) -> str:
        """What is flagged, in words."""
        who = {"any": "any", "majority": "most", "unanimous": "all"}[self.rule]
        return (
            f"{self.unit} level, flagged if {who} of the detectors with a comparable verdict "
            f"disagree; {self.comparing.describe()}"
        )


@dataclass(frozen=True, slots=True)
class Flag:
    """A unit that people should look at, and who disagrees with its gold label."""

    example: str
    unit: Unit
    label: Label
    compared: int
    suspicion: Suspicion

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "example": self.example,
            "unit": self.unit.id,
            "text": self.unit.text,
            "label": self.label.name,
            "taxonomy": self.label.taxonomy,
            "severity": self.suspicion.severity,
            "compared": self.compared,
            "reasons": [asdict(each) for each in self.suspicion.reasons],
        }


@dataclass(slots=True)
class DetectorCounts:
    """What became of one detector's verdicts on the units that were looked at."""

    detector: str
    compared: SourceShare = field(default_factory=SourceShare)
    incomparable: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    @property
    def agrees(self) -> int:
        """How many verdicts do not disagree with the gold label."""
        return self.compared.n - self.compared.count

    @property
    def disagrees(self) -> int:
        """How many verdicts disagree with the gold label."""
        return self.compared.count

    @property
    def disagreement(self) -> Estimate:
        """The share of the comparable verdicts that disagree."""
        return self.compared.estimate()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "detector": self.detector,
            "agrees": self.agrees,
            "disagrees": self.disagrees,
            "disagreement": asdict(self.disagreement),
            "incomparable": self.incomparable,
            "failures": dict(self.failures),
        }


@dataclass(frozen=True, slots=True)
class RuleFlags:
    """What a rule of the detectors would flag, and the gold labels that this puts in doubt."""

    rule: Rule
    flagged: Estimate
    faithful: int
    unfaithful: int
    others: int


@dataclass(slots=True)
class _RuleCounts:
    rule: Rule
    share: SourceShare = field(default_factory=SourceShare)
    golds: Counter[str] = field(default_factory=Counter)

    def add(self, source: str, label: Label, *, is_flagged: bool) -> None:
        self.share.add(source, is_flagged)
        if is_flagged:
            self.golds[label.coarse] += 1

    def counted(self) -> RuleFlags:
        faithful, unfaithful = self.golds["faithful"], self.golds["unfaithful"]
        others = self.share.count - faithful - unfaithful
        return RuleFlags(self.rule, self.share.estimate(), faithful, unfaithful, others)


@dataclass(frozen=True, slots=True)
class Flagging:
    """The flags of a data set, the most severe first, and the lines in which people decide.

    `units` counts the labels that were looked at, `left_out` those that the reading or the user
    leaves out, by their names. `rules` says what each rule would flag, `share` is that of the
    chosen one. Intervals resample sources.
    """

    dataset: str
    about: str
    unit: GoldUnit
    examples: int
    units: int
    left_out: Counter[str]
    detectors: tuple[DetectorCounts, ...]
    flags: tuple[Flag, ...]
    lines: tuple[Annotated, ...]
    share: Estimate
    rules: tuple[RuleFlags, ...]
    ballots: Ballots | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every detector has a verdict on every unit that was looked at."""
        return not any(each.failures for each in self.detectors)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the lines as plain JSON values."""
        return {
            "dataset": self.dataset,
            "about": self.about,
            "unit": self.unit,
            "examples": self.examples,
            "units": self.units,
            "left_out": dict(self.left_out),
            "flagged": len(self.flags),
            "share": asdict(self.share),
            "rules": [asdict(each) for each in self.rules],
            "detectors": [each.to_dict() for each in self.detectors],
            "flags": [each.to_dict() for each in self.flags],
            "annotators": self.ballots.to_dict() if self.ballots else None,
        }


def find_flags(
    dataset: str,
    annotated: Sequence[Annotated],
    predictions: Sequence[Judgements],
    searching: Searching,
) -> Flagging:
    """Where detectors disagree with the gold labels of some examples."""
    _refuse_people(predictions)
    refuse_repeated(dataset, (each.id for each in annotated))
    kept = [without_forms(each) for each in sampled(annotated, predictions, searching.entries)]
    labelled = {each.id: gold_labels(each, searching.unit, searching.policy.pool) for each in kept}
    menus = {label.taxonomy for given in labelled.values() for _, label in given}
    if not menus:
        raise InputError(f"{dataset} has no gold labels at {searching.unit} level", field="unit")
    comparing = searching.comparing
    comparing.require_labels(menus)
    known = {each.id for each in annotated} | {each.id for each in searching.entries}
    said = [_said(each, kept, known) for each in predictions]
    counts = tuple(DetectorCounts(name_of(each)) for each in predictions)
    rules = {rule: _RuleCounts(rule) for rule in RULES}
    left_out: Counter[str] = Counter()
    flags: list[Flag] = []
    units = 0
    for each in kept:
        source = source_of(each.example)
        judgements = [some[each.id] for some in said]
        for unit, label in labelled[each.id]:
            if not comparing.counts(label):
                left_out[label.name] += 1
                continue
            units += 1
            reasons, compared = _against(source, (unit, label), judgements, counts, searching)
            for rule, counted in rules.items():
                is_flagged = decides(rule, len(reasons), compared)
                counted.add(source, label, is_flagged=is_flagged)
                if is_flagged and rule == searching.rule:
                    flags.append(
                        Flag(each.id, unit, label, compared, suspicion_of(unit.id, reasons))
                    )
    flags.sort(key=lambda flag: -flag.suspicion.severity)
    return Flagging(
        dataset,
        searching.describe(),
        searching.unit,
        sum(bool(given) for given in labelled.values()),
        units,
        left_out,
        counts,
        tuple(flags),
        tuple(_lines(kept, flags, said)),
        rules[searching.rule].share.estimate(),
        tuple(each.counted() for each in rules.values()),
        count_ballots(kept, searching.policy),
    )


def _said(
    predictions: Judgements, annotated: Sequence[Annotated], known: set[str]
) -> dict[str, Judgement]:
    """What a detector says of each example; units are found by their places, not by their ids."""
    whole = (replace(each.example, units=()) for each in annotated)
    return {each.example: each for each in align(predictions, whole, known)}


def _against(
    source: str,
    labelled: Labelled,
    judgements: Sequence[Judgement],
    counts: Sequence[DetectorCounts],
    searching: Searching,
) -> tuple[list[Reason], int]:
    """Who disagrees with the label of a unit, and how many have a comparable verdict."""
    reasons: list[Reason] = []
    compared = 0
    for judgement, count in zip(judgements, counts, strict=True):
        found = reason_against(labelled, judgement, searching.comparing)
        if isinstance(found, Failure):
            count.failures[found.reason] += 1
        elif found is None:
            count.incomparable += 1
        else:
            compared += 1
            count.compared.add(source, isinstance(found, Reason))
            if isinstance(found, Reason):
                reasons.append(replace(found, author=count.detector))
    return reasons, compared


def _lines(
    annotated: Sequence[Annotated], flags: Sequence[Flag], said: Sequence[dict[str, Judgement]]
) -> Iterator[Annotated]:
    """The flagged examples, that of the most severe flag first, each with a form."""
    by_id = {each.id: each for each in annotated}
    by_example: dict[str, list[Flag]] = {}
    for flag in flags:
        by_example.setdefault(flag.example, []).append(flag)
    for id, some in by_example.items():
        spoken = [detector[id] for detector in said if _speaks(detector[id])]
        line = with_said(by_id[id], spoken)
        yield line.with_judgements(make_form(line, [(each.unit, each.label) for each in some]))


def _speaks(judgement: Judgement) -> bool:
    """Whether a detector says anything at all."""
    return not all(isinstance(e, Failure) and e.reason == "missing" for e in judgement.outcomes)


def _refuse_people(predictions: Sequence[Judgements]) -> None:
    for each in predictions:
        if each.manifest.author.kind == "person":
            raise InputError(
                f"{each.reference} has labels of people; gold labels are flagged by detectors",
                field="detectors",
            )
    if not predictions:
        raise InputError("there is no detector to compare the gold with", code="no-detectors")
