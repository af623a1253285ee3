"""The flags of a data set: where detectors disagree with its gold labels, ranked, for people."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.audit.ballots import RULES, Rule, count_ballots, decides
from assay.audit.controls import ControlKey, Place
from assay.audit.disagreement import (
    Comparing,
    Labelled,
    Reason,
    reason_against,
    reason_of,
    suspicion_of,
)
from assay.audit.flags import DetectorCounts, Flag, Flagging, RationaleCounts, RuleFlags
from assay.audit.forms import make_form, without_forms
from assay.audit.notes import SearchNotes, flaggers_of, with_notes, without_notes
from assay.audit.revisions import settle_gold
from assay.core.errors import InputError
from assay.core.examples import Annotated, with_said
from assay.core.judgements import Judgement, Judgements
from assay.core.labels import Label
from assay.core.pooling import GoldBasis, Pool
from assay.core.verdicts import Failure
from assay.datasets.selection import ExampleEntry, choose
from assay.evaluation.evaluate import name_of, sampled
from assay.evaluation.gold import find_gold
from assay.evaluation.items import require_gold
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.references import align, refuse_repeated
from assay.evaluation.shares import SourceShare, source_of

Said = dict[str, Judgement]  # what a detector says, by the ids of examples
Marked = Sequence[tuple[str, Labelled]]  # units that people look at, with the ids of their examples
# What detectors say of some units that are asked for their reasons only.
AskReasons = Callable[[frozenset[Place]], Sequence[Judgements]]


@dataclass(frozen=True, slots=True)
class Searching:
    """The settings of a search: units, rule of detectors, and how labels are compared.

    `control` labels that were not flagged are drawn by `seed`, and put among the others. `pool`
    says how labels of several annotators become the gold.
    """

    unit: GoldUnit = "sentence"
    rule: Rule = "any"
    comparing: Comparing = field(default_factory=Comparing)
    entries: tuple[ExampleEntry, ...] = ()  # of the whole corpus, where only a part is looked at
    control: int = 0
    seed: int = 0
    pool: Pool = "corpus"

    @property
    def policy(self) -> GoldPolicy:
        """The pool of gold labels, and which of them are faithful where votes are counted."""
        return GoldPolicy(self.unit, self.pool)

    def describe(self, basis: GoldBasis) -> str:
        """The settings and the basis of the gold, in words."""
        who = {"any": "any", "majority": "most", "unanimous": "all"}[self.rule]
        return (
            f"{self.unit} level, flagged if {who} of the detectors with a comparable verdict "
            f"disagree; {basis.describe()}; {self.comparing.describe()}"
        )


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


@dataclass(slots=True)
class _Found:
    counts: tuple[DetectorCounts, ...]
    rules: dict[Rule, _RuleCounts] = field(
        default_factory=lambda: {rule: _RuleCounts(rule) for rule in RULES}
    )
    left_out: Counter[str] = field(default_factory=Counter)
    flags: list[Flag] = field(default_factory=list)
    others: list[tuple[str, Labelled]] = field(default_factory=list)  # that are not flagged


def find_flags(
    dataset: str,
    annotated: Sequence[Annotated],
    predictions: Sequence[Judgements],
    searching: Searching,
    ask_reasons: AskReasons | None = None,
) -> Flagging:
    """The gold labels of some examples that detectors disagree with.

    Others are asked for their reasons about the units that people will look at, and no others.
    """
    _refuse_people(predictions)
    if not predictions:
        raise InputError("there is no detector to compare the gold with", code="no-detectors")
    refuse_repeated(dataset, (each.id for each in annotated))
    kept = [_plain(each) for each in sampled(annotated, predictions, searching.entries)]
    golds = {each.id: find_gold(each, searching.unit, searching.pool) for each in kept}
    labelled = {id: [(each.unit, each.label) for each in some] for id, some in golds.items()}
    menus = {label.taxonomy for given in labelled.values() for _, label in given}
    require_gold(menus, dataset, kept, searching.unit)
    searching.comparing.require_labels(menus)
    known = {each.id for each in annotated} | {each.id for each in searching.entries}
    said = [_said(each, kept, known) for each in predictions]
    found = _search(kept, labelled, predictions, said, searching)
    controls = choose(found.others, searching.control, searching.seed)
    marked = [(each.example, (each.unit, each.label)) for each in found.flags]
    places = _places((*marked, *controls))
    asked = list(ask_reasons(places)) if ask_reasons and places else []
    _refuse_people(asked)
    shown = {id for id, _ in places}
    seen = [settle_gold(e, searching.unit, searching.pool) for e in kept if e.id in shown]
    reasons = [_said(each, seen, known) for each in asked]
    key = None
    if searching.control:
        key = ControlKey(dataset, searching.seed, len(found.others), _places(controls))
    notes = SearchNotes(
        flaggers_of(predictions),
        tuple(dict.fromkeys(each.manifest.author.name for each in asked)),
        has_controls=key is not None,
        pool=searching.pool,
    )
    basis = GoldBasis.of(searching.pool, (e.voices for some in golds.values() for e in some))
    return Flagging(
        dataset,
        searching.describe(basis),
        searching.unit,
        sum(bool(given) for given in labelled.values()),
        found.rules[searching.rule].share.n,
        found.left_out,
        found.counts,
        tuple(
            _count_reasons(name_of(each), [*marked, *controls], some)
            for each, some in zip(asked, reasons, strict=True)
        ),
        tuple(_with_rationales(each, asked, reasons) for each in found.flags),
        tuple(_form_lines(seen, marked, controls, said, reasons, notes)),
        found.rules[searching.rule].share.estimate(),
        tuple(each.counted() for each in found.rules.values()),
        count_ballots(kept, searching.policy),
        key,
        basis,
    )


def _search(
    kept: Sequence[Annotated],
    labelled: dict[str, list[Labelled]],
    predictions: Sequence[Judgements],
    said: Sequence[Said],
    searching: Searching,
) -> _Found:
    """Each label compared with the detectors' verdicts; the most severe flags come first."""
    found = _Found(tuple(DetectorCounts(name_of(each)) for each in predictions))
    for each in kept:
        source = source_of(each.example)
        judgements = [some[each.id] for some in said]
        for unit, label in labelled[each.id]:
            if not searching.comparing.counts(label):
                found.left_out[label.name] += 1
                continue
            reasons, compared = _against(source, (unit, label), judgements, found, searching)
            for rule, counted in found.rules.items():
                is_flagged = decides(rule, len(reasons), compared)
                counted.add(source, label, is_flagged=is_flagged)
                if rule != searching.rule:
                    continue
                if is_flagged:
                    suspicion = suspicion_of(unit.id, reasons)
                    found.flags.append(Flag(each.id, unit, label, compared, suspicion))
                else:
                    found.others.append((each.id, (unit, label)))
    found.flags.sort(key=lambda flag: -flag.suspicion.severity)
    return found


