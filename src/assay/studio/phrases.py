"""The words of the pages for what is kept by a short name, and for what happened."""

from typing import Any

from assay.annotation.exchange.export_forms import EXPORT_FORMS
from assay.annotation.items.history import HistoryEntry, UnitDifference

MODES = {
    "sentences": "Sentences, by the decision tree",
    "spans": "Spans, by FaithBench's classes",
    "both": "Sentences and spans",
}
STAGES = {
    "training": "Training",
    "quiz": "Quiz",
    "annotate": "To annotate",
    "discuss": "To discuss",
    "review": "To review",
    "adjudicate": "To adjudicate",
}
STATES = {
    "new": "Not given out",
    "open": "Being annotated",
    "discussion": "In discussion",
    "review": "In review",
    "adjudication": "To be adjudicated",
    "done": "Done",
}
WORK_STATES = {
    "assigned": "Not begun",
    "open": "Begun",
    "submitted": "Submitted",
    "held": "Kept as it was",
}
FORMS = {name: form.title for name, form in EXPORT_FORMS.items()}
DECISIONS = {
    "incorrect": "The label is incorrect",
    "ambiguous": "Both can be defended",
    "system-error": "The label is right",
}
MEANINGS = {
    "incorrect": "It goes against the guidelines or the text; a new one is needed.",
    "ambiguous": "Sensible people read it differently; the label stands.",
    "system-error": "Whoever disagrees is mistaken; the label stands.",
}
_STATES = {
    "new": "not given out",
    "open": "being annotated",
    "discussion": "in discussion",
    "review": "in review",
    "adjudication": "waiting for an adjudicator",
    "done": "done",
}
_STAGES = {
    "annotate": "annotation",
    "discuss": "discussion",
    "review": "review",
    "adjudicate": "adjudication",
    "training": "training",
    "quiz": "quiz",
}
_KINDS = {
    "begin": "began the {stage}",
    "edit": "worked on the {stage}",
    "split": "split a sentence",
    "merge": "merged two sentences",
    "undo": "took a step back",
    "redo": "took a step forward again",
    "submit": "submitted the {stage}",
    "reopen": "took the {stage} up again",
    "skip": "put the item off",
    "hold": "kept their judgement in the discussion",
    "audit": "decided about a flagged label",
    "batches": "gave out batches",
    "attached": "added what a detector said",
    "detector": "had a detector judge the items",
    "imported": "imported a file",
    "exported": "exported the project",
    "project-created": "made the project",
    "settings-changed": "changed the settings",
    "member-added": "added a member",
    "member-removed": "removed a member",
    "training": "added training examples",
    "quiz": "finished the quiz",
}
_PARTS = {
    "note": "reason",
    "evidence": "evidence",
    "external": "outside evidence",
    "answers": "answers",
    "readings": "readings",
    "place": "boundaries",
    "parent": "nesting",
}
_INTERNAL = ("work", "round", "version")


def happened(entry: HistoryEntry) -> str:
    """One entry of a history as a phrase, of which whoever did it is the subject."""
    if entry.kind == "state":
        after = str(entry.detail.get("to", ""))
        return f"the item is now {_STATES.get(after, after)}"
    phrase = _KINDS.get(entry.kind, entry.kind.replace("-", " "))
    return phrase.format(stage=_STAGES.get(entry.stage, "work"))


def details(entry: HistoryEntry) -> list[str]:
    """Further details of an entry: `items: 12`."""
    hidden = (*_INTERNAL, *(("from", "to") if entry.kind == "state" else ()))
    return [
        f"{name.replace('_', ' ')}: {_value(value)}"
        for name, value in entry.detail.items()
        if name not in hidden and value not in ("", None)
    ]


def changed(difference: UnitDifference) -> str:
    """The changed parts of a unit, beyond its label."""
    if difference.is_new:
        return "new"
    if difference.is_gone:
        return "removed"
    return ", ".join(_PARTS[part] for part in difference.parts if part in _PARTS)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
