"""FaithBench's annotations as verdicts: lists of labels, quoted spans, pooled summaries."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from assay.core.decision import Interpretation
from assay.core.examples import Example
from assay.core.judgements import GOLD, Author, Finding
from assay.core.labels import Label, worst
from assay.core.readings import READINGS
from assay.core.taxonomies import FAITHBENCH
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.datasets.corpora.annotations import (
    FROM_MARKS,
    Opinion,
    find_quote,
    in_own_words,
    opinion,
    person,
    place_unit,
)
from assay.datasets.corpus import Repairs

Row = dict[str, Any]

_MISSPELT = "unwanted.instrinsic"
_REGULAR = 0.25  # share of a batch in which a regular annotator marks something


def with_silent(
    example: Example, marks: Sequence[Opinion], regular: Iterable[Author], repairs: Repairs
) -> Iterator[Opinion]:
    """Each mark, and the regular annotators who marked nothing.

    A mark without a label is a remark: its author may have called nothing wrong.
    """
    whole = Unit.response(example.response.text)
    yield from marks
    heard = {author for author, finding in marks if finding.verdict}
    for author in regular:
        if author not in heard:
            repairs.note(
                "silent-annotator",
                "a regular annotator of the batch who marked nothing calls a summary consistent",
            )
            consistent = FAITHBENCH["consistent"]
            yield opinion(whole, consistent, by=author, attributes=FROM_MARKS)


def regulars(marked: Sequence[Iterable[str]]) -> list[str]:
    """The annotators taken to have looked at a whole batch, by their marks in each sample.

    The release does not say who looked. Somebody who marked something in a quarter of a batch did;
    somebody who marked two summaries of fifty may not have seen the others.
    """
    counts = Counter(name for names in marked for name in set(names))
    return sorted(name for name, count in counts.items() if count >= _REGULAR * len(marked))


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
    number: int, annotation: Row, example: Example, annotator: str, repairs: Repairs
) -> Opinion | None:
    """The opinion in an annotation, None if it has no label; `number` counts the annotations."""
    finding = read_mark(number, annotation, example, repairs)
    return (person(annotator), finding) if finding.verdict else None


def read_mark(number: int, annotation: Row, example: Example, repairs: Repairs) -> Finding:
    """The finding of an annotation; one without a label is a failure that quotes it."""
    labels = read_labels(annotation["label"], repairs)
    unit = _mark(number, annotation, example.response.text, repairs if labels else Repairs())
    if not labels:
        repairs.note("annotation-without-label", "an annotation has no label: it gives no verdict")
        quoted = json.dumps(annotation)
        return Finding(unit, Failure(unit.id, "missing", "the annotation has no label", quoted))
    if len(set(map(class_of, labels))) > 1:
        repairs.note(
            "mixed-classes",
            "an annotation with several classes: the worst is its label, all are interpretations",
        )
    label = worst_of(labels)
    if label not in labels:
        repairs.note("both-kinds", "an annotation is both kinds of unwanted: it is unwanted")
    place = (annotation.get("source_start"), annotation.get("source_end"))
    quote = annotation.get("source_span")
    evidence = find_quote(example.source.text, quote, place, "source", repairs)
    note = str(annotation.get("note") or "")
    verdict = Verdict(
        unit.id,
        label,
        note=note,
        evidence=(evidence,) if evidence else (),
        interpretations=interpretations(labels),
        attributes=Attributes(explanation=in_own_words(note)),
    )
    return Finding(unit, verdict)


def _mark(number: int, annotation: Row, text: str, repairs: Repairs) -> Unit:
    """The marked span; a mark without words and without a place is about the whole summary."""
    place = (annotation.get("summary_start"), annotation.get("summary_end"))
    span = find_quote(text, annotation.get("summary_span"), place, "response", repairs)
    if not span:
        repairs.note(
            "annotation-without-span",
            "an annotation marks nothing in the summary: it is about the whole",
        )
    return place_unit("span", number, span or "")


def pool(unit: Unit, marks: Iterable[Opinion], by: Author = GOLD) -> Opinion:
    """The worst class that was marked in a response; consistent if nothing was."""
    labels = [class_of(finding.label) for _, finding in marks if finding.label]
    label = worst(labels) if labels else FAITHBENCH["consistent"]
    return opinion(unit, label, by=by, attributes=FROM_MARKS)
