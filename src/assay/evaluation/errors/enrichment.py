"""Tasks for people about the errors of the gold: explanations to take apart, proposals to sort.

A task is an example with what there is to decide, and a form for a person, who writes their name
and decisions. An explanation of the gold is to become a list of single errors. What a detector
proposes stands beside the errors that the gold has (`g1`, `g2`, ...): a proposal that the matcher
takes for one of them has its id as `parent`, for a person to confirm or to change.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement, Judgements
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.asking import Progress, no_progress
from assay.evaluation.errors.analysis import judged_part
from assay.evaluation.errors.answers import NOBODY, OPEN
from assay.evaluation.errors.explanations import today
from assay.evaluation.errors.gathering import describes_errors, is_localizer
from assay.evaluation.localization.gold import DECISIONS, gold_inconsistencies
from assay.evaluation.localization.matching import Case, Matcher, count_failures, match_predictions
from assay.evaluation.policy import USUAL
from assay.text.units import response_unit

RECALL = "localize-recall"


@dataclass(frozen=True, slots=True)
class Proposed:
    """The tasks, of one or more proposals each, or of one explanation.

    `known` proposals are taken for errors that the gold has. Some examples have no outcome, and
    some parts of responses are `unchecked`.
    """

    examples: int
    tasks: tuple[Annotated, ...]
    known: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    matcher_failures: Counter[str] = field(default_factory=Counter)
    unchecked: int = 0

    @property
    def proposals(self) -> int:
        """How many errors are proposed, known ones among them."""
        return sum(len(each.units) for task in self.tasks for each in task.recorded)

    @property
    def explanations(self) -> int:
        """How many explanations are to be taken apart."""
        return sum(not task.recorded for task in self.tasks)

    @property
    def is_complete(self) -> bool:
        """Whether all was looked at."""
        return not (self.failures or self.matcher_failures or self.unchecked)

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain JSON values."""
        return {
            "tasks": len(self.tasks),
            "proposals": self.proposals,
            "explanations": self.explanations,
            "examples": self.examples,
            "known": self.known,
            "failures": dict(self.failures),
            "unchecked": self.unchecked,
            "matcher_failures": dict(self.matcher_failures),
        }


def require_localizer(detector: str) -> None:
    """Raises if a detector of that name does not say what is wrong, so before it is asked."""
    if not is_localizer(detector):
        raise InputError(
            f"{detector} does not say what is wrong; a localizer does, such as {RECALL}",
            field="detector",
        )


async def propose_errors(
    dataset: str,
    corpus: Sequence[Annotated],
    predictions: Judgements,
    matcher: Matcher,
    progress: Progress = no_progress,
) -> Proposed:
    """All that a localizer found; what the matcher calls known is marked as that, not withheld."""
    if not describes_errors(predictions):
        raise InputError(
            f"{predictions.reference} does not say what is wrong; a run of {RECALL} does",
            field="run",
        )
    judged = judged_part(dataset, corpus, predictions)
    cases = await match_predictions(judged, predictions, matcher, progress)
    origin, author = _origin(predictions, matcher), predictions.manifest.author
    return Proposed(
        len(cases),
        tuple(_task(each, author, origin) for each in cases if each.matches),
        sum(match is not None for case in cases for match in case.matches or ()),
        *count_failures(cases),
        sum(case.unchecked for case in cases),
    )


def propose_explanations(dataset: str, corpus: Sequence[Annotated]) -> Proposed:
    """The explanations of the gold that nobody has taken apart yet; no detector is asked."""
    tasks = tuple(_explanation_task(each) for each in corpus if explained_by(each))
    if not tasks:
        raise InputError(
            f"{dataset} has no explanation of an unfaithful response that is still to be taken "
            "apart; defacto has such explanations",
            field="dataset",
        )
    return Proposed(len(corpus), tasks)


def explained_by(annotated: Annotated) -> Judgement | None:
    """Who explains why the response is unfaithful; None if nobody does, or a person rewrote it.

    The corpus's own judgement comes before those of single annotators.
    """
    found = []
    for judgement in annotated.gold:
        finding = judgement.finding(RESPONSE)
        verdict = finding.verdict if finding else None
        if verdict is None or verdict.label is None:
            continue
        if verdict.attributes.decision in DECISIONS:
            return None
        if verdict.attributes.explanation.strip() and USUAL.is_faithful(verdict.label) is False:
            found.append(judgement)
    return min(found, key=lambda each: each.author != GOLD, default=None)


def _origin(predictions: Judgements, matcher: Matcher) -> str:
    """Who proposes, in words: kept with every proposal."""
    manifest = predictions.manifest
    prompts = ", ".join(f"{name} {digest}" for name, digest in manifest.prompt_digests.items())
    parts = {
        "by": manifest.model or manifest.author.name,
        "prompt": prompts,
        "in": predictions.reference,
        "matched by": matcher.name,
        "on": today(),
    }
    told = ", ".join(f"{name} {value}" for name, value in parts.items() if value)
    return f"Proposed {told}."


def _task(case: Case, author: Author, origin: str) -> Annotated:
    """The errors that are known, what the detector proposes, and a form that is still open."""
    id, errors = case.example.id, case.predicted
    units = [
        replace(error.unit, parent="" if match is None else f"g{match + 1}")
        for error, match in zip(errors, case.matches or (), strict=True)
    ]

    def verdicts(label: Label, **more: Any) -> tuple[Verdict, ...]:
        return tuple(
            Verdict(each.unit.id, label, evidence=each.evidence, error=each.category, **more)
            for each in errors
        )

    proposed = verdicts(BINARY["unfaithful"], note=origin)
    form = verdicts(GRAY7["ambiguous"], attributes=Attributes(decision=OPEN))
    return Annotated(
        case.example,
        (
            *_known(case),
            Judgement(id, author, tuple(units), proposed, at=today()),
            Judgement(id, NOBODY, tuple(units), form),
        ),
    )


def _known(case: Case) -> Iterator[Judgement]:
    """The errors that the gold has, under ids that no proposal has."""
    units = tuple(
        replace(error.unit, id=f"g{number}", kind="inconsistency")
        for number, error in enumerate(case.gold, 1)
    )
    verdicts = tuple(
        Verdict(unit.id, BINARY["unfaithful"], evidence=each.evidence, error=each.category)
        for unit, each in zip(units, case.gold, strict=True)
    )
    if units:
        yield Judgement(case.example.id, GOLD, units, verdicts)


def _explanation_task(annotated: Annotated) -> Annotated:
    """What people said of the response, and a form with a draft of the single errors."""
    drafts = gold_inconsistencies(annotated) or ()
    units = [
        Unit(unit_id("inconsistency", number), "inconsistency", each.description, each.unit.spans)
        for number, each in enumerate(drafts, 1)
    ]
    unfaithful = BINARY["unfaithful"]
    verdicts = [
        Verdict(unit.id, unfaithful, evidence=each.evidence, error=each.category)
        for unit, each in zip(units, drafts, strict=True)
    ]
    whole = Verdict(RESPONSE, unfaithful, attributes=Attributes(decision=OPEN))
    form = Judgement(
        annotated.id,
        NOBODY,
        (response_unit(annotated.example), *units),
        (whole, *verdicts),
    )
    return Annotated(annotated.example, (*annotated.gold, form))
