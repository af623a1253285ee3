"""Tasks for people about the errors of the gold: explanations to take apart, proposals to sort.

A task is an example with what there is to decide, and a form for a person, who writes their name
and decisions. An explanation of the gold is to become a list of single errors. What a detector
proposes stands beside the errors that the gold has (`g1`, `g2`, ...): a proposal that the matcher
takes for one of them has its id as `parent`, for a person to confirm or to change.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement, Judgements
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Attributes, Verdict
from assay.decisions.forms import NOBODY, judgement_of
from assay.decisions.proposals import OPEN
from assay.error_analysis.analysis import judged_part
from assay.error_analysis.error_items import describes_errors, is_localizer
from assay.error_analysis.explanations import today
from assay.evaluation.localization.gold import DECISIONS, gold_inconsistencies
from assay.evaluation.localization.inconsistencies import Inconsistency
from assay.evaluation.localization.matching import Case, Matcher, count_failures, match_predictions
from assay.evaluation.policy import USUAL
from assay.text.sentences import response_unit

RECALL = "localize-recall"
_UNFAITHFUL = BINARY["unfaithful"]


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
        """The number of proposed errors, known ones among them."""
        return sum(len(each.units) for task in self.tasks for each in task.recorded)

    @property
    def explanations(self) -> int:
        """The number of explanations to take apart."""
        return sum(not task.recorded for task in self.tasks)

    @property
    def is_complete(self) -> bool:
        """True if all was looked at."""
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
    dataset: str, corpus: Sequence[Annotated], predictions: Judgements, matcher: Matcher
) -> Proposed:
    """All that a localizer found; what the matcher calls known is marked as that, not withheld."""
    if not describes_errors(predictions):
        raise InputError(
            f"{predictions.reference} does not say what is wrong; a run of {RECALL} does",
            field="run",
        )
    judged = judged_part(dataset, corpus, predictions)
    cases = await match_predictions(judged, predictions, matcher)
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
    """The judgement that explains an unfaithful response; None without one, or once rewritten.

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
    """The origin of proposals in words, kept with each of them."""
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
    """The known errors as `g1`, `g2`, ..., what the detector proposes, and an open form."""
    id = case.example.id
    known = [
        _said(error, replace(error.unit, id=f"g{number}", kind="inconsistency"))
        for number, error in enumerate(case.gold, 1)
    ]
    errors = [
        (error, replace(error.unit, parent="" if match is None else f"g{match + 1}"))
        for error, match in zip(case.predicted, case.matches or (), strict=True)
    ]
    proposed = [_said(error, unit, note=origin) for error, unit in errors]
    undecided = Attributes(decision=OPEN)
    form = [_said(error, unit, GRAY7["ambiguous"], attributes=undecided) for error, unit in errors]
    gold = [judgement_of(id, GOLD, known)] if known else []
    proposal = judgement_of(id, author, proposed, at=today())
    return Annotated(case.example, (*gold, proposal, judgement_of(id, NOBODY, form)))


def _said(
    error: Inconsistency, unit: Unit, label: Label = _UNFAITHFUL, **more: Any
) -> tuple[Unit, Verdict]:
    return unit, Verdict(unit.id, label, evidence=error.evidence, error=error.category, **more)


def _explanation_task(annotated: Annotated) -> Annotated:
    """The judgements of people on the response, and a form with a draft of the single errors."""
    drafts = [
        _said(
            each,
            Unit(
                unit_id("inconsistency", number), "inconsistency", each.description, each.unit.spans
            ),
        )
        for number, each in enumerate(gold_inconsistencies(annotated) or (), 1)
    ]
    whole = Verdict(RESPONSE, _UNFAITHFUL, attributes=Attributes(decision=OPEN))
    said = [(response_unit(annotated.example), whole), *drafts]
    form = judgement_of(annotated.id, NOBODY, said)
    return Annotated(annotated.example, (*annotated.gold, form))
