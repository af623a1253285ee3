"""The detectors of an audit, and the labels of the data that they are held against."""

from collections.abc import Sequence
from dataclasses import replace

from assay.app.judging import Asking, Judging
from assay.audit.forms import forms_of
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgements
from assay.datasets.corpus import corpus_names, find_card
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec, detector_names
from assay.evaluation.items import find_items
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.references import recorded_detectors


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
    asks = [name for name in names if asks_model(name, recorded)]
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


def asks_model(name: str, recorded: Sequence[str]) -> bool:
    is_detector = name not in recorded and name.partition(":")[0] in detector_names()
    return is_detector and DetectorSpec(name).capabilities.asks_model


def refuse_forms(data: DataChoice, annotated: Sequence[Annotated]) -> None:
    if any(map(forms_of, annotated)):
        raise InputError(
            f"{data.target} is no data, but flags with forms for people; give the data that the "
            "flags were made for",
            field="dataset",
        )
