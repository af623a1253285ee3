"""What people found wrong with a response: one inconsistency for each error, in their words."""

from collections.abc import Iterable

from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.taxonomies import FINAL4
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.evaluate.items import Reading
from assay.evaluate.localization.accounts import Account, pooled
from assay.evaluate.localization.corrections import changed_spans
from assay.evaluate.localization.inconsistencies import Inconsistency, made_unit
from assay.evaluate.localization.notes import description_in, flags_in, parts_of

_READING = Reading()


def gold_inconsistencies(example: Example) -> tuple[Inconsistency, ...] | None:
    """The errors of a response; none if people found it faithful, None where it is not known.

    By what the gold verdicts look like: marked spans (RAGTruth, FaithBench), or an explanation of
    the verdict on the response (DeFacto); and beside these, described inconsistencies (our own
    form, in which errors are added as well).
    """
    unfaithful = [verdict for verdict in example.gold if _reads(verdict) is False]
    found = (
        *(_marked(unfaithful) or _explained(example, unfaithful)),
        *_described(unfaithful),
    )
    if found:
        return found
    whole = [verdict for verdict in example.gold if verdict.unit.kind == "response"]
    readings = [_reads(verdict) for verdict in whole or example.gold]
    return () if readings and all(readings) else None


def _described(unfaithful: list[Verdict]) -> tuple[Inconsistency, ...]:
    """Inconsistencies that are units of their own, with their category."""
    return tuple(
        Inconsistency(verdict.unit, _final4(verdict.error), _name(verdict), verdict.evidence)
        for verdict in unfaithful
        if verdict.unit.kind == "inconsistency"
    )


def _marked(unfaithful: list[Verdict]) -> tuple[Inconsistency, ...]:
    """Marked spans with notes; what several annotators mark at the same place is one error.

    An annotator's note on the whole response counts as well, without a place.
    """
    spans = [verdict for verdict in unfaithful if verdict.unit.kind == "span"]
    whole = [v for v in unfaithful if v.unit.kind == "response" and v.judge]
    notes = [verdict for verdict in whole if description_in(verdict.note)]
    return pooled(map(_account, (*spans, *notes))) if spans or notes else ()


def _explained(example: Example, unfaithful: list[Verdict]) -> tuple[Inconsistency, ...]:
    """The explanation of a verdict as one error, at the words that the correction changes."""
    return tuple(_explanations(example, unfaithful))


def _explanations(example: Example, unfaithful: list[Verdict]) -> Iterable[Inconsistency]:
    for verdict in unfaithful:
        parts = parts_of(verdict.note)
        description = " ".join(parts.get("explanation", "").split())
        if verdict.unit.kind == "response" and description:
            corrected = parts.get("corrected", "")
            spans = changed_spans(example.response.text, corrected) if corrected else ()
            unit = Unit("inconsistency", description, spans)
            yield Inconsistency(unit, None, parts.get("error", ""), verdict.evidence)


def _account(verdict: Verdict) -> Account:
    """One annotator's word about one place."""
    is_span = verdict.unit.kind == "span"
    spans = verdict.unit.spans if is_span else ()
    description = description_in(verdict.note)
    unit = Unit("inconsistency", description, spans)
    if not description:
        unit = made_unit(spans, verdict.unit.text)
    return Account(verdict.judge, unit, verdict, not description, _category(verdict))


def _category(verdict: Verdict) -> Label | None:
    """The label in final4, where the corpus's own label and flags leave no doubt about it."""
    if verdict.error:
        return _final4(verdict.error)
    name, flags = _name(verdict), flags_in(verdict.note)
    if name.endswith("-baseless") and "implicit_true" in flags:
        return FINAL4["extrinsic-correct"]
    return FINAL4["extrinsic-wrong"] if name == "unwanted.extrinsic" else None


def _final4(label: Label | None) -> Label | None:
    return label if label and label.taxonomy == FINAL4.name else None


def _name(verdict: Verdict) -> str:
    return verdict.label.name if verdict.label else ""


def _reads(verdict: Verdict) -> bool | None:
    """Whether its label counts as faithful under the usual reading; None if it does not count."""
    return _READING.faithful(verdict.label) if verdict.label else None
