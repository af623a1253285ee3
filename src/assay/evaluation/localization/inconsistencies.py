"""Inconsistencies of a response, as people wrote them down or as a detector found them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.core.errors import InputError
from assay.core.judgements import Finding, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import FINAL4
from assay.core.texts import Span
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure
from assay.metrics import character_hits


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """One error, in words; `also` are accounts that others gave of the same error.

    `kind` is what its annotators call it, `category` its label in final4 where that is known. A
    description that `is_made` was written by the program from the marked words. `changes` are the
    words that a correction of the response takes out because of it.
    """

    unit: Unit
    category: Label | None = None
    kind: str = ""
    evidence: tuple[Span, ...] = ()
    also: tuple[Unit, ...] = ()
    is_made: bool = False
    changes: tuple[Span, ...] = ()

    @property
    def covers_several(self) -> bool:
        """True if its correction changes several places: it may be more than one error."""
        return len(self.changes) > 1

    @property
    def description(self) -> str:
        return self.unit.text

    @property
    def accounts(self) -> tuple[Unit, ...]:
        """All that was said of it, each with the words that it is about."""
        return (self.unit, *self.also)


def predicted_inconsistencies(judgement: Judgement) -> tuple[Inconsistency, ...] | Failure:
    """The errors that a detector found; a failure where it may have missed some.

    Of a detector that describes nothing, each unfaithful sentence, claim or span counts as one; if
    it says which part of a sentence is wrong, or marks words in it, these count instead.
    """
    whole = judgement.finding(RESPONSE)
    if whole and whole.failure:
        return whole.failure
    told = [each for each in judgement.findings if each.verdict and each.id != RESPONSE]
    described = [each for each in told if each.kind == "inconsistency"]
    wrong = described or _smallest([each for each in told if each.leaning == "unfaithful"])
    if not wrong and whole and whole.leaning == "unfaithful":
        raise InputError(
            f"example '{judgement.example}': {judgement.author.name} says that the response is "
            "unfaithful, but not what is wrong with it; it cannot be measured as a localizer",
            code="no-localizer",
        )
    if not wrong and not whole and (judgement.failures or not judgement.outcomes):
        first = next(iter(judgement.failures), Failure(RESPONSE, "missing"))
        return replace(first, unit=RESPONSE, detail=first.detail or "nothing of it was judged")
    return tuple(found for each in wrong for found in _predicted(each))


def final4(label: Label | None) -> Label | None:
    """The label, if it is one of final4."""
    return label if label and label.taxonomy == FINAL4.name else None


def made_description(words: str) -> str:
    """A plain sentence about marked words that nobody described.

    >>> made_description("in  1911")
    'The response says "in 1911", which the source does not support.'
    """
    return f'The response says "{" ".join(words.split())}", which the source does not support.'


def made_unit(unit: Unit) -> Unit:
    """An inconsistency of which only the words are known; it keeps the id of their unit."""
    return Unit(unit.id, "inconsistency", made_description(unit.text), unit.spans)


def shared_characters(first: Unit, second: Unit) -> int:
    """The number of characters of the response that both are about."""
    ranges = [[(span.start, span.end) for span in unit.spans] for unit in (first, second)]
    return character_hits(*ranges).found


def overlap(first: Unit, second: Unit) -> bool:
    """True if both are about some of the same words of the response."""
    return any(a.overlaps(b) for a in first.spans for b in second.spans)


def _smallest(wrong: Sequence[Finding]) -> list[Finding]:
    """The findings without those of which a part, with a place of its own, is among them."""
    wholes = {each.unit.parent for each in wrong if each.unit.spans}
    return [each for each in wrong if each.id not in wholes]


def _predicted(finding: Finding) -> Iterator[Inconsistency]:
    """The errors that one finding predicts: one at each mark, or one at all its words."""
    unit, is_made = finding.unit, finding.kind != "inconsistency"
    marked = (replace(unit, text=each.text, spans=(each,)) for each in finding.marks)
    units = map(made_unit, tuple(marked) or (unit,)) if is_made else (replace(unit, parent=""),)
    for each in units:
        yield Inconsistency(
            each,
            final4(finding.verdict.error if finding.verdict else None),
            kind=finding.label.name if finding.label else "",
            evidence=finding.evidence,
            is_made=is_made,
        )
