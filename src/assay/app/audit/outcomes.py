"""The outcome of an audit: a new version of the data, versions compared, and kinds of error."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated as With
from typing import cast

from assay.app.audit.decisions import settled
from assay.app.audit.detectors import (
    AGREE,
    FLAGS,
    READING,
    UNIT,
    UNVERIFIED,
    judging_of,
    open_detectors,
    refuse_forms,
    usual_unit,
)
from assay.app.audit.flag import read_key
from assay.app.evaluate import BY_MODEL
from assay.app.judging import EACH_MODEL, GOLD_ARGUMENT, Asking
from assay.audit.controls import ControlKey
from assay.audit.notes import SearchNotes, notes_on
from assay.audit.outcomes import AuditReport, report_on
from assay.audit.profiles import Profile, profile_of
from assay.audit.revisions import Application, apply_revisions, misfits, settle_gold
from assay.audit.verification import (
    ENOUGH,
    rule_on,
)
from assay.audit.versions import Versions, rank_shifts
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.options import Argument, Option, Takes, require_choices
from assay.core.pooling import find_pool
from assay.core.readings import reading as find_reading
from assay.datasets.selection import DataChoice, load
from assay.decisions.forms import refuse_problems
from assay.decisions.proposals import Proposal, Settling
from assay.evaluation.corpora.label_changes import compare_labels
from assay.evaluation.evaluate import Settings
from assay.evaluation.items import basis_of, describe_gold, find_items
from assay.evaluation.policy import OWN_POOL, GoldPolicy, GoldUnit
from assay.evaluation.references import recorded_detectors


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """The data, the verified decisions about it, and the detectors that are ranked anew.

    Without detectors, all that the data carries are ranked.
    """

    data: With[DataChoice, Takes("language sample seed", dataset=GOLD_ARGUMENT)]
    flags: With[tuple[str, ...], FLAGS]
    asking: With[Asking, Takes("peers", model=EACH_MODEL)] = field(default_factory=Asking)
    detectors: With[
        tuple[str, ...],
        Option(
            "Rank this detector before and after; may be repeated. Default: all that the data "
            "carries.",
            "NAME",
            name="detector",
        ),
    ] = ()
    reading: With[str, READING] = ""
    enough: With[int, AGREE] = ENOUGH
    unverified: With[bool, UNVERIFIED] = False
    settling: Settling = field(default_factory=Settling)
    by_model: With[bool, BY_MODEL] = False
    key: With[str, Option("The key of the control sample (.json), if any.", "FILE")] = ""

    def __post_init__(self) -> None:
        if self.enough < 1:
            raise InputError(f"agree must be 1 or more, not {self.enough}", field="agree")
        if self.reading:
            find_reading(self.reading)


def apply(request: ApplyRequest) -> tuple[AuditReport, list[Annotated]]:
    """The data with the revisions that count, and what came of the audit."""
    data = request.data.labelled().keeping_all()
    loaded = load(data)
    refuse_forms(request.data, loaded.annotated)
    found, decided = settled(request.flags, request.settling)
    if not found.flags:
        raise InputError("the files have no flags", field="flags")
    unit, notes = _unit(found.flags), notes_on(found.lines)
    before = [settle_gold(each, unit, notes.pool) for each in loaded.annotated]
    refuse_problems(list(misfits(before, found.flags)), code="bad-flags")
    ruled = {each.key: each for each in rule_on(decided.decided, request.enough)}
    key = _key(request, notes)
    application = Application(decided.decided, ruled, request.unverified, notes, key)
    after = list(apply_revisions(before, application))
    settings = Settings(
        GoldPolicy(unit, "corpus", request.reading),
        entries=tuple(loaded.entries),
        by_model=request.by_model,
    )
    names = request.detectors or tuple(recorded_detectors(before))
    judging = judging_of(data, before, request.asking, settings.policy)
    predictions = open_detectors(judging, names)
    report = report_on(request.data.target, before, after, application, predictions, settings)
    policy = replace(settings.policy, pool=notes.pool)
    items = find_items(loaded.annotated, policy)
    basis = basis_of(items, policy)
    return replace(report, reading=describe_gold(items, policy), gold=basis), after


def _key(request: ApplyRequest, notes: SearchNotes) -> ControlKey | None:
    """The key of the control sample, which has to be there if there is a sample."""
    if request.key:
        return read_key(request.key)
    if notes.has_controls:
        raise InputError(
            "there is a control sample among the flags, and without its key they cannot be told "
            "apart; give the key that was written with them",
            field="key",
        )
    return None


def _unit(flags: Sequence[Proposal]) -> GoldUnit:
    """The kind of unit that the flags are about; shares of labels have no meaning for two kinds."""
    kinds: set[GoldUnit] = {
        "response" if each.unit.kind == "response" else "sentence" for each in flags
    }
    if len(kinds) > 1:
        raise InputError(
            "the flags are about sentences and about responses; apply those of the one kind first, "
            "and those of the other to the file that comes of it",
            field="flags",
            code="two-kinds",
        )
    return kinds.pop()


@dataclass(frozen=True, slots=True)
class VersionsRequest:
    """An older and a newer version of some data; without detectors, all recorded in the older."""

    old: With[str, Argument("A corpus or file with gold.", "OLD")]
    new: With[str, Argument("The same with other labels, matched by ids.", "NEW")]
    asking: With[Asking, Takes("peers", model=EACH_MODEL)] = field(default_factory=Asking)
    detectors: With[
        tuple[str, ...],
        Argument("Who is ranked on both; by default all that OLD carries.", "DETECTOR"),
    ] = ()
    folder: With[
        str | None, Option("Folder of the corpora; default: ASSAY_DATA.", "DIR", name="data")
    ] = None
    unit: With[str, UNIT] = ""
    reading: With[str, READING] = ""
    by_model: With[bool, BY_MODEL] = False
    pool: With[str, OWN_POOL] = ""

    def __post_init__(self) -> None:
        find_pool(self.pool or "corpus")
        require_choices(self)


def compare_versions(request: VersionsRequest) -> Versions:
    """The labels that changed, and the rankings on both versions of the same predictions."""
    data = DataChoice(request.old, request.folder).labelled()
    old = load(data).annotated
    new = load(replace(data, target=request.new).labelled()).annotated
    later = {each.id: each for each in new}
    before = [
        each
        for each in old
        if each.id in later and each.example.response.text == later[each.id].example.response.text
    ]
    after = [later[each.id] for each in before]
    if not before:
        raise InputError(
            f"{request.old} and {request.new} have no example in common: none has "
            "the same id and response in both",
            field="new",
        )
    unit = cast(GoldUnit, request.unit) if request.unit else usual_unit(data, before)
    policy = GoldPolicy(unit, find_pool(request.pool or "corpus"), request.reading)
    names = request.detectors or tuple(recorded_detectors(before))
    judging = judging_of(data, before, request.asking, policy)
    predictions = open_detectors(judging, names)
    settings = Settings(policy, by_model=request.by_model)
    old_items, new_items = find_items(before, policy), find_items(after, policy)
    return Versions(
        request.old,
        request.new,
        describe_gold(old_items, policy),
        (basis_of(old_items, policy), basis_of(new_items, policy)),
        len(before),
        len(old) - len(before),
        len(new) - len(before),
        compare_labels(before, after, unit, policy.pool),
        rank_shifts(request.old, before, after, predictions, settings) if predictions else (),
        request.by_model,
    )


@dataclass(frozen=True, slots=True)
class ProfileRequest:
    """Files of decided flags, one for each data set, and which revisions count in them."""

    flags: With[
        tuple[str, ...],
        Argument("A file of verified flags for each data set (.jsonl).", "FLAGS"),
    ]
    enough: With[int, AGREE] = ENOUGH
    unverified: With[bool, UNVERIFIED] = False
    settling: Settling = field(default_factory=Settling)

    def __post_init__(self) -> None:
        if self.enough < 1:
            raise InputError(f"agree must be 1 or more, not {self.enough}", field="agree")


def profile_files(request: ProfileRequest) -> tuple[Profile, ...]:
    """A profile of each file, the same that applying it has; raises where no revision counts."""
    stems = Counter(Path(path).stem for path in request.flags)
    found = []
    is_decided = False
    for path in dict.fromkeys(request.flags):
        _, decided = settled((path,), request.settling)
        ruled = {
            each.decided.proposal.key: each for each in rule_on(decided.decided, request.enough)
        }
        is_decided = is_decided or any(each.decision for each in decided.decided)
        application = Application(decided.decided, ruled, request.unverified)
        stem = Path(path).stem
        found.append(profile_of(stem if stems[stem] == 1 else path, application.applied))
    if not any(each.known + each.without for each in found):
        if not is_decided:
            message = "no revision counts, since nobody has decided about these flags yet"
            raise InputError(message, code="no-decisions")
        raise InputError("no revision counts: too few votes agree", code="no-revisions")
    return tuple(found)
