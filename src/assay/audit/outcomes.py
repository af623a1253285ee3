"""The report of an audit: wrong labels, their kinds of error, and rankings since.

The tables are those of "Revisiting Faithfulness Annotations for Long-form Summaries": the outcome
of each data set (Table 2), the kinds of error in the revised labels (Figure 3), and the balanced
accuracy and rank of detectors before and after (Table 4).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.audit.adjudication import decided_record
from assay.audit.controls import ControlOutcome, control_outcome
from assay.audit.profiles import Profile, profile_of
from assay.audit.revisions import Application
from assay.audit.verification import STANDINGS, rests_on, voters_of
from assay.audit.versions import Shift, rank_shifts
from assay.core.examples import Annotated
from assay.core.judgements import GOLD
from assay.core.pooling import GoldBasis
from assay.core.units import RESPONSE
from assay.decisions.proposals import CONFLICT, OPEN, Decided
from assay.evaluation.corpora.label_changes import LabelChanges, compare_labels
from assay.evaluation.evaluate import Predictions, Settings
from assay.evaluation.gold import annotator_ballots, gold_labels
from assay.evaluation.items import describe_gold, find_items
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.shares import SourceShare, source_of
from assay.metrics import Estimate


@dataclass(frozen=True, slots=True)
class AuditTally:
    """The audit of one data set, or of one task of it, in counts of units."""

    name: str
    units: int
    flagged: int
    open: int
    conflicts: int
    incorrect: int
    ambiguous: int
    system_errors: int
    revised: int
    rate: Estimate  # the inconsistency rate: the revised labels as a share of all

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The findings and changes of an audit, and the ranking of detectors since.

    `with_minority` counts the revised units of which at least one annotator had said so before,
    among those that have votes of annotators. `out_of_step` counts the responses whose own label
    no longer follows from their sentences. Intervals of shares resample sources.
    """

    dataset: str
    unit: GoldUnit
    reading: str
    tallies: tuple[AuditTally, ...]  # of the whole, then of each task where there are several
    standings: dict[str, int]
    profiles: tuple[Profile, ...]
    changes: LabelChanges
    with_minority: Estimate
    out_of_step: int
    shifts: tuple[Shift, ...]
    revisions: tuple[Decided, ...]
    unverified: int  # of the revisions: those that too few votes agree with
    waiting: int  # revisions that are not applied since votes are missing
    by_model: bool = False  # detectors are ranked among those that ask the same model
    flaggers: tuple[str, ...] = ()  # who flagged; empty where that is not known
    by_flaggers: int = 0  # verified revisions that would not be without the votes of flaggers
    control: ControlOutcome | None = None
    gold: GoldBasis | None = None  # what the labels before rest on; those after are the data's own

    @property
    def is_complete(self) -> bool:
        """True if nothing waits for a decision or for votes."""
        return not self.open and not self.tallies[0].conflicts and not self.waiting

    @property
    def open(self) -> int:
        """The number of flags and controls that nobody has decided about."""
        return self.tallies[0].open + (self.control.open if self.control else 0)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "dataset": self.dataset,
            "unit": self.unit,
            "reading": self.reading,
            "gold": self.gold.to_dict() if self.gold else None,
            "tallies": [each.to_dict() for each in self.tallies],
            "standings": self.standings,
            "applied_unverified": self.unverified,
            "profiles": [each.to_dict() for each in self.profiles],
            "changes": self.changes.to_dict(),
            "with_minority": asdict(self.with_minority),
            "out_of_step": self.out_of_step,
            "ranked_within": "model" if self.by_model else None,
            "flaggers": list(self.flaggers),
            "verified_only_by_flaggers": self.by_flaggers,
            "control": self.control.to_dict() if self.control else None,
            "ranking": [each.to_dict() for each in self.shifts],
            "revisions": [decided_record(each) for each in self.revisions],
        }


