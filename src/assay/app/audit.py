"""The audit of gold labels: flags, decisions of people, votes of models, and a new version."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, cast, get_args

from assay.app.audit_files import read_flags, refuse_problems
from assay.app.judging import Asking, Judging
from assay.app.questions import Asked, open_questions
from assay.audit.applying import Application, apply_revisions, misfits
from assay.audit.ballots import RULES, Rule
from assay.audit.comparing import Comparing
from assay.audit.deciding import Adjudication, adjudicate
from assay.audit.forms import forms_of, with_evidence
from assay.audit.outcomes import AuditReport, report_on
from assay.audit.searching import Flagging, Searching, find_flags
from assay.audit.verifying import (
    ENOUGH,
    Verification,
    ask_votes,
    is_voter,
    recorded_votes,
    rule_on,
    with_votes,
)
from assay.core import bridge
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.judgements import Judgements
from assay.core.readings import reading as find_reading
from assay.datasets.corpus import corpus_names, find_card
from assay.datasets.selection import DataChoice, Loaded, load
from assay.detectors.registry import DetectorSpec, detector_names
from assay.engine.estimate import RunEstimate
from assay.engine.session import Tick
from assay.evaluation.errors.reconciling import Settling
from assay.evaluation.evaluate import Settings
from assay.evaluation.items import find_items
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.references import recorded_detectors
from assay.llm.connection import connect_dry

__all__ = [
    "ENOUGH",
    "PRESETS",
    "RULES",
    "ApplyRequest",
    "FlagRequest",
    "Settling",
    "VerifyRequest",
    "adjudicate_files",
    "apply",
    "estimate_flags",
    "estimate_votes",
    "flag",
    "labelled",
    "open_detectors",
    "usual_unit",
    "verify",
]


@dataclass(frozen=True, slots=True)
class Preset:
    """A named way to flag: what is not said otherwise is as it says."""

    rule: Rule
    unit: GoldUnit
    reading: str
    left_out: tuple[str, ...]


# Paper 000, section 4.2: five judges of three classes, and any that disagrees flags.
PRESETS = {
    "annotation-errors": Preset("any", "sentence", "gray7-nli", ("ambiguous", "out-dependent")),
}


@dataclass(frozen=True, slots=True)
class FlagRequest:
    """The data, the detectors, and when their verdicts flag a gold label.

    Each model judges by itself. An empty rule, unit or reading is that of the preset, or the usual.
    """

    data: DataChoice
    asking: Asking
    detectors: tuple[str, ...]
    rule: str = ""
    unit: str = ""
    reading: str = ""
    left_out: tuple[str, ...] = ()
    preset: str = ""

    def __post_init__(self) -> None:
        if self.preset and self.preset not in PRESETS:
            raise UnknownNameError("preset", self.preset, PRESETS, field="preset")
        for what, name, choices in (
            ("rule", self.rule, RULES),
            ("unit", self.unit, get_args(GoldUnit)),
        ):
            if name and name not in choices:
                raise UnknownNameError(what, name, choices, field=what)
        if not self.detectors:
            raise InputError("there is no detector to compare the gold with", code="no-detectors")
        self.comparing()

    def comparing(self) -> Comparing:
        """How gold labels and verdicts are compared."""
        preset = PRESETS.get(self.preset)
        named = self.reading or (preset.reading if preset else "")
        left = self.left_out or (preset.left_out if preset else ())
        return Comparing(named, frozenset(left))

    def searching(self, loaded: Loaded) -> Searching:
        """How the flags are found in data that is loaded."""
        preset = PRESETS.get(self.preset)
        rule = self.rule or (preset.rule if preset else "any")
        unit = self.unit or (preset.unit if preset else usual_unit(self.data, loaded.annotated))
        return Searching(
            cast(GoldUnit, unit), cast(Rule, rule), self.comparing(), tuple(loaded.entries)
        )


def flag(request: FlagRequest) -> Flagging:
    """Where detectors disagree with gold labels; those that ask a model are run first."""
    loaded = load(labelled(request.data))
    searching = request.searching(loaded)
    _refuse_forms(request.data, loaded.annotated)
    predictions = open_detectors(
        labelled(request.data), loaded.annotated, request.asking, request.detectors, searching.unit
    )
    return find_flags(request.data.target, loaded.annotated, predictions, searching)


def estimate_flags(request: FlagRequest) -> dict[str, RunEstimate]:
    """What the detectors would cost that ask a model; nothing is sent."""
    found: dict[str, RunEstimate] = {}
    for model in request.asking.models or ("",):
        asking = replace(request.asking, models=(model,) if model else ())
        judging = Judging(labelled(request.data), (), asking)
        for name, estimate in judging.estimate(*request.detectors).items():
            found[f"{name} {model}".strip()] = estimate
    return found


@dataclass(frozen=True, slots=True)
class Adjudicated:
    """What people decided, and the lines of all files, copies of the same ones joined."""

    adjudication: Adjudication
    lines: tuple[Annotated, ...]


def adjudicate_files(
    paths: Sequence[str], settling: Settling | None = None, more: Sequence[Annotated] = ()
) -> Adjudicated:
    """What people decided in some files; all that is wrong with these is raised together.

    `more` are lines that are open already, such as those of a studio.
    """
    found = read_flags(paths, more)
    refuse_problems(found.problems)
    lines = tuple(with_evidence(line, found.flags) for line in found.lines)
    return Adjudicated(adjudicate(found.flags, settling), lines)


@dataclass(frozen=True, slots=True)
class VerifyRequest:
    """Files with decisions, the models that vote, and recorded detectors whose word is a vote."""

    flags: tuple[str, ...]
    asking: Asking
    votes: tuple[str, ...] = ()
    enough: int = ENOUGH
    settling: Settling = field(default_factory=Settling)
    reading: str = ""
    folder: str | None = None

    def __post_init__(self) -> None:
        if self.enough < 1:
            raise InputError(f"agree must be 1 or more, not {self.enough}", field="agree")
        if self.reading:
            find_reading(self.reading)


def verify(
    request: VerifyRequest, counting: Callable[[], AbstractContextManager[Tick]]
) -> tuple[Verification, str]:
    """Votes on all proposed revisions, and what was asked for that, in words."""
    found, decided = _proposals(request)
    asking = request.asking
    models = asking.models
    recorded = _recorded(request, found.lines)
    voters = {
        each.author.name for line in found.lines for each in line.recorded if is_voter(each.author)
    }
    most = len(voters | {f"verify-revision {name}" for name in (*models, *request.votes)})
    if decided.decided and most < request.enough:
        raise InputError(
            f"{request.enough} votes have to agree, but there "
            + ("is 1 voter" if most == 1 else f"are {most} voters"),
            field="agree",
        )
    lines = [with_evidence(line, found.flags) for line in found.lines]
    asked = [Asked("voter", models, asking.options)] if models else []
    comparing = Comparing(request.reading)
    votes = []
    for name, judgements in recorded.items():
        said = judgements.by_example()
        for each in decided.decided:
            if each.is_revision and each.decision and not each.decision.refusal:
                given = said.get(each.flag.line.id, ())
                votes += recorded_votes([each], given[0] if given else None, name, comparing)
    name = "--".join(request.flags)
    with open_questions("verifying", name, asked, asking) as questions, counting() as tick:
        work = ask_votes(questions.clients("voter"), decided.decided, tick)
        votes += questions.answer(work, _nothing)
        usage = questions.usage
    told = with_votes(lines, votes)
    again = _decided_on(found.flags, told, request.settling)
    return Verification(rule_on(again.decided, request.enough), told), usage


def estimate_votes(request: VerifyRequest) -> dict[str, RunEstimate]:
    """What the votes of models would cost; nothing is sent."""
    _, decided = _proposals(request)
    waiting = [each for each in decided.decided if each.is_revision]
    found = {}
    for model in request.asking.models:
        dry = connect_dry(model, request.asking.options)
        bridge.run(ask_votes([dry], decided.decided))
        found[f"votes of {model}"] = RunEstimate(len(waiting), {dry.model: dry.estimate})
    return found


@dataclass(frozen=True, slots=True)
class ApplyRequest:
    """The data, the verified decisions about it, and the detectors that are ranked anew.

    Without detectors, all that the data carries are ranked.
    """

    data: DataChoice
    flags: tuple[str, ...]
    asking: Asking
    detectors: tuple[str, ...] = ()
    reading: str = ""
    enough: int = ENOUGH
    unverified: bool = False
    settling: Settling = field(default_factory=Settling)

    def __post_init__(self) -> None:
        if self.enough < 1:
            raise InputError(f"agree must be 1 or more, not {self.enough}", field="agree")
        if self.reading:
            find_reading(self.reading)


def apply(request: ApplyRequest) -> tuple[AuditReport, list[Annotated]]:
    """The data with the revisions that count, and what came of the audit."""
    data = labelled(request.data)
    loaded = load(data)
    before = loaded.annotated
    _refuse_forms(request.data, before)
    found = read_flags(request.flags)
    refuse_problems([each for each in found.problems if not each.code])
    refuse_problems(list(misfits(before, found.flags)))
    if not found.flags:
        raise InputError("the files have no flags", field="flags")
    decided = adjudicate(found.flags, request.settling)
    if decided.conflicts:
        raise _conflict(decided)
    ruled = {each.decided.flag.key: each for each in rule_on(decided.decided, request.enough)}
    application = Application(decided.decided, ruled, request.unverified)
    after = list(apply_revisions(before, application))
    units = {each.unit.kind for each in found.flags}
    unit: GoldUnit = "response" if units == {"response"} else "sentence"
    settings = Settings(GoldPolicy(unit, "corpus", request.reading), entries=tuple(loaded.entries))
    names = request.detectors or tuple(
        name for name in recorded_detectors(before) if not name.startswith("verify-revision")
    )
    predictions = open_detectors(data, before, request.asking, names, unit) if names else []
    report = report_on(request.data.target, before, after, application, predictions, settings)
    return report, after


def usual_unit(data: DataChoice, annotated: Sequence[Annotated]) -> GoldUnit:
    """The units whose labels are looked at: those of the corpus's paper, or sentences if any."""
    paper = find_card(data.target).protocol if data.target in corpus_names() else None
    if paper:
        return paper.unit
    has_sentences = any(
        finding.kind in ("sentence", "span") and finding.label
        for each in annotated
        for judgement in each.gold
        for finding in judgement.findings
    )
    return "sentence" if has_sentences else "response"


