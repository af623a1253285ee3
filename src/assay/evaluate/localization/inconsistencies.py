"""Inconsistencies of a response, as people wrote them down or as a detector found them."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.examples import PART_KINDS, Judgement
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.units import response_unit


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """One error, in words; `also` are accounts that others gave of the same error.

    `kind` is what its annotators call it, `category` its label in final4 where that is known. A
    description that `is_made` was written by the program from the marked words.
    """

    unit: Unit
    category: Label | None = None
    kind: str = ""
    evidence: tuple[Span, ...] = ()
    also: tuple[Unit, ...] = ()
    is_made: bool = False

    @property
    def description(self) -> str:
        """What is wrong."""
        return self.unit.text

    @property
    def accounts(self) -> tuple[Unit, ...]:
        """All that was said of it, each with the words that it is about."""
        return (self.unit, *self.also)


Localized = tuple[Inconsistency, ...] | Failure


def localized(judgement: Judgement) -> Localized:
    """What a judge found wrong; a failure where it may have missed a part of it.

    Of a detector that describes nothing, each unfaithful sentence, claim or span counts as one; of
    one that says which part of a sentence is wrong, that part in the place of the sentence.
    """
    whole = [each for each in judgement.outcomes if each.unit.kind == "response"]
    failed = next((each for each in whole if isinstance(each, Failure)), None)
    if failed:
        return failed
    described = [v for v in judgement.verdicts if v.unit.kind == "inconsistency"]
    parts = [v for v in judgement.verdicts if v.unit.kind != "response"]
    wrong = described or _smallest([verdict for verdict in parts if _is_unfaithful(verdict)])
    if not wrong and any(map(_is_unfaithful, judgement.verdicts)):
        raise InputError(
            f"example '{judgement.example.id}': the judge says that the response is unfaithful, "
            "but not what is wrong with it; it cannot be measured as a localizer"
        )
    if not wrong and not whole and (judgement.failures or not judgement.outcomes):
        return _nothing(judgement)
    return tuple(map(_predicted, wrong))


def _smallest(wrong: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts without those on sentences of which a part is among them."""
    spans = [span for each in wrong if each.unit.kind in PART_KINDS for span in each.unit.spans]

    def has_part(unit: Unit) -> bool:
        return unit.kind == "sentence" and any(a.overlaps(b) for a in unit.spans for b in spans)

    return [verdict for verdict in wrong if not has_part(verdict.unit)]


def made_description(words: str) -> str:
    """A plain sentence about marked words that nobody described.

    >>> made_description("in  1911")
    'The response says "in 1911", which the source does not support.'
    """
    return f'The response says "{" ".join(words.split())}", which the source does not support.'


def made_unit(spans: tuple[Span, ...], words: str) -> Unit:
    """An inconsistency of which only the words are known."""
    return Unit("inconsistency", made_description(words), spans)


def _predicted(verdict: Verdict) -> Inconsistency:
    unit = verdict.unit
    is_made = unit.kind != "inconsistency"
    return Inconsistency(
        made_unit(unit.spans, unit.text) if is_made else unit,
        verdict.error if verdict.error and verdict.error.taxonomy == "final4" else None,
        kind=verdict.label.name if verdict.label else "",
        evidence=verdict.evidence,
        is_made=is_made,
    )


def _is_unfaithful(verdict: Verdict) -> bool:
    if verdict.label is not None:
        return verdict.label.coarse == "unfaithful"
    return verdict.score is not None and verdict.score < 0.5


def _nothing(judgement: Judgement) -> Failure:
    unit = response_unit(judgement.example)
    first = judgement.failures[0] if judgement.failures else Failure(unit, "missing")
    return Failure(unit, first.reason, first.detail or "nothing of it was judged", first.raw)
