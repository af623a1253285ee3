"""The detectors of an audit, and the labels of the data that they are compared with."""

from collections.abc import Sequence
from itertools import chain
from typing import get_args

from assay.app.judging import Asking, Detectors
from assay.audit.disagreement import Comparing
from assay.audit.forms import forms_of
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgements
from assay.core.options import Argument, Option
from assay.datasets.corpus import corpus_names, find_card
from assay.datasets.selection import DataChoice
from assay.evaluation.gold import labelled_kinds
from assay.evaluation.items import find_items, require_gold
from assay.evaluation.policy import GoldPolicy, GoldUnit

FLAGS = Argument("Files of flags, filled in by people (.jsonl).", "FLAGS")
READING = Option("Read the gold labels, and the verdicts beside them, by this reading.", "NAME")
UNIT = Option(
    "Whose labels are looked at; default: as the corpus's paper does, otherwise sentences if they "
    "have labels.",
    choices=get_args(GoldUnit),
)
AGREE = Option("How many votes must agree.", "N", name="agree")
UNVERIFIED = Option("Also count revisions that too few votes, or none, agree with.")


def usual_unit(data: DataChoice, annotated: Sequence[Annotated]) -> GoldUnit:
    """The units whose labels are looked at: those of the corpus's paper, or sentences if any."""
    paper = find_card(data.target).protocol if data.target in corpus_names() else None
    if paper:
        return paper.unit
    is_whole = labelled_kinds(annotated).isdisjoint({"sentence", "span"})
    return "response" if is_whole else "sentence"


def judging_of(
    data: DataChoice,
    annotated: Sequence[Annotated],
    asking: Asking,
    policy: GoldPolicy,
    comparing: Comparing | None = None,
) -> Detectors:
    """The task of detectors: units with gold labels, without those that are not compared."""
    items = find_items(annotated, policy)
    require_gold(items, data.target, annotated, policy.unit)
    if comparing:
        comparing.require_labels({item.gold.taxonomy for item in items})
    counted = [item for item in items if comparing is None or comparing.counts(item.gold)]
    if not counted:
        raise InputError("every gold label is left out, so that nothing is compared", field="unit")
    items_only = len(counted) < len(items)
    return Detectors(data, annotated, asking, counted, items_only=items_only, apart=True)


def open_detectors(
    judging: Detectors, names: Sequence[str], beside: Sequence[str] = ()
) -> list[Judgements]:
    """The judgements of detectors; one that asks several models has some for each."""
    return list(chain.from_iterable(judging.each(names, beside)))


def refuse_forms(data: DataChoice, annotated: Sequence[Annotated]) -> None:
    if any(map(forms_of, annotated)):
        raise InputError(
            f"{data.target} is no data, but flags with forms for people; give the data that the "
            "flags were made for",
            field="dataset",
        )