def open_detectors(
    data: DataChoice,
    annotated: Sequence[Annotated],
    asking: Asking,
    names: Sequence[str],
    unit: GoldUnit,
) -> list[Judgements]:
    """What detectors say; one that asks is run once for each model, not with all as one vote."""
    recorded = recorded_detectors(annotated)
    items = find_items(annotated, GoldPolicy(unit))
    plain = Judging(data, annotated, replace(asking, models=()), items)
    plain.require(*names)
    asks = [name for name in names if _asks(name, recorded)]
    if asking.models and not asks:
        raise InputError("no detector here asks a model; leave out the model", field="model")
    found: list[Judgements] = []
    for name in names:
        if name not in asks:
            found.append(plain.judgements(name))
            continue
        for model in asking.models or ("",):
            alone = replace(asking, models=(model,) if model else ())
            found.append(Judging(data, annotated, alone, items).judgements(name))
    return found


def _asks(name: str, recorded: Sequence[str]) -> bool:
    is_detector = name not in recorded and name.partition(":")[0] in detector_names()
    return is_detector and DetectorSpec(name).capabilities.asks_model


def _recorded(request: VerifyRequest, lines: Sequence[Annotated]) -> dict[str, Judgements]:
    """What the recorded voters say of the flagged examples, by the names that were given."""
    if not request.votes:
        return {}
    data = DataChoice(request.flags[0], request.folder)
    quiet = replace(request.asking, models=())
    judging = Judging(data, lines, quiet)
    for name in request.votes:
        if _asks(name, recorded_detectors(lines)):
            raise InputError(f"{name} asks a model; run it first, and give the run", field="vote")
    return {name: judging.judgements(name) for name in request.votes}


