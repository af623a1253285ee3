"""The count of a vote: from several outcomes on the same unit to one."""

from collections.abc import Sequence

from assay.core.labels import majority
from assay.core.verdicts import Failure, Outcome, Verdict


def count_votes(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome from several on the same unit; failures do not vote, but are told.

    It is a failure unless more than half of them are verdicts.
    """
    verdicts = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    if len(verdicts) <= len(failures):
        return _no_quorum(failures, len(outcomes))
    labels = [verdict.label for verdict in verdicts if verdict.label]
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    label = majority(labels) if labels else None
    agreeing = [verdict for verdict in verdicts if verdict.label == label]
    speaker = agreeing[0]
    return Verdict(
        speaker.unit,
        label,
        score=sum(scores) / len(scores) if scores else None,
        confidence=len(agreeing) / len(outcomes) if labels else None,
        note=_note(len(agreeing), outcomes, verdicts, speaker.note),
        evidence=tuple(dict.fromkeys(span for verdict in agreeing for span in verdict.evidence)),
        external=tuple(dict.fromkeys(each for verdict in agreeing for each in verdict.external)),
        answers=speaker.answers,
        interpretations=speaker.interpretations,
        error=speaker.error,
    )


def _no_quorum(failures: list[Failure], voters: int) -> Failure:
    first, count = failures[0], len(failures)
    failed = f"all {count} failed" if count == voters else f"{count} of {voters} failed"
    return Failure(first.unit, first.reason, f"{failed}: {first.detail}", first.raw)


def _note(agreeing: int, outcomes: Sequence[Outcome], verdicts: list[Verdict], said: str) -> str:
    """How many agree, whether the sides differ, who failed, and what the majority says."""
    failed = [outcome.reason for outcome in outcomes if isinstance(outcome, Failure)]
    parts = [f"{agreeing} of {len(outcomes)} agree."]
    if {_side(verdict) for verdict in verdicts} >= {"faithful", "unfaithful"}:
        parts.append("The votes lie on both sides of faithful and unfaithful.")
    if failed:
        parts.append(f"{len(failed)} failed ({', '.join(dict.fromkeys(failed))}).")
    return " ".join((*parts, said)).strip()


def _side(verdict: Verdict) -> str:
    if verdict.label:
        return verdict.label.coarse
    return "faithful" if (verdict.score or 0.0) >= 0.5 else "unfaithful"
