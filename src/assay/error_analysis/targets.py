"""The details for the counterfactual test: true, not in the source, and noticed or not."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement, Judgements
from assay.core.taxonomies import FINAL4
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure
from assay.error_analysis.error_items import Level
from assay.error_analysis.explanations import Explained
from assay.evaluation.localization.gold import gold_inconsistencies
from assay.evaluation.localization.inconsistencies import (
    Inconsistency,
    overlap,
    predicted_inconsistencies,
)
from assay.evaluation.localization.matching import Case, Matcher
from assay.evaluation.policy import says_faithful
from assay.evaluation.references import align

CATEGORY = FINAL4["extrinsic-correct"]


@dataclass(frozen=True, slots=True)
class Target:
    """A true detail that the source does not have; `found` says whether it was noticed.

    `words` are false ones that a person chose for its places.
    """

    example: Example
    error: Inconsistency
    others: tuple[Inconsistency, ...]
    found: bool | None
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finder:
    """Says whether an error was noticed, at the level of what a detector says.

    Described errors are matched; of sentences and responses the label counts.
    """

    level: Level
    matcher: Matcher

    async def find(
        self,
        example: Example,
        judgement: Judgement,
        error: Inconsistency,
        others: tuple[Inconsistency, ...],
    ) -> bool | None:
        """True if the error was noticed among the others; None where that is not known."""
        if self.level != "error":
            return noticed(judgement, error, self.level)
        found = predicted_inconsistencies(judgement)
        if isinstance(found, Failure):
            return None
        matches = await self.matcher.match((error, *others), found, example)
        return None if isinstance(matches, Failure) else 0 in matches


def noticed(judgement: Judgement, error: Inconsistency, level: Level) -> bool | None:
    """True if the sentences of an error, or its response, are called unfaithful.

    It is False only if all are called faithful.
    """
    if level == "sentence":
        sentences = (each for each in judgement.findings if each.kind == "sentence")
        about = [each for each in sentences if overlap(each.unit, error.unit)]
    else:
        whole = judgement.finding(RESPONSE)
        about = [whole] if whole else list(judgement.findings)
    said = [says_faithful(each.outcome) for each in about]
    if False in said:
        return True
    return None if None in said or not said else False


def described_targets(cases: Sequence[Case], explained: Sequence[Explained]) -> list[Target]:
    """Gold errors that are true additions, by the gold itself or as missed ones were explained."""
    # An error of the gold and the item made from it have different ids, but the same words.
    known = {
        (each.item.example.id, each.item.unit.text, each.item.unit.spans): each
        for each in explained
        if each.item.side == "missed"
    }
    return [
        Target(
            case.example,
            error,
            _others(case.gold, place),
            place in case.matches,
            said.false_words.words if said and said.false_words else (),
        )
        for case in cases
        if case.matches is not None
        for place, error in enumerate(case.gold)
        for said in [known.get((case.example.id, error.unit.text, error.unit.spans))]
        if ((said and said.category) or error.category) == CATEGORY
    ]


def labelled_targets(
    corpus: Sequence[Annotated], predictions: Judgements, level: Level
) -> list[Target]:
    """The same for detectors of sentences and responses: here only the gold tells the category."""
    said = align(predictions, (each.example for each in corpus))
    return [
        Target(annotated.example, error, _others(gold, place), noticed(judgement, error, level))
        for annotated, judgement in zip(corpus, said, strict=True)
        for gold in [gold_inconsistencies(annotated) or ()]
        for place, error in enumerate(gold)
        if error.category == CATEGORY
    ]


def _others(gold: Sequence[Inconsistency], place: int) -> tuple[Inconsistency, ...]:
    return tuple(error for at, error in enumerate(gold) if at != place)
