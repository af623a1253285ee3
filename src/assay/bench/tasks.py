"""The tasks of models: a summary, an answer from passages, an overview of a record.

The prompts are files beside this one; a user may bring another in the place of one of ours.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.datasets.sources import is_structured, structured
from assay.llm.client import Request
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt, read_prompt

_FOLDER = Path(__file__).parent / "prompts"
# What each prompt may be filled with; all of it must be in a prompt of the user's as well.
_FILLED = {"summarize": ("source",), "answer": ("source", "question"), "overview": ("source",)}
TASKS = tuple(_FILLED)


@dataclass(frozen=True, slots=True)
class Task:
    """A task by its name, and the prompt that sets it."""

    name: str
    prompt: Prompt

    def request(self, example: Example) -> Request:
        """The request to a model about a source, which is fenced as material."""
        fences = Fences({"source": example.source.prompt_text, "question": example.question})
        is_plain = self.prompt.form.texts == "plain"
        shown = {
            name: fences.texts[name] if is_plain else fences[name] for name in self.prompt.inputs
        }
        return Request(
            self.prompt.render(**shown),
            example="The model writes its response here.",
            reply_tokens=self.prompt.reply_tokens,
        )


def open_task(name: str, file: str = "") -> Task:
    """The task of that name, with our prompt or with the one in a file."""
    if name not in _FILLED:
        raise UnknownNameError("task", name, TASKS, field="task")
    return Task(name, _brought(name, file) if file else _ours(name))


def assign(sources: Iterable[Example], task: str = "") -> list[Example]:
    """Each source under a task: the one that is named for all, its own, or the one that fits it.

    Without a name, a question asks for an answer, an object for an overview, and anything else for
    a summary. A source that lacks what its task needs raises.
    """
    if task and task not in _FILLED:
        raise UnknownNameError("task", task, TASKS, field="task")
    return [_assigned(each, task) for each in sources]


def _assigned(example: Example, task: str) -> Example:
    name = task or (example.task if example.task in _FILLED else _fitting(example))
    if name == "answer" and not example.question.strip():
        raise InputError(
            f"the source '{example.id}' has no question, and an answer needs one",
            code="no-question",
            field="task",
        )
    if name == "overview":
        example = structured(example)
    return replace(example, task=name)


def _fitting(example: Example) -> str:
    if example.question.strip():
        return "answer"
    return "overview" if is_structured(example.source) else "summarize"


@cache
def _ours(name: str) -> Prompt:
    return read_prompt(_FOLDER / f"{name}.md")


def _brought(name: str, file: str) -> Prompt:
    prompt = read_prompt(file)
    menu = ", ".join(f"${each}" for each in _FILLED[name])
    if prompt.inputs != set(_FILLED[name]):
        wrong = sorted(prompt.inputs ^ set(_FILLED[name]))[0]
        what = "is unknown" if wrong in prompt.inputs else "is missing"
        raise InputError(f"{file}: ${wrong} {what}; the task {name} fills in {menu}")
    if prompt.form.kind != "own":
        raise InputError(f"{file}: a response has no form to be read; leave out 'reply'")
    return replace(prompt, brought=prompt.name)