def _places(marked: Marked) -> frozenset[Place]:
    return frozenset((id, unit.id) for id, (unit, _) in marked)


def _plain(line: Annotated) -> Annotated:
    """An example as it was before any audit of it."""
    return without_notes(without_forms(line))


def _said(predictions: Judgements, annotated: Sequence[Annotated], known: set[str]) -> Said:
    """A detector's judgement of each example; units are found by their places, not their ids."""
    whole = (replace(each.example, units=()) for each in annotated)
    return {each.example: each for each in align(predictions, whole, known)}


def _against(
    source: str,
    labelled: Labelled,
    judgements: Sequence[Judgement],
    found: _Found,
    searching: Searching,
) -> tuple[list[Reason], int]:
    """The reasons against the label of a unit, and the number of comparable verdicts."""
    reasons: list[Reason] = []
    compared = 0
    for judgement, count in zip(judgements, found.counts, strict=True):
        reason = reason_against(labelled, judgement, searching.comparing)
        if isinstance(reason, Failure):
            count.failures[reason.reason] += 1
        elif reason is None:
            count.incomparable += 1
        else:
            compared += 1
            count.compared.add(source, isinstance(reason, Reason))
            if isinstance(reason, Reason):
                reasons.append(replace(reason, author=count.detector))
    return reasons, compared


def _count_reasons(name: str, marked: Marked, said: Said) -> RationaleCounts:
    given = [reason_of(labelled, said[id]) for id, labelled in marked]
    failures = Counter[str](each.reason for each in given if isinstance(each, Failure))
    return RationaleCounts(name, len(given) - failures.total(), failures)


def _with_rationales(flag: Flag, asked: Sequence[Judgements], reasons: Sequence[Said]) -> Flag:
    """A flag with what others say of its unit who were asked for their reasons only."""
    given = [
        (name_of(each), reason_of((flag.unit, flag.label), some[flag.example]))
        for each, some in zip(asked, reasons, strict=True)
    ]
    told = [replace(one, author=name) for name, one in given if isinstance(one, Reason)]
    return replace(flag, rationales=tuple(told))


def _refuse_people(predictions: Sequence[Judgements]) -> None:
    for each in predictions:
        if each.manifest.author.kind == "person":
            raise InputError(
                f"{each.reference} has labels of people; gold labels are flagged by detectors",
                field="detectors",
            )


def _form_lines(
    annotated: Sequence[Annotated],
    flagged: Marked,
    controls: Marked,
    said: Sequence[Said],
    reasons: Sequence[Said],
    notes: SearchNotes,
) -> Iterator[Annotated]:
    """The lines in which people decide: each example with a form, and what others say.

    The example of the most severe flag comes first. With controls, nothing on a line tells these
    from flagged units: verdicts of detectors that flagged are left out, and the order is that of
    the data.
    """
    units: dict[str, list[Labelled]] = {}
    for id, labelled in (*flagged, *controls):
        units.setdefault(id, []).append(labelled)
    by_id = {each.id: each for each in annotated}
    is_blind = notes.has_controls
    for id in by_id if is_blind else units:
        line = _without_detectors(by_id[id]) if is_blind else by_id[id]
        spoken = [one[id] for one in (*(() if is_blind else said), *reasons) if _speaks(one[id])]
        line = with_notes(with_said(line, spoken), notes)
        yield line.with_judgements(make_form(line, units[id]))


def _without_detectors(line: Annotated) -> Annotated:
    people = tuple(each for each in line.judgements if each.author.kind == "person")
    return replace(line, judgements=people)


def _speaks(judgement: Judgement) -> bool:
    return not all(isinstance(e, Failure) and e.reason == "missing" for e in judgement.outcomes)
