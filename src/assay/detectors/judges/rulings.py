"""The classes that FaithJudge's judge chooses from, and how its reply names one of them."""

from collections.abc import Mapping

from assay.core.labels import Label
from assay.core.taxonomies import BINARY, FAITHBENCH
from assay.detectors.judges.judging import ReplyFormat
from assay.llm.fences import Fences
from assay.llm.final_choices import find_ruling
from assay.llm.forms import OWN_FORM, ReplyForm, read_choice
from assay.llm.menus import Menu
from assay.llm.verdict_lines import VerdictLine

INVALID = "Invalid"
PHRASE = "Final classification"

Classes = Mapping[str, Label]  # by the name that the model is told; `Invalid` has no label


def classes_of(*, ternary: bool) -> Classes:
    """What the model chooses from, beside `Invalid`."""
    if ternary:
        return {name: FAITHBENCH[name] for name in ("Consistent", "Benign", "Unwanted")}
    return {name: BINARY[name] for name in ("Consistent", "Inconsistent")}


def by_label(classes: Classes) -> dict[str, str]:
    """All classes by the names of their labels, which the header of a prompt uses.

    >>> by_label(classes_of(ternary=False))
    {'faithful': 'Consistent', 'unfaithful': 'Inconsistent', 'invalid': 'Invalid'}
    """
    return {**{label.name: name for name, label in classes.items()}, INVALID.casefold(): INVALID}


def ruling_format(
    classes: Classes, marker: str, form: ReplyForm = OWN_FORM
) -> ReplyFormat[VerdictLine]:
    """Reasons in prose, then a line with the marker and one of the classes, or with that alone.

    A prompt that names the form of its reply may have other words for the classes.
    """
    names = by_label(classes)
    words = {word: names[label] for word, label in form.choices.items()}
    menu = Menu.of((*classes, INVALID), words, told=words)
    first = next(iter(classes))
    said = next((word for word, name in words.items() if name == first), first)

    def read(text: str, fences: Fences) -> VerdictLine:
        if form.kind == "own":
            return find_ruling(text, marker, menu, fences)
        return read_choice(text, form, menu, fences)

    line = f"{marker}: {said}" if marker else said
    return ReplyFormat(read, f"It agrees with the source.\n{form.tagged(line)}")
