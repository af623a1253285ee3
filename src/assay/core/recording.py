"""What detectors say of an example, kept with it: a newer judgement supersedes the older one."""

from collections.abc import Iterable
from dataclasses import replace

from assay.core.examples import Annotated
from assay.core.judgements import Judgement


def with_said(annotated: Annotated, said: Iterable[Judgement]) -> Annotated:
    """The example with the judgements; one by an author who spoke before supersedes what they said.

    What the example has already stays as it is.
    """
    carried = set(map(id, annotated.judgements))
    for judgement in (each for each in said if id(each) not in carried):
        before = [each for each in annotated.recorded if each.author.name == judgement.author.name]
        if not before:
            annotated = annotated.with_judgements(judgement)
        elif all(_differs(judgement, each) for each in before):
            old = before[-1]
            newer = replace(judgement, round=old.round + 1, supersedes=old.key)
            annotated = annotated.with_judgements(newer)
    return annotated


def _differs(one: Judgement, other: Judgement) -> bool:
    return one.outcomes != other.outcomes or one.units != other.units
