"""From a draft that lacks nothing to the judgement that is kept."""

from collections.abc import Iterable

from msgspec.structs import replace

from assay.app.annotation.annotating.checks import answers_of
from assay.app.annotation.annotating.drafts import MENUS, label_of, labels_of
from assay.app.annotation.settings import ProjectSettings
from assay.core.codec import verify
from assay.core.decision import decide
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.labels import Label, worst
from assay.core.records import read_judgement_record, unit_record
from assay.core.taxonomies import FAITHBENCH
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, Verdict
from assay.core.wire import (
    AuthorRecord,
    InterpretationRecord,
    JudgementRecord,
    LabelRecord,
    UnitRecord,
    VerdictRecord,
)
from assay.datasets.corpora.faithbench_marks import class_of, worst_of


def judgement_from(
    units: Iterable[UnitRecord],
    example: Example,
    settings: ProjectSettings,
    author: str,
    round: int,
    at: str,
) -> Judgement:
    """The judgement that a finished draft is; one of a later round replaces that before it.

    Where spans are marked it says of the whole response what FaithBench says: the worst class that
    was marked, or consistent.
    """
    judged = [_finished(unit) for unit in units if unit.kind in MENUS]
    if settings.has_spans:
        judged.append(_pooled(judged, example))
    record = JudgementRecord(
        example=example.id,
        author=AuthorRecord(author, "person"),
        units=judged,
        source_characters=len(example.source.text),
        characters_read=len(example.source.text),
        at=at,
        round=round,
        supersedes=f"{example.id}/{author}/{round - 1}" if round > 1 else "",
    )
    return verify(read_judgement_record(record, "the draft"), example)


def _finished(unit: UnitRecord) -> UnitRecord:
    """A unit whose labels name their menus, and follow from what was answered or chosen."""
    verdict = unit.verdict
    if verdict is None:
        return unit
    if unit.kind == "span":
        chosen = labels_of(unit)
        label: Label | None = worst_of(chosen) if chosen else None
        meanings = [("", each) for each in chosen] if len(chosen) > 1 else []
    else:
        label, meanings = label_of(unit), _readings(verdict)
    interpretations = [InterpretationRecord(_explicit(each), text) for text, each in meanings]
    named = _explicit(label) if label else None
    return replace(unit, verdict=replace(verdict, label=named, interpretations=interpretations))


def _readings(verdict: VerdictRecord) -> list[tuple[str, Label]]:
    answers = answers_of(verdict)
    if not answers.senses:
        return []
    return [(each.meaning, each.label) for each in decide(answers).interpretations]


def _pooled(units: Iterable[UnitRecord], example: Example) -> UnitRecord:
    marked = [class_of(each) for unit in units if unit.kind == "span" for each in labels_of(unit)]
    label = worst(marked) if marked else FAITHBENCH["consistent"]
    verdict = Verdict(RESPONSE, label, attributes=Attributes(from_marks=True))
    return unit_record(Unit.response(example.response.text), verdict, "")


def _explicit(label: Label) -> LabelRecord:
    return LabelRecord(label.taxonomy, label.name)
