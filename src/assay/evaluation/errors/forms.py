"""Forms for people, told from data: a file of tasks looks like one of examples with gold."""

from assay.core.examples import Annotated
from assay.core.judgements import Judgement
from assay.core.units import RESPONSE
from assay.evaluation.errors.answers import NOBODY, OPEN
from assay.evaluation.localization.gold import DECISIONS

_ONLY_IN_FORMS = (OPEN, "known", "new", "none", "unsure", "kept")  # data has what comes of them


def has_form(task: Annotated) -> bool:
    """Whether a person is asked for decisions there, or has made some: it is a task, not data."""
    return any(each.author == NOBODY for each in task.judgements) or bool(_filled(task))


def is_decided(task: Annotated) -> bool:
    """Whether a person has decided something in a form of the task."""
    return any(any(state != OPEN for state in _states(form)) for form in _filled(task))


def _filled(task: Annotated) -> list[Judgement]:
    """The forms that somebody has signed."""
    return [each for each in task.gold if each.author != NOBODY and _is_form(each, task)]


def _is_form(judgement: Judgement, task: Annotated) -> bool:
    """Whether decisions are those of a form: what is made of them supersedes an explanation.

    A form has no explanation of its own; it stands beside the judgement that gives one.
    """
    if any(state in _ONLY_IN_FORMS for state in _states(judgement)):
        return True
    whole = judgement.finding(RESPONSE)
    is_rewriting = bool(whole and whole.verdict and whole.verdict.attributes.decision in DECISIONS)
    return (
        is_rewriting
        and not judgement.supersedes
        and not _explains(judgement)
        and any(_explains(each) for each in task.gold)
    )


def _states(judgement: Judgement) -> list[str]:
    decisions = (verdict.attributes.decision for verdict in judgement.verdicts)
    return [each for each in decisions if each]


def _explains(judgement: Judgement) -> bool:
    whole = judgement.finding(RESPONSE)
    return bool(whole and whole.verdict and whole.verdict.attributes.explanation.strip())
