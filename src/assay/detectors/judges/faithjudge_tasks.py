"""What `faithjudge` asks, in the words of the task that a response was written for."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.texts import Passage, Source
from assay.detectors.judges.judging import ReplyFormat
from assay.llm.prompts import Prompt
from assay.llm.verdict_lines import VerdictLine, find_verdict_line

INVALID = "Invalid"
PHRASE = "Final classification"

Classes = Mapping[str, Label]  # by the name that the model is told; `Invalid` has no label


@dataclass(frozen=True, slots=True)
class WritingTask:
    """A task: what a response to it is called, what its writer was to do, and what is no answer."""

    noun: str
    request: str
    invalid: str


SUMMARY = WritingTask(
    "summary",
    "summarise the source",
    "It does not summarise the source at all: it is empty or unreadable, it refuses, or it is "
    "about something else.",
)
ANSWER = WritingTask(
    "answer",
    "answer the question from the source",
    "It does not deal with the question at all: it is empty or unreadable, it refuses, or it is "
    "about something else. An answer that says the source does not tell is not invalid.",
)
DESCRIPTION = WritingTask(
    "description",
    "describe in prose what the structured data of the source says",
    "It does not describe the data at all: it is empty or unreadable, it refuses, or it is about "
    "something else.",
)
TASKS = (SUMMARY, ANSWER, DESCRIPTION)

_NAMED = (
    (DESCRIPTION, re.compile(r"data[\W_]*(2|to)[\W_]*te?xt")),
    (ANSWER, re.compile(r"(?<![a-z])(lf)?qa(?![a-z])|question|answer")),
    (SUMMARY, re.compile(r"summar")),
)
_PASSAGE = re.compile(r"passage \d+$")


def task_of(example: Example) -> WritingTask:
    """The task that the example names; else its question or the form of its source tells."""
    name = example.task.casefold()
    named = (task for task, words in _NAMED if words.search(name))
    return next(named, None) or _by_form(example)


def in_words_of(task: WritingTask, classes: Classes, prompt: Prompt) -> Prompt:
    """The prompt for one task and one menu of classes; a user's prompt may leave words out."""
    meanings = {**{name: label.meaning for name, label in classes.items()}, INVALID: task.invalid}
    words = {
        "noun": task.noun,
        "request": task.request,
        "classes": "\n".join(f"- {name}: {meaning}" for name, meaning in meanings.items()),
        "menu": f"{', '.join(classes)} or {INVALID}",
    }
    return prompt.fix(**{name: words[name] for name in prompt.inputs & words.keys()})


def ruling_format(classes: Classes, marker: str) -> ReplyFormat[VerdictLine]:
    """Reasons in prose, then a line with the marker and one of the classes."""
    choices = (*classes, INVALID)
    return ReplyFormat(
        lambda text, _: find_verdict_line(text, marker, choices),
        f"It agrees with the source.\n{marker}: {choices[0]}",
    )


def _by_form(example: Example) -> WritingTask:
    if example.question.strip():
        return ANSWER
    passages = example.source.passages
    if passages and all(_is_field(example.source, passage) for passage in passages):
        return DESCRIPTION
    return SUMMARY


def _is_field(source: Source, passage: Passage) -> bool:
    """Whether it is a field of a record (`name: value`), not a passage with or without a title."""
    first = source.text[passage.start : passage.end].partition("\n")[0]
    return not _PASSAGE.search(passage.name) and ": " in first and first != passage.name
