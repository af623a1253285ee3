"""FaithBench's annotations as verdicts: lists of labels, quoted spans, pooling of a summary."""

from collections.abc import Iterable
from typing import Any

from assay.core.decision import Interpretation
from assay.core.labels import Label, worst
from assay.core.readings import READINGS
from assay.core.taxonomies import FAITHBENCH
from assay.core.texts import Source
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.datasets.corpora.building import whole
from assay.datasets.corpora.quotes import find_quote
from assay.datasets.repairs import Repairs

_MISSPELT = "unwanted.instrinsic"


def read_labels(names: Iterable[str], repairs: Repairs) -> tuple[Label, ...]:
    """The labels of a list, a kind of unwanted instead of its parent, without repetition."""
    labels = tuple(dict.fromkeys(_read_label(name, repairs) for name in names))
    parents = {label.parent for label in labels if label.parent}
    if parents - {label.name for label in labels}:
        repairs.note(
            "sub-label-without-parent",
            "a kind of unwanted without 'Unwanted' itself: read as unwanted all the same",
        )
    return tuple(label for label in labels if label.name not in parents)


def _read_label(name: str, repairs: Repairs) -> Label:
    if name.strip().casefold() == _MISSPELT:
        repairs.note("misspelt-label", "'Unwanted.Instrinsic' is read as Unwanted.Intrinsic")
    return FAITHBENCH[name]


def class_of(label: Label) -> Label:
    """One of the four classes: both kinds of unwanted are unwanted."""
    return READINGS["faithbench-classes"](label) or label


def worst_of(labels: Iterable[Label]) -> Label:
    """The worst label: the one of the worst class, or the class itself if it has several."""
    given = set(labels)
    least = worst(map(class_of, given))
    kinds = [label for label in given if class_of(label) == least]
    return kinds[0] if len(kinds) == 1 else least


def interpretations(labels: tuple[Label, ...]) -> tuple[Interpretation, ...]:
    """All labels that were given together, if there are several."""
    return tuple(map(Interpretation, labels)) if len(labels) > 1 else ()


def read_annotation(
    annotation: dict[str, Any], source: Source, text: str, judge: str, repairs: Repairs
) -> Verdict | None:
    """The verdict in an annotation, or None where it has no label."""
    labels = read_labels(annotation["label"], repairs)
    if not labels:
        repairs.note("annotation-without-label", "an annotation has no label: it gives no verdict")
        return None
    if len(set(map(class_of, labels))) > 1:
        repairs.note(
            "mixed-classes",
            "an annotation with several classes: the worst is its label, all are interpretations",
        )
    label = worst_of(labels)
    if label not in labels:
        repairs.note("both-kinds", "an annotation is both kinds of unwanted: it is unwanted")
    place = (annotation.get("source_start"), annotation.get("source_end"))
    evidence = find_quote(source.text, annotation.get("source_span"), place, "source", repairs)
    return Verdict(
        _unit(annotation, text, repairs),
        label,
        note=str(annotation.get("note") or ""),
        evidence=(evidence,) if evidence else (),
        interpretations=interpretations(labels),
        judge=judge,
    )


def _unit(annotation: dict[str, Any], text: str, repairs: Repairs) -> Unit:
    place = (annotation.get("summary_start"), annotation.get("summary_end"))
    span = find_quote(text, annotation.get("summary_span"), place, "response", repairs)
    if span:
        return Unit.at("span", span)
    repairs.note(
        "annotation-without-span",
        "an annotation marks nothing in the summary: it is about the whole",
    )
    return whole(text)


def pool(unit: Unit, verdicts: Iterable[Verdict], judge: str = "") -> Verdict:
    """The worst class that was marked in a response; consistent if nothing was."""
    labels = [class_of(verdict.label) for verdict in verdicts if verdict.label]
    return Verdict(unit, worst(labels) if labels else FAITHBENCH["consistent"], judge=judge)
