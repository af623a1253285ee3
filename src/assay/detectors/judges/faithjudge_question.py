"""What `faithjudge` asks, in the words of a task, and what it reads from the reply."""

from collections.abc import Mapping

from assay.core.labels import Label
from assay.detectors.judges.faithjudge_tasks import Task
from assay.detectors.judges.judging import Form
from assay.llm.prompts import Fences, Prompt
from assay.llm.verdict_lines import VerdictLine, find_verdict_line, marker_for

INVALID = "Invalid"
_PHRASE = "Final classification"

Classes = Mapping[str, Label]  # by the name that the model is told; `Invalid` has no label


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


def ruling_form(classes: Classes, marker: str) -> Form[VerdictLine]:
    """Reasons in prose, then a line with the marker and one of the classes."""
    choices = (*classes, INVALID)
    return Form(
        lambda text, _: find_verdict_line(text, marker, choices),
        f"It agrees with the source.\n{marker}: {choices[0]}",
    )
