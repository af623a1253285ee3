"""What `faithjudge` asks, in the words of a task, and what it reads from the reply."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.core.labels import Label
from assay.detectors.judges.faithjudge_tasks import Task
from assay.detectors.judges.judging import Form
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.verdict_lines import marker_for, read_verdict_line

INVALID = "Invalid"
_PHRASE = "Final classification"
_EDGE = " \t\r\n*_#>`-"

Classes = Mapping[str, Label]  # by the name that the model is told; `Invalid` has no label


@dataclass(frozen=True, slots=True)
class Ruling:
    """The class that a reply ends with, and the reasons before it."""

    choice: str
    reasons: str


def in_words_of(task: Task, classes: Classes, prompt: Prompt) -> Prompt:
    """The prompt for one task and one menu of classes; a user's prompt may leave words out."""
    meanings = {**{name: label.meaning for name, label in classes.items()}, INVALID: task.invalid}
    words = {
        "noun": task.noun,
        "request": task.request,
        "classes": "\n".join(f"- {name}: {meaning}" for name, meaning in meanings.items()),
        "menu": f"{', '.join(classes)} or {INVALID}",
    }
    return prompt.fix(**{name: words[name] for name in prompt.inputs & words.keys()})


def marker_in(fences: Fences) -> str:
    """How the last line of the reply begins."""
    return marker_for(fences, _PHRASE)


def ruling_form(classes: Classes, marker: str) -> Form[Ruling]:
    """Reasons in prose, then a line with the marker and one of the classes."""
    choices = (*classes, INVALID)

    def read(text: str, _: Fences) -> Ruling:
        return Ruling(read_verdict_line(text, marker, choices), _without_last(marker, text))

    return Form(read, f"It agrees with the source.\n{marker}: {choices[0]}")


def _without_last(marker: str, text: str) -> str:
    """The reply without what its last marker begins, to the end of that line."""
    places = list(re.finditer(re.escape(marker), text, re.IGNORECASE))
    if not places:
        return text.strip()
    after = text[places[-1].end() :].partition("\n")[2].strip(_EDGE)
    return f"{text[: places[-1].start()].rstrip(_EDGE)}\n{after}".strip()
