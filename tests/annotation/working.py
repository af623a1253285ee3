"""People at work: drafts with labels, through the use cases."""

import threading
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from assay.annotation.items import item_view, work, work_queue
from assay.annotation.items.drafts import UnitEdit
from assay.annotation.items.item_view import ItemView, WorkView
from assay.annotation.studio import Person, Studio
from assay.core.decision import implied_answers
from assay.core.errors import AssayError
from assay.core.records import unit_record
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.wire import (
    AnswersRecord,
    AttributesRecord,
    ExternalRecord,
    InterpretationRecord,
    SpanRecord,
    UnitRecord,
    VerdictRecord,
)

SUPPORTED = "explicitly-supported"


def answers(label: str) -> AnswersRecord:
    """Answers that lead to a label."""
    found = implied_answers(GRAY7[label])
    known = found.entailed_with_knowledge
    return AnswersRecord(
        found.states_fact,
        False if found.states_fact else None,
        found.entailed,
        found.explicit,
        found.contradicted,
        False if label == "fabricated" else known,
    )


def verdict(label: str, *, note: str = "", link: str = "", nothing: bool = False) -> VerdictRecord:
    """A verdict whose answers lead to its label."""
    return VerdictRecord(
        label=label,
        note=note,
        external=[ExternalRecord(link)] if link else [],
        answers=answers(label),
        attributes=AttributesRecord(nothing_found=True) if nothing else None,
    )


def labelled(unit: UnitRecord, label: str, **more: object) -> UnitEdit:
    """An edit that gives a sentence a label."""
    return UnitEdit(unit.id, replace(unit, verdict=verdict(label, **more)))  # type: ignore[arg-type]


def span(
    text: str, words: str, id: str, *labels: str, note: str = "", parent: str = ""
) -> UnitEdit:
    """An edit that marks some words of a response."""
    start = text.index(words)
    made = Unit.at("span", Span.cut(text, start, start + len(words), "response"), id, parent)
    said = VerdictRecord(
        label=labels[0] if labels else None,
        note=note,
        interpretations=[InterpretationRecord(each) for each in labels] if labels[1:] else [],
    )
    return UnitEdit(id, replace(unit_record(made, None, ""), verdict=said))


def quote(text: str, words: str) -> SpanRecord:
    """Some words of a text as evidence."""
    start = text.index(words)
    return SpanRecord(start, start + len(words), words)


def take(studio: Studio, who: Person, slug: str = "demo") -> ItemView:
    """The next item of a person, opened."""
    found = work_queue.next_item(studio, who, slug)
    assert found.position is not None, found.reason
    return item_view.open_item(studio, who, slug, found.position)


def mine(view: ItemView) -> WorkView:
    """The person's own work on an item."""
    assert view.work is not None
    return view.work


def label_all(studio: Studio, who: Person, view: ItemView, labels: Iterable[str]) -> int:
    """Labels all sentences of an opened item in one change; the version then."""
    own = mine(view)
    needs = {"contradicting": "it says so", "fabricated": "nothing says so"}
    edits = [
        labelled(unit, label, note=needs.get(label, ""), nothing=label in needs)
        for unit, label in zip(own.units, labels, strict=True)
    ]
    return work.change(studio, who, own.id, own.version, "edit", edits).version


def annotate(studio: Studio, who: Person, labels: Iterable[str], slug: str = "demo") -> ItemView:
    """Takes the next item, labels it and submits it; the item as it was opened."""
    view = take(studio, who, slug)
    version = label_all(studio, who, view, labels)
    work.submit(studio, who, mine(view).id, version)
    return view


def at_once(*calls: Callable[[], object]) -> list[object]:
    """What calls in threads of their own give or raise."""
    results: list[object] = []
    ready = threading.Barrier(len(calls))

    def run(call: Callable[[], object]) -> None:
        ready.wait()
        try:
            results.append(call())
        except AssayError as error:
            results.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    return results