def _proposals(request: VerifyRequest) -> tuple[Any, Adjudication]:
    """What the files hold; a revision without evidence is refused later, all else raises."""
    found = read_flags(request.flags)
    refuse_problems([each for each in found.problems if not each.code])
    decided = adjudicate(found.flags, request.settling)
    if decided.conflicts:
        raise _conflict(decided)
    return found, decided


def _decided_on(
    flags: Sequence[Any], lines: Sequence[Annotated], settling: Settling
) -> Adjudication:
    """The same flags on lines that have more votes."""
    by_id = {line.id: line for line in lines}
    return adjudicate([replace(each, line=by_id[each.line.id]) for each in flags], settling)


def _conflict(decided: Adjudication) -> InputError:
    first = decided.conflicts[0]
    said = ", ".join(
        f"{each.by} {each.state}"
        + (f" ({each.verdict.label})" if each.state == "incorrect" else "")
        for each in first.flag.decisions
    )
    example, unit = first.flag.key
    count = len(decided.conflicts)
    return InputError(
        f"people decided differently about {count:,} flag{'s' if count > 1 else ''}, the first is "
        f"unit {unit} of '{example}': {said}",
        code="conflicts",
    )


def labelled(data: DataChoice) -> DataChoice:
    """The choice, in which the labels of a file are in the field `label` unless it is named."""
    if data.target in corpus_names() or data.columns.label:
        return data
    return replace(data, columns=replace(data.columns, label="label"))


def _refuse_forms(data: DataChoice, annotated: Sequence[Annotated]) -> None:
    if any(map(forms_of, annotated)):
        raise InputError(
            f"{data.target} is no data, but flags with forms for people; give the data that the "
            "flags were made for",
            field="dataset",
        )


def _nothing() -> None:
    """Shows no progress."""