def report_on(
    dataset: str,
    before: Sequence[Annotated],
    after: Sequence[Annotated],
    application: Application,
    predictions: Sequence[Predictions],
    settings: Settings,
) -> AuditReport:
    """The report of an audit, from the data before and after it."""
    unit = settings.policy.unit
    parts = _parts(dataset, before)
    applied, ruled = application.applied, tuple(application.ruled.values())
    flaggers = tuple(each.name for each in application.notes.flaggers)
    return AuditReport(
        dataset,
        unit,
        describe_gold(find_items(before, settings.policy), settings.policy),
        tuple(_tally(name, examples, application, unit) for name, examples in parts),
        {s: sum(r.standing == s for r in ruled) for s in STANDINGS},
        tuple(profile_of(name, _inside(examples, applied)) for name, examples in parts),
        compare_labels(before, after, unit),
        _with_minority(before, applied, settings.policy),
        _out_of_step(before, after),
        rank_shifts(dataset, before, after, predictions, settings, flaggers) if predictions else (),
        applied,
        sum(application.ruled[each.proposal.key].standing != "verified" for each in applied),
        sum(
            each.standing == "unverified" and not application.counts(each.decided) for each in ruled
        ),
        settings.by_model,
        flaggers,
        rests_on(ruled, application.notes.involved(voters_of(ruled))),
        control_outcome(application.key, application.decided) if application.key else None,
    )


def _parts(dataset: str, annotated: Sequence[Annotated]) -> list[tuple[str, Sequence[Annotated]]]:
    """All of the data, and each of its tasks where there are several."""
    tasks: dict[str, list[Annotated]] = {}
    for each in annotated:
        tasks.setdefault(each.example.task, []).append(each)
    single = len(tasks) < 2
    named = [] if single else [(task or "(no task)", some) for task, some in tasks.items()]
    return [(dataset, annotated), *named]


def _tally(
    name: str, annotated: Sequence[Annotated], application: Application, unit: GoldUnit
) -> AuditTally:
    inside = _inside(annotated, application.flagged)
    counts = Counter(each.state for each in inside)
    applied = {each.proposal.key for each in application.applied}
    revised = SourceShare()
    for each in annotated:
        for labelled, _ in gold_labels(each, unit, "corpus"):
            revised.add(source_of(each.example), (each.id, labelled.id) in applied)
    return AuditTally(
        name,
        revised.n,
        len(inside),
        counts[OPEN],
        counts[CONFLICT],
        counts["incorrect"],
        counts["ambiguous"],
        counts["system-error"],
        revised.count,
        revised.estimate(),
    )


def _inside(annotated: Iterable[Annotated], decided: Iterable[Decided]) -> list[Decided]:
    """The decisions about some of the examples."""
    ids = {each.id for each in annotated}
    return [each for each in decided if each.proposal.line.id in ids]


def _with_minority(
    before: Iterable[Annotated], applied: Sequence[Decided], policy: GoldPolicy
) -> Estimate:
    """Of the revised units that annotators voted on, those where one had said so before."""
    wanted: dict[str, list[Decided]] = {}
    for each in applied:
        wanted.setdefault(each.proposal.line.id, []).append(each)
    seen = SourceShare()
    for example in before:
        if example.id not in wanted:
            continue
        ballots = {unit.id: votes for unit, votes in annotator_ballots(example, policy.unit)}
        for each in wanted[example.id]:
            votes, verdict = (
                ballots.get(each.proposal.unit.id),
                each.decision and each.decision.verdict,
            )
            if votes and verdict and verdict.label:
                new = policy.is_faithful(verdict.label)
                had = any(policy.is_faithful(label) == new for label in votes.values())
                seen.add(source_of(example.example), had)
    return seen.estimate()


def _out_of_step(before: Sequence[Annotated], after: Sequence[Annotated]) -> int:
    """The number of responses whose own label followed from their sentences until now."""
    old = {each.id: each for each in before}
    return sum(
        each is not old.get(each.id) and _follows(old.get(each.id)) and not _follows(each)
        for each in after
    )


def _follows(annotated: Annotated | None) -> bool:
    """True if the gold label of a response is what its sentences add up to."""
    if annotated is None:
        return False
    own = next(
        (
            found.label
            for judgement in annotated.gold
            if judgement.author == GOLD and (found := judgement.finding(RESPONSE)) and found.label
        ),
        None,
    )
    labels = [label for _, label in gold_labels(annotated, "sentence", "corpus")]
    if own is None or not labels:
        return True
    is_bad = any(label.coarse == "unfaithful" for label in labels)
    return is_bad == (own.coarse == "unfaithful")
