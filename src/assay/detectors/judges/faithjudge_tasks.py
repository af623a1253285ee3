"""The tasks that responses are written for, and the words that a prompt has for each."""

import re
from dataclasses import dataclass

from assay.core.examples import Example
from assay.core.texts import Passage, Source


@dataclass(frozen=True, slots=True)
class Task:
    """A task: what a response to it is called, what its writer was to do, and what is no answer."""

    noun: str
    request: str
    invalid: str


SUMMARY = Task(
    "summary",
    "summarise the source",
    "It does not summarise the source at all: it is empty or unreadable, it refuses, or it is "
    "about something else.",
)
ANSWER = Task(
    "answer",
    "answer the question from the source",
    "It does not deal with the question at all: it is empty or unreadable, it refuses, or it is "
    "about something else. An answer that says the source does not tell is not invalid.",
)
DESCRIPTION = Task(
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


def task_of(example: Example) -> Task:
    """The task that the example names; else its question or the form of its source tells."""
    name = example.task.casefold()
    named = (task for task, words in _NAMED if words.search(name))
    return next(named, None) or _by_form(example)


def _by_form(example: Example) -> Task:
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
