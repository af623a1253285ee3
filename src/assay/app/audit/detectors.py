"""The detectors of an audit, and the labels of the data that they are held against."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.app.judging import Asking, Judging
from assay.audit.comparing import Comparing
from assay.audit.forms import forms_of
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgements
from assay.datasets.corpus import corpus_names, find_card
from assay.datasets.selection import DataChoice
from assay.detectors.registry import DetectorSpec, detector_names
from assay.engine.estimate import RunEstimate
from assay.evaluation.items import find_items, require_gold
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


def judging_of(
    data: DataChoice,
    annotated: Sequence[Annotated],
    asking: Asking,
    policy: GoldPolicy,
    comparing: Comparing | None = None,
) -> Judging:
    """What detectors judge: the units with gold labels, without those that are not compared."""
    items = find_items(annotated, policy)
    require_gold(items, data.target, annotated, policy.unit)
    if comparing:
        comparing.require_labels({item.gold.taxonomy for item in items})
    counted = [item for item in items if comparing is None or comparing.counts(item.gold)]
    if not counted:
        raise InputError("every gold label is left out, so that nothing is compared", field="unit")
    return Judging(data, annotated, asking, counted, items_only=len(counted) < len(items))


def require_detectors(judging: Judging, names: Sequence[str]) -> None:
    """Raises where a name stands for nothing, or nobody asks the models, before any is asked."""
    judging.require(*names)
    recorded = recorded_detectors(judging.annotated)
    if judging.asking.models and not any(asks_model(name, recorded) for name in names):
        raise InputError("no detector here asks a model; leave out the model", field="model")


def open_detectors(judging: Judging, names: Sequence[str]) -> list[Judgements]:
    """What detectors say; one that asks is run once for each model, not with all as one vote."""
    plain = replace(judging, asking=replace(judging.asking, models=()))
    recorded = recorded_detectors(judging.annotated)
    found: list[Judgements] = []
    for name in names:
        if asks_model(name, recorded):
            found += [alone.judgements(name) for _, alone in each_model(judging)]
        else:
            found.append(plain.judgements(name))
    return found


def estimate_detectors(judging: Judging, names: Sequence[str]) -> dict[str, RunEstimate]:
    """What those of the detectors would cost that ask a model, each model by itself."""
    return {
        f"{name} {model}".strip(): estimate
        for model, alone in each_model(judging)
        for name, estimate in alone.estimate(*names).items()
    }


def each_model(judging: Judging) -> Iterator[tuple[str, Judging]]:
    """The same for each model by itself; without any, for the one that is asked by default."""
    for model in judging.asking.models or ("",):
        models = (model,) if model else ()
        yield model, replace(judging, asking=replace(judging.asking, models=models))


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
